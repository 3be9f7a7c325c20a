import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readBase64 } from './schema.ts';

test.each([
  ['', ''],
  ['aGk=', 'hi'],
  ['aGk', 'hi'],
  ['aA==', 'h'],
  ['aGVs\nbG8=\n', 'hello'],
  ['-_-_', Buffer.from('fbffbf', 'hex').toString('latin1')],
])('%j is read', (text, bytes) => {
  expect(Buffer.from(readBase64(text)!).toString('latin1')).toBe(bytes);
});

test.each(['a', 'aGk=x', 'aGk==', 'a===', '=', '====', 'aGk!', 'aG=k', 'aGVsbG8=aGVs', '{}', 'hé'])(
  '%j is not base64',
  (text) => {
    expect(readBase64(text)).toBeUndefined();
  },
);

test('all bytes come back', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const buffer = Buffer.from(bytes);
      expect(readBase64(buffer.toString('base64'))).toEqual(buffer);
      expect(readBase64(buffer.toString('base64url'))).toEqual(buffer);
    }),
  );
});

test('any text is bytes or none', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(readBase64(text) ?? Buffer.alloc(0)).toBeInstanceOf(Buffer);
    }),
  );
});
