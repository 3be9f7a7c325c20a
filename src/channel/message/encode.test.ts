import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { messageDecoder } from './decode.ts';
import { sizeOf, textOf } from '../frame/body.ts';
import { messageEncoder } from './encode.ts';
import type { Id, Message, Single } from './message.ts';
import { RpcError, standardErrors, toErrorObject } from './rpc-error.ts';

const encoder = messageEncoder();
const encode = (message: Message) => textOf(encoder(message));

test.each<[Message, string]>([
  [{ kind: 'request', id: 1, method: 'm', params: undefined }, '{"jsonrpc":"2.0","id":1,"method":"m"}'],
  [
    { kind: 'request', id: 'a"b', method: 'm', params: [1] },
    '{"jsonrpc":"2.0","id":"a\\"b","method":"m","params":[1]}',
  ],
  [
    { kind: 'notification', method: 'é"\n', params: { a: 1 } },
    '{"jsonrpc":"2.0","method":"\\u00e9\\"\\n","params":{"a":1}}',
  ],
  [{ kind: 'success', id: null, result: 1 }, '{"jsonrpc":"2.0","id":null,"result":1}'],
  [{ kind: 'success', id: 1, result: undefined }, '{"jsonrpc":"2.0","id":1,"result":null}'],
  [{ kind: 'success', id: 1, result: () => {} }, '{"jsonrpc":"2.0","id":1,"result":null}'],
  [{ kind: 'success', id: 1, result: NaN }, '{"jsonrpc":"2.0","id":1,"result":null}'],
  [
    { kind: 'failure', id: 1, error: { code: -1, message: 'm' } },
    '{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m"}}',
  ],
  [
    { kind: 'failure', id: 1, error: { code: -1, message: 'm', data: null } },
    '{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m","data":null}}',
  ],
  [
    {
      kind: 'batch',
      items: [
        { kind: 'notification', method: 'm', params: undefined },
        { kind: 'success', id: 1, result: 2 },
      ],
    },
    '[{"jsonrpc":"2.0","method":"m"},{"jsonrpc":"2.0","id":1,"result":2}]',
  ],
])('%j', (message, text) => {
  expect(encode(message)).toBe(text);
});

test('what is encoded is decoded again, and never has a line break', () => {
  const decode = messageDecoder();
  fc.assert(
    fc.property(message, (message) => {
      const body = messageEncoder()(message);
      const text = textOf(body);
      expect(sizeOf(body)).toBe(Buffer.byteLength(text));
      expect(text).not.toMatch(/[\r\n]/);
      expect(decode(text, 0, text.length)).toEqual(message);
    }),
    { numRuns: runs(3000) },
  );
});

test('half a surrogate pair survives', () => {
  const text = encode({ kind: 'success', id: '\ud83d', result: '\udc00' });
  expect(Buffer.from(text).toString()).toBe(text);
  expect(messageDecoder()(text, 0, text.length)).toEqual({ kind: 'success', id: '\ud83d', result: '\udc00' });
});

test('more methods than are remembered are all encoded', () => {
  for (let round = 0; round < 2; round++) {
    for (let index = 0; index < 1000; index++) {
      expect(encode({ kind: 'notification', method: `m${index}`, params: undefined })).toBe(
        `{"jsonrpc":"2.0","method":"m${index}"}`,
      );
    }
  }
});

describe('values that cannot be sent', () => {
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  const hostile = {
    toJSON() {
      throw new Error('not today');
    },
  };

  test.each([
    ['a circle', circle],
    ['a BigInt', [1n]],
    ['a toJSON that throws', hostile],
  ])('%s', (_, value) => {
    for (const message of [
      { kind: 'request', id: 1, method: 'm', params: value },
      { kind: 'success', id: 1, result: value },
      { kind: 'failure', id: 1, error: { code: 1, message: 'm', data: value } },
    ] as const) {
      expect(() => encode(message)).toThrow(expect.objectContaining({ code: 'UNENCODABLE' }));
    }
  });

  test.each([
    ['null', null, 'got null.'],
    ['a string', 'text', 'got "text".'],
    ['a number', 1, 'got 1.'],
    ['a function', () => {}, 'got function.'],
    ['a date, which becomes a string', new Date(0), 'got "1970-01-01T00:00:00.000Z".'],
  ])('params that are %s', (_, params, got) => {
    expect(() => encode({ kind: 'notification', method: 'm', params })).toThrow(
      `The params of a call are an object or an array, or left out; ${got}`,
    );
  });

  test('an error whose code is no integer', () => {
    expect(() => encode({ kind: 'failure', id: 1, error: { code: 1.5, message: 'm' } })).toThrow(
      'The code of an error is an integer; got 1.5 for "m".',
    );
  });
});

describe('what is thrown, as an error of JSON-RPC', () => {
  test.each<[string, unknown, object]>([
    ['an RpcError', new RpcError(7, 'seven', { a: 1 }), { code: 7, message: 'seven', data: { a: 1 } }],
    ['an RpcError without data', new RpcError(7, 'seven'), { code: 7, message: 'seven' }],
    ['an Error', new TypeError('broken'), { code: -32603, message: 'broken' }],
    ['an Error without words', new Error(), standardErrors.internalError],
    ['a string', 'text', standardErrors.internalError],
    ['nothing', undefined, standardErrors.internalError],
  ])('%s', (_, thrown, error) => {
    expect(toErrorObject(thrown)).toEqual(error);
  });
});

const id = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constant(null),
) satisfies fc.Arbitrary<Id>;
const value = fc
  .jsonValue({ stringUnit: 'binary' })
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown); // no -0
const params = fc.oneof(
  fc.constant(undefined),
  fc.array(value, { maxLength: 3 }),
  fc.dictionary(fc.string(), value, { maxKeys: 3 }).map((object) => ({ ...object })),
);
const method = fc.string({ unit: 'binary', maxLength: 12 });
const single: fc.Arbitrary<Single> = fc.oneof(
  fc.record({ kind: fc.constant('request' as const), id, method, params }),
  fc.record({ kind: fc.constant('notification' as const), method, params }),
  fc.record({ kind: fc.constant('success' as const), id, result: value }),
  fc.record({
    kind: fc.constant('failure' as const),
    id,
    error: fc.record({ code: fc.integer(), message: fc.string() }),
  }),
);
const message: fc.Arbitrary<Message> = fc.oneof(
  { weight: 5, arbitrary: single },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('batch' as const),
      items: fc.array(single, { minLength: 1, maxLength: 4 }),
    }),
  },
);
