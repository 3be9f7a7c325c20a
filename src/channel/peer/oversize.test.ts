import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OversizeBodies, ownerOf } from './oversize.ts';

const big = 'x'.repeat(1000);

test.each([
  ['as we write it', `{"jsonrpc":"2.0","id":7,"result":{"text":"${big}`, { kind: 'response', id: 7 }],
  [
    'with blanks, as Python does',
    `{"jsonrpc": "2.0", "id": 7, "result": "${big}`,
    { kind: 'response', id: 7 },
  ],
  ['sorted by name, as C++ does', `{"id":7,"jsonrpc":"2.0","result":["${big}`, { kind: 'response', id: 7 }],
  ['an error', `{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"${big}`, { kind: 'response', id: 7 }],
  [
    'error first, sorted',
    `{"error":null,"id":7,"jsonrpc":"2.0","result":"${big}`,
    { kind: 'response', id: 7 },
  ],
  ['without a version', `{"id":7,"result":"${big}`, { kind: 'response', id: 7 }],
  [
    'on several lines',
    `\n{\n  "jsonrpc": "2.0",\n  "id": 7,\n  "result": "${big}`,
    { kind: 'response', id: 7 },
  ],
  ['a string as id', `{"jsonrpc":"2.0","id":"a\\"b","result":"${big}`, { kind: 'response', id: 'a"b' }],
  [
    'a request',
    `{"jsonrpc":"2.0","id":7,"method":"save","params":{"text":"${big}`,
    { kind: 'request', id: 7 },
  ],
  [
    'a request, method first',
    `{"jsonrpc":"2.0","method":"save","id":7,"params":["${big}`,
    { kind: 'request', id: 7 },
  ],
  [
    'null as id',
    `{"jsonrpc":"2.0","id":null,"method":"save","params":["${big}`,
    { kind: 'request', id: null },
  ],
])('tells whose it was: %s', (_, body, owner) => {
  expect(ownerOf(body.slice(0, 256))).toEqual(owner);
});

test.each([
  ['a notification', `{"jsonrpc":"2.0","method":"log","params":["${big}`],
  ['the id behind what is large', `{"jsonrpc":"2.0","result":"${big}","id":7}`],
  ['a batch', `[{"jsonrpc":"2.0","id":7,"result":"${big}`],
  ['an id that is cut off', `{"jsonrpc":"2.0","id":"${big}`],
  ['an unknown member first', `{"meta":1,"id":7,"result":"${big}`],
  ['an id within a result', `{"result":{"id":7,"method":"${big}`],
  ['a fraction', `{"id":7.5,"result":"${big}`],
  ['an id with a broken escape', `{"id":"\\x","result":"${big}`],
  ['no JSON', big],
  ['nothing', ''],
])('leaves open whose it was: %s', (_, body) => {
  expect(ownerOf(body.slice(0, 256))).toBeUndefined();
});

test.each([
  [
    'a request of the official clients',
    `{"method":"save","params":{"id":1,"a":["${big}"]},"jsonrpc":"2.0","id":7}`,
    { kind: 'request', id: 7 },
  ],
  ['a string as id', `{"result":["${big}"],"id" : "a\\"b" }\n`, { kind: 'response', id: 'a"b' }],
  ['an id within the params', `{"method":"log","params":{"a":["${big}"],"id":7}}`, undefined],
  ['an id within a batch', `[{"method":"save","params":["${big}"],"id":7}]`, undefined],
])('the end tells whose it was, where it was kept: %s', (_, body, owner) => {
  expect(ownerOf(body.slice(0, 256), body.slice(-256))).toEqual(owner);
});

test('a body whose length cannot be is found in the noise after it, also in pieces', () => {
  const oversize = new OversizeBodies();
  expect(oversize.take({ kind: 'noise', text: '{"id":1,"result":1}' })).toBeUndefined();
  expect(oversize.take({ kind: 'oversize', size: 2 ** 32 - 1, head: '' })).toBeUndefined();
  expect(oversize.take({ kind: 'noise', text: '\uFFFD\uFFFD\uFFFD\uFFFD{"jsonrpc":"2.0",' })).toBeUndefined();
  expect(oversize.take({ kind: 'noise', text: '"id":7,"result":{"a":1}}' })).toEqual({
    kind: 'response',
    id: 7,
    size: 2 ** 32 - 1,
  });
  expect(oversize.take({ kind: 'noise', text: '{"id":8,"result":1}' })).toBeUndefined();
});

test('it is not looked for in all the noise that follows', () => {
  const oversize = new OversizeBodies();
  oversize.take({ kind: 'oversize', size: 2 ** 32 - 1, head: '' });
  expect(oversize.take({ kind: 'noise', text: big })).toBeUndefined();
  expect(oversize.take({ kind: 'noise', text: '{"id":8,"result":1}' })).toBeUndefined();
});

test('never throws', () => {
  const piece = fc.constantFrom(
    '{',
    '"id"',
    ':',
    '7',
    ',',
    '"jsonrpc"',
    '"2.0"',
    '"method"',
    '"result"',
    ' ',
    '\\',
    '"',
    '[',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 3 }))), (pieces) => {
      expect(() => ownerOf(pieces.join(''))).not.toThrow();
    }),
  );
});
