import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readRecord, recordKey, writeRecord, type AccessRecord } from './record.ts';

const url = new URL('https://a.example/mcp?x=1#part');
const full: AccessRecord = {
  url: 'https://a.example/mcp?x=1',
  issuer: 'https://as.example',
  client: { id: 'c', secret: 's', method: 'none', redirectUri: 'http://127.0.0.1:1/callback' },
  tokens: { access: 'a', refresh: 'r', scope: 'x y' },
  scope: 'x y z',
  wanted: 'w',
};

test('what is written can be read', () => {
  expect(readRecord(writeRecord(full), url)).toEqual(full);
  const { client: _, tokens: __, scope: ___, wanted: ____, ...least } = full;
  expect(readRecord(writeRecord(least), url)).toEqual(least);
});

test.each([
  ['nothing', undefined],
  ['no JSON', '{'],
  ['something else', '[]'],
  ['another version', writeRecord(full).replace('"version": 1', '"version": 2')],
  ['of another server', writeRecord({ ...full, url: 'https://b.example/' })],
])('%s is no record', (_, text) => {
  expect(readRecord(text, url)).toBeUndefined();
});

test('a token that no header can carry is none', () => {
  const text = writeRecord({ ...full, tokens: { access: 'a\nb' } });
  expect(readRecord(text, url)).not.toHaveProperty('tokens');
});

test('whatever stands there, reading it harms nobody', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      const text = `{"version":1,"url":${JSON.stringify(full.url)},"issuer":"i","client":${json},"tokens":${json},"scope":${json}}`;
      expect(readRecord(text, url)).toMatchObject({ issuer: 'i' });
    }),
  );
});

test('the key tells servers and clients apart, and is a file name', () => {
  const keys = [
    recordKey(url, undefined),
    recordKey(url, 'me'),
    recordKey(new URL('https://a.example/mcp'), undefined),
    recordKey(new URL('http://[::1]:80/'), undefined),
  ];
  expect(new Set(keys).size).toBe(4);
  for (const key of keys) expect(key).toMatch(/^[\w-][\w.-]{0,150}$/);
  expect(recordKey(new URL('https://a.example/mcp?x=1'), undefined)).toBe(keys[0]);
});
