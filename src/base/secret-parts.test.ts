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

it('is the password in an address, unless it is a word as any other', () => {
  const address = 'postgresql+asyncpg://app:Hunter2%21Secret@db/x';
  expect(partsOf(address)).toEqual([address, 'Hunter2%21Secret', 'Hunter2!Secret']);
  expect(partsOf('postgres://postgres:postgres@db/x')).toEqual(['postgres://postgres:postgres@db/x']);
});

it('is a token without the word before it', () => {
  expect(partsOf('{"authorization":"Bearer tok_of_ann"}')).toContain('tok_of_ann');
});
