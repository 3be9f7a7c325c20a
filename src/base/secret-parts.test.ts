import { expect, it } from 'vitest';
import { partsOf } from './secret-parts.ts';

it('is all of a value, without the blanks around it', () => {
  expect(partsOf(' hunter2\n')).toEqual(['hunter2']);
});

it('is each long line of a key', () => {
  const key =
    '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEAAoIB\nshort\n-----END PRIVATE KEY-----';
  expect(partsOf(key)).toEqual([key, 'MIIEvQIBADANBgkqhkiG9w0B', 'AQEFAASCBKcwggSjAgEAAoIB']);
});

it('is what has the name of a secret in a file of JSON', () => {
  const file = '{"type":"account","list":[{"client_secret":"abc-def"}],"token_uri":"true"}';
  expect(partsOf(file)).toEqual([file, 'abc-def']);
  expect(partsOf('{no json')).toEqual(['{no json']);
});
