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

it('is each line, short ones too, but for names and words as any other', () => {
  const lines = ['birch 12 kettle', 'sorrel-7-lamp', 'admin', 'Zm9vYmFyMTI='];
  expect(partsOf(lines.join('\r\n'))).toEqual([lines.join('\r\n'), lines[0], lines[1], lines[3]]);
  const yaml =
    'kind: Config\nusers:\n- name: ann\n  token: tok-of-ann\n  server: example.com/api/v1\n# comment\n[main]';
  expect(partsOf(yaml)).toEqual([yaml, 'token: tok-of-ann', 'tok-of-ann', 'server: example.com/api/v1']);
});

it('is each line of a key that has no ends of lines, or stands in a file of JSON', () => {
  const key = String.raw`-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEF\r\nAASCBKcwggSjAgEAAoIB\n-----END PRIVATE KEY-----`;
  expect(partsOf(key)).toEqual([key, 'MIIEvQIBADANBgkqhkiG9w0B', 'AASCBKcwggSjAgEAAoIB']);
  const inFile = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n-----END PRIVATE KEY-----';
  expect(partsOf(JSON.stringify({ private_key: inFile }))).toContain('MIIEvQIBADANBgkqhkiG9w0B');
  expect(partsOf(String.raw`C:\new\notes\node`)).toEqual([String.raw`C:\new\notes\node`]);
});

it('is what has the name of a secret in a file of JSON', () => {
  const file = '{"type":"account","list":[{"client_secret":"abc-def"}],"token_uri":"true"}';
  expect(partsOf(file)).toEqual([file, 'abc-def']);
  expect(partsOf('{no json')).toEqual(['{no json']);
});

it('is what has the name of a secret in a line of JSON', () => {
  const lines = [
    'kind: log',
    '{"user":"ann","client_secret":"cs-9f8e7d6c5b"}',
    '{"list":[{"token":"tok-of-ann"}]},',
    String.raw`{"private_key":"-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n-----END KEY-----"}`,
    '{no json at all',
  ];
  const parts = partsOf(lines.join('\n'));
  for (const part of ['cs-9f8e7d6c5b', 'tok-of-ann', 'MIIEvQIBADANBgkqhkiG9w0B', ...lines.slice(1, 3)])
    expect(parts).toContain(part);
  expect(parts).not.toContain('ann');
});

it('is the password in an address, unless it is a word as any other', () => {
  const address = 'postgresql+asyncpg://app:Hunter2%21Secret@db/x';
  expect(partsOf(address)).toEqual([address, 'Hunter2%21Secret', 'Hunter2!Secret']);
  expect(partsOf('postgres://postgres:postgres@db/x')).toEqual(['postgres://postgres:postgres@db/x']);
});

it('is a token without the word before it', () => {
  expect(partsOf('{"authorization":"Bearer tok_of_ann"}')).toContain('tok_of_ann');
});
