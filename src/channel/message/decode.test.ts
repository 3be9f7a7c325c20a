import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { body } from '../../../test/support/channel/arbitrary-bodies.ts';
import { runs } from '../../../test/support/runs.ts';
import { messageDecoder } from './decode.ts';
import type { Received } from './message.ts';
import { strict, tolerant, type Tolerances } from './tolerances.ts';

describe('ids are kept as they are', () => {
  test.each([
    ['0', 0],
    ['7', 7],
    ['-1', -1],
    ['1.5', 1.5],
    ['1e3', 1000],
    ['999999999999999', 999999999999999],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['"7"', '7'],
    ['"007"', '007'],
    ['""', ''],
    ['"é😀"', 'é😀'],
    ['"\\u0000"', '\0'],
    ['null', null],
  ])('%s', (text, id) => {
    expect(decode(`{"jsonrpc":"2.0","id":${text},"method":"m"}`)).toEqual({
      kind: 'request',
      id,
      method: 'm',
      params: undefined,
    });
    expect(decode(`{"jsonrpc":"2.0","id":${text},"result":1}`)).toEqual({ kind: 'success', id, result: 1 });
    expect(decode(`{"id":${text},"error":{"code":1,"message":"m"},"jsonrpc":"2.0"}`)).toEqual({
      kind: 'failure',
      id,
      error: { code: 1, message: 'm' },
    });
  });
});

describe('params', () => {
  test.each([
    ['absent', '', undefined],
    ['an object', ',"params":{"a":1}', { a: 1 }],
    ['an empty object', ',"params":{}', {}],
    ['an array', ',"params":[1,"a"]', [1, 'a']],
    ['an empty array', ',"params":[]', []],
  ])('may be %s', (_, text, params) => {
    expect(decode(`{"jsonrpc":"2.0","method":"m"${text}}`)).toEqual({
      kind: 'notification',
      method: 'm',
      params,
    });
    expect(decode(`{ "jsonrpc":"2.0","id":1,"method":"m"${text}}`)).toEqual({
      kind: 'request',
      id: 1,
      method: 'm',
      params,
    });
  });

  test.each(['null', '1', '"a"', 'true'])('may not be %s', (text) => {
    expect(decode(`{"jsonrpc":"2.0","id":1,"method":"m","params":${text}}`)).toMatchObject({
      kind: 'invalid',
      as: 'request',
      id: 1,
    });
  });
});

describe('what is no message', () => {
  test.each<[string, 'parse' | 'request' | 'response' | 'either', number | string | null]>([
    ['', 'parse', null],
    ['hello', 'parse', null],
    ['{"jsonrpc":"2.0","id":1,"method":"m"', 'parse', null],
    ['{"jsonrpc":"2.0","id":1,"result":NaN}', 'parse', null],
    ["{'jsonrpc':'2.0'}", 'parse', null],
    ['1', 'request', null],
    ['null', 'request', null],
    ['"text"', 'request', null],
    ['{}', 'request', null],
    ['[]', 'request', null],
    ['{"jsonrpc":"2.0"}', 'request', null],
    ['{"jsonrpc":"2.0","id":null}', 'request', null],
    ['{"jsonrpc":"2.0","id":5}', 'either', 5],
    ['{"id":"a"}', 'either', 'a'],
    ['{"jsonrpc":"2.0","id":5,"method":1}', 'request', 5],
    ['{"jsonrpc":"2.0","id":"x","method":null}', 'request', 'x'],
    ['{"jsonrpc":"1.0","id":5,"method":"m"}', 'request', 5],
    ['{"jsonrpc":2.0,"id":5,"method":"m"}', 'request', 5],
    ['{"id":5,"method":"m"}', 'request', 5],
    ['{"JSONRPC":"2.0","id":5,"method":"m"}', 'request', 5],
    ['{"jsonrpc":"2.0","id":[1],"method":"m"}', 'request', null],
    ['{"jsonrpc":"2.0","id":true,"method":"m"}', 'request', null],
    ['{"jsonrpc":"2.0","id":1e400,"method":"m"}', 'request', null],
    ['{"jsonrpc":"2.0","id":12345678901234567,"method":"m"}', 'request', null],
    ['{"jsonrpc":"2.0","id":-9007199254740993,"method":"m"}', 'request', null],
    ['{"jsonrpc":"2.0","result":1}', 'response', null],
    ['{"jsonrpc":"2.0","id":{},"result":1}', 'response', null],
    ['{"id":5,"result":1}', 'response', 5],
    ['{"jsonrpc":"2.0","id":5,"result":1,"error":{"code":1,"message":"m"}}', 'response', 5],
    ['{"jsonrpc":"2.0","id":5,"error":null}', 'response', 5],
    ['{"jsonrpc":"2.0","id":5,"error":"broken"}', 'response', 5],
    ['{"jsonrpc":"2.0","id":5,"error":{"code":1.5,"message":"m"}}', 'response', 5],
    ['{"jsonrpc":"2.0","id":5,"error":{"code":"1","message":"m"}}', 'response', 5],
    ['{"jsonrpc":"2.0","id":5,"error":{"code":1}}', 'response', 5],
  ])('%s', (text, as, id) => {
    expect(decode(text)).toMatchObject({ kind: 'invalid', as, id, text });
  });

  test('an object with a method is a request, whatever else it has', () => {
    expect(decode('{"jsonrpc":"2.0","id":1,"method":"m","result":1}')).toMatchObject({
      kind: 'request',
      id: 1,
    });
  });
});

describe('batches', () => {
  test('each item is read for itself', () => {
    const text = '[{"jsonrpc":"2.0","method":"m"},1,{"jsonrpc":"2.0","id":1,"result":2}]';
    expect(decode(text)).toEqual({
      kind: 'batch',
      items: [
        { kind: 'notification', method: 'm', params: undefined },
        { kind: 'invalid', as: 'request', id: null, reason: 'it is not an object', text },
        { kind: 'success', id: 1, result: 2 },
      ],
    });
  });

  test('a batch inside a batch is no message', () => {
    expect(decode('[[{"jsonrpc":"2.0","method":"m"}]]')).toMatchObject({
      items: [{ kind: 'invalid', as: 'request' }],
    });
  });

  test('one of more items than anyone sends is refused as a whole', () => {
    const batchOf = (count: number) => decode(`[${Array.from({ length: count }, () => '1').join()}]`);
    expect(batchOf(65_536)).toMatchObject({ kind: 'batch' });
    expect(batchOf(65_537)).toMatchObject({
      kind: 'invalid',
      as: 'request',
      id: null,
      reason: 'a batch has 65537 items, which is over the limit of 65536',
    });
  });
});

test('whatever is JSON is read as JSON', () => {
  const blank = fc.constantFrom('', '', ' ', '\n', '\t \r\n');
  const json = fc.json({ stringUnit: 'binary' });
  const spaced = fc
    .tuple(json, blank, blank)
    .map(([text, a, b]) => a + text.replaceAll(/([[\]{},:])/g, `${b}$1${a}`) + b);
  fc.assert(
    fc.property(fc.oneof(json, spaced, body), (text) => {
      const { kind, as } = decode(text) as { kind: string; as?: string };
      expect(kind === 'invalid' && as === 'parse').toBe(!isJson(text));
    }),
    { numRuns: runs(5000) },
  );
});

test('a byte order mark and blanks around the body are skipped', () => {
  expect(decode('\uFEFF{"jsonrpc":"2.0","method":"m"}')).toMatchObject({ kind: 'notification' });
  expect(decode(' \t{"jsonrpc":"2.0","method":"m"}\r\n ')).toMatchObject({ kind: 'notification' });
});

test('members that JSON-RPC does not know are ignored', () => {
  expect(decode('{"jsonrpc":"2.0","id":1,"result":2,"meta":{"x":1}}')).toEqual({
    kind: 'success',
    id: 1,
    result: 2,
  });
});

test('names of the prototype are ordinary members', () => {
  const success = decode('{"jsonrpc":"2.0","id":1,"result":{"__proto__":{"polluted":true},"constructor":1}}');
  expect(success).toMatchObject({ kind: 'success' });
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  expect(decode('{"__proto__":{"jsonrpc":"2.0","method":"m"}}')).toMatchObject({ kind: 'invalid' });
});

test('depth breaks nothing', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  expect(decode(`{"jsonrpc":"2.0","id":1,"result":${deep}}`)).toMatchObject({ kind: 'success' });
  expect(decode(deep)).toMatchObject({ kind: 'batch' });
  expect(decode('['.repeat(100_000))).toMatchObject({ kind: 'invalid', as: 'parse' });
});

describe('tolerances', () => {
  const failure = { kind: 'failure', id: 1, error: { code: 2, message: 'm' } };
  const success = { kind: 'success', id: 1, result: 3 };

  test.each<[keyof Tolerances, string, object]>([
    [
      'nullResultBesideError',
      '{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":2,"message":"m"}}',
      failure,
    ],
    ['nullErrorBesideResult', '{"jsonrpc":"2.0","id":1,"error":null,"result":3}', success],
    ['nullErrorBesideResult', '{"jsonrpc":"2.0","id":1,"result":3,"error":null}', success],
    [
      'nullErrorBesideResult',
      '{"jsonrpc":"2.0","id":1,"result":null,"error":null}',
      { ...success, result: null },
    ],
    ['missingVersion', '{"id":1,"result":3}', success],
    ['missingVersion', '{"id":1,"error":{"code":2,"message":"m"}}', failure],
    ['missingVersion', '{"id":1,"method":"m"}', { kind: 'request', id: 1, method: 'm', params: undefined }],
    ['missingVersion', '{"method":"m"}', { kind: 'notification', method: 'm', params: undefined }],
    [
      'nullParams',
      '{"jsonrpc":"2.0","id":1,"method":"m","params":null}',
      { kind: 'request', id: 1, method: 'm', params: undefined },
    ],
    ['nan', '{"jsonrpc":"2.0","id":1,"result":NaN}', { ...success, result: null }],
    [
      'nan',
      '{"jsonrpc":"2.0","id":1,"result":[Infinity,-Infinity,NaN,3]}',
      { ...success, result: [null, null, null, 3] },
    ],
  ])('%s reads %s', (name, text, message) => {
    expect(decode(text, { [name]: true })).toEqual(message);
    expect(decode(text, tolerant)).toEqual(message);
    expect(decode(text, { ...tolerant, [name]: false })).toMatchObject({ kind: 'invalid' });
    expect(decode(text, strict)).toMatchObject({ kind: 'invalid' });
    expect(decode(`[${text}]`, { [name]: true })).toEqual({ kind: 'batch', items: [message] });
  });

  test('nullResultBesideError forgives null alone', () => {
    const text = '{"jsonrpc":"2.0","id":1,"result":0,"error":{"code":2,"message":"m"}}';
    expect(decode(text, tolerant)).toMatchObject({ kind: 'invalid', as: 'response', id: 1 });
  });

  test('nullErrorBesideResult needs a result', () => {
    expect(decode('{"jsonrpc":"2.0","id":1,"error":null}', tolerant)).toMatchObject({
      kind: 'invalid',
      as: 'response',
    });
  });

  test('missingVersion forgives no other version', () => {
    expect(decode('{"jsonrpc":"1.0","id":1,"result":3}', tolerant)).toMatchObject({ kind: 'invalid' });
    expect(decode('{"jsonrpc":null,"id":1,"result":3}', tolerant)).toMatchObject({ kind: 'invalid' });
  });

  test.each([
    ['"7"', 7],
    ['"0"', 0],
    ['"999999999999999"', 999999999999999],
    ['"abc"', 'abc'],
    ['""', ''],
    ['"-7"', '-7'],
    ['"7.0"', '7.0'],
    ['" 7"', ' 7'],
    ['"12345678901234567"', '12345678901234567'],
  ])('stringIds reads the id %s of a response as the number it stands for', (text, id) => {
    const response = `{"jsonrpc":"2.0","id":${text},"result":3}`;
    expect(decode(response, { stringIds: true })).toEqual({ kind: 'success', id, result: 3 });
    expect(decode(response, strict)).toEqual({ kind: 'success', id: JSON.parse(text) as string, result: 3 });
    expect(
      decode(response.replace('"result":3', '"error":{"code":2,"message":"m"}'), tolerant),
    ).toMatchObject({ id });
  });

  test('stringIds leaves the ids of requests alone', () => {
    expect(decode('{"jsonrpc":"2.0","id":"7","method":"m"}', tolerant)).toMatchObject({ id: '7' });
  });

  test.each([
    ['"NaN Infinity"', 'NaN Infinity'],
    ['["a\\"NaN",NaN]', ['a"NaN', null]],
    ['["\\\\",NaN]', ['\\', null]],
    ['{"NaN":NaN}', { NaN: null }],
  ])('nan leaves strings alone: %s', (text, result) => {
    expect(decode(`{"jsonrpc":"2.0","id":1,"result":[${text},NaN]}`, tolerant)).toMatchObject({
      result: [result, null],
    });
  });

  test.each(['xNaN', 'NaNx', '1NaN', '-NaN', 'nan', '"unclosed NaN'])(
    'nan reads no other words: %s',
    (text) => {
      expect(decode(`{"jsonrpc":"2.0","id":1,"result":${text}}`, tolerant)).toMatchObject({
        kind: 'invalid',
        as: 'parse',
      });
    },
  );

  test.each([
    ['plain', 'x'.repeat(9_000_000)],
    ['full of escapes', '\\"\\\\'.repeat(2_000_000)],
  ])('nan is found behind a string of megabytes: %s', (_, long) => {
    expect(decode(`{"jsonrpc":"2.0","id":1,"result":["${long}",NaN]}`, tolerant)).toMatchObject({
      kind: 'success',
    });
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''));
    return true;
  } catch {
    return false;
  }
}

function decode(text: string, tolerances?: Tolerances): Received {
  return messageDecoder(tolerances)(text, 0, text.length);
}
