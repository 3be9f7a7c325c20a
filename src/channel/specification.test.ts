// JSON-RPC 2.0, demand by demand, as a peer meets it on the wire.
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  framingNames,
  peerAndRawEnd,
  type RawEnd,
  type RawOptions,
} from '../../test/support/channel/raw-end.ts';
import { RpcError, SERVER_BUSY, standardErrors } from './message/rpc-error.ts';
import type { Peer } from './peer/peer.ts';

describe('conventions', () => {
  // requirement: jsonrpc:conventions:json-types
  test('every type of JSON goes through as param and as result', async () => {
    const { raw } = open();
    const values = ['text é😀', 0, -1.5, 1e21, true, false, null, {}, { a: { b: [] } }, [], [1, ['2']]];
    expect(await ask(raw, { jsonrpc: '2.0', id: 1, method: 'echo', params: values })).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: values,
    });
  });

  // requirement: jsonrpc:conventions:case-sensitive
  test('names are matched with their case', async () => {
    const { raw } = open();
    expect(await ask(raw, { jsonrpc: '2.0', id: 1, method: 'Echo' })).toMatchObject({
      error: { code: -32601 },
    });
    expect(await ask(raw, { jsonrpc: '2.0', id: 2, Method: 'echo' })).toMatchObject({
      error: { code: -32600 },
    });
    expect(await ask(raw, { JSONRPC: '2.0', id: 3, method: 'echo' })).toMatchObject({
      error: { code: -32600 },
    });
    expect(await ask(raw, { jsonrpc: '2.0', ID: 4, method: 'echo' })).toBe(nothing);
    expect(await ask(raw, { jsonrpc: '2.0', id: 5, method: 'echo', Params: [1] })).toMatchObject({
      result: null,
    });
  });

  // requirement: jsonrpc:conventions:both-roles
  test('an end calls and is called at the same time', async () => {
    const { peer, raw } = open();
    const call = peer.request('theirs', [1]);
    const { id } = await raw.nextRequest();
    raw.send({ jsonrpc: '2.0', id, method: 'echo', params: ['same id'] });
    expect(await raw.next()).toEqual({ jsonrpc: '2.0', id, result: ['same id'] });
    raw.answer(id, 'done');
    expect(await call).toBe('done');
  });
});

describe('compatibility', () => {
  // requirement: jsonrpc:compatibility:version-tells
  test('an object without the version of 2.0 is not taken for one', async () => {
    const { peer, raw } = open();
    expect(await ask(raw, { id: 1, method: 'echo', params: [] })).toMatchObject({ error: { code: -32600 } });
    const call = peer.request('theirs');
    const { id } = await raw.nextRequest();
    raw.send({ id, result: 1, error: null });
    await expect(call).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
  });

  // requirement: jsonrpc:compatibility:handles-1.0
  test('an end that is told to be tolerant talks to one of 1.0', async () => {
    const { peer, raw } = open({
      tolerances: { missingVersion: true, nullErrorBesideResult: true, nullResultBesideError: true },
    });
    expect(await ask(raw, { id: 1, method: 'echo', params: ['Hello'] })).toMatchObject({
      id: 1,
      result: ['Hello'],
    });
    const call = peer.request('theirs');
    raw.send({ id: (await raw.nextRequest()).id, result: 'well', error: null });
    expect(await call).toBe('well');
    const failing = peer.request('theirs');
    raw.send({ id: (await raw.nextRequest()).id, result: null, error: { code: 1, message: 'ill' } });
    await expect(failing).rejects.toMatchObject({ code: 1, message: 'ill' });
  });
});

describe('the request object', () => {
  // requirement: jsonrpc:request:version
  test('its version is sent, and demanded to be exactly 2.0', async () => {
    const { peer, raw } = open();
    void peer.request('theirs').catch(() => {});
    expect(await raw.next()).toMatchObject({ jsonrpc: '2.0' });
    for (const jsonrpc of ['1.0', '2', '2.0 ', '2.1', 2, 2.0, null, true, ['2.0'], {}]) {
      expect(await ask(raw, { jsonrpc, id: 1, method: 'echo' })).toEqual(invalidRequest(1));
    }
  });

  // requirement: jsonrpc:request:method-string
  test('its method is a string', async () => {
    const { peer, raw } = open();
    void peer.request('a "method"\n').catch(() => {});
    expect(await raw.next()).toMatchObject({ method: 'a "method"\n' });
    for (const method of [1, null, true, ['echo'], { echo: 1 }]) {
      expect(await ask(raw, { jsonrpc: '2.0', id: 1, method })).toEqual(invalidRequest(1));
    }
  });

  // requirement: jsonrpc:request:method-rpc-reserved
  // requirement: jsonrpc:extensions:rpc-prefix
  test('methods of the protocol itself belong to extensions: none is answered or sent unasked, one can be added', async () => {
    const { peer, raw } = open();
    const methods = ['rpc.', 'rpc.discover', 'rpc.cancel', 'rpc.describe', 'rpc.ping'];
    for (const method of methods) {
      expect(await ask(raw, { jsonrpc: '2.0', id: 1, method })).toMatchObject({ error: { code: -32601 } });
      expect(await ask(raw, { jsonrpc: '2.0', method })).toBe(nothing);
    }
    peer.handle('rpc.discover', () => ({ methods: ['echo'] }));
    expect(await ask(raw, { jsonrpc: '2.0', id: 1, method: 'rpc.discover' })).toMatchObject({
      result: { methods: ['echo'] },
    });
    const sent = raw.received.filter((message) => /"method":"rpc\./.test(JSON.stringify(message)));
    expect(sent).toEqual([]);
  });

  // requirement: jsonrpc:request:params-structured
  // requirement: jsonrpc:params:structured
  test('its params are an object or an array, sent and received', async () => {
    const { peer, raw } = open();
    for (const params of [1, 'text', true, null]) {
      expect(await ask(raw, { jsonrpc: '2.0', id: 1, method: 'echo', params })).toEqual(invalidRequest(1));
      await expect(peer.request('theirs', params)).rejects.toMatchObject({ code: 'UNENCODABLE' });
      expect(() => peer.notify('theirs', params)).toThrow(expect.objectContaining({ code: 'UNENCODABLE' }));
    }
    for (const params of [{ a: 1 }, [1]]) {
      expect(await ask(raw, { jsonrpc: '2.0', id: 1, method: 'echo', params })).toMatchObject({
        result: params,
      });
      peer.notify('theirs', params);
      expect(await raw.next()).toEqual({ jsonrpc: '2.0', method: 'theirs', params });
    }
  });

  // requirement: jsonrpc:request:params-optional
  test('its params may be left out', async () => {
    const { peer, raw } = open();
    expect(await ask(raw, { jsonrpc: '2.0', id: 1, method: 'count' })).toMatchObject({ result: 0 });
    peer.notify('theirs');
    expect(await raw.next()).toEqual({ jsonrpc: '2.0', method: 'theirs' });
  });

  // requirement: jsonrpc:request:id-types
  test('its id is a string, a number or null', async () => {
    const { raw } = open();
    for (const id of ['a', '', 0, -7, 1.5, null]) {
      expect(await ask(raw, { jsonrpc: '2.0', id, method: 'count' })).toEqual({
        jsonrpc: '2.0',
        id,
        result: 0,
      });
    }
    for (const id of [true, [1], { a: 1 }]) {
      expect(await ask(raw, { jsonrpc: '2.0', id, method: 'count' })).toEqual(invalidRequest(null));
    }
  });

  // requirement: jsonrpc:request:id-absent
  test('without an id it is a notification', async () => {
    const { peer, raw } = open();
    const heard: unknown[] = [];
    peer.onNotification('tell', (params) => void heard.push(params));
    expect(await ask(raw, { jsonrpc: '2.0', method: 'tell', params: [1] })).toBe(nothing);
    expect(heard).toEqual([[1]]);
  });

  // requirement: jsonrpc:request:id-not-null
  // requirement: jsonrpc:request:id-whole
  test('the ids of this end are whole numbers, each used once', async () => {
    const { peer, raw } = open();
    for (let count = 0; count < 100; count++) void peer.request('theirs').catch(() => {});
    const ids = (await raw.take(100)).map((message) => (message as { id: unknown }).id);
    expect(ids.every((id) => Number.isInteger(id))).toBe(true);
    expect(new Set(ids).size).toBe(100);
  });

  // requirement: jsonrpc:request:id-returned
  // requirement: jsonrpc:response:id-same
  test('the answer has the id of the request, value and type, whatever the outcome', async () => {
    const { raw } = open();
    for (const id of [0, 1, -1, 2 ** 31, Number.MAX_SAFE_INTEGER, 0.25, '1', '', 'é😀"\\', null]) {
      for (const method of ['count', 'later', 'fail', 'unknown']) {
        expect(await ask(raw, { jsonrpc: '2.0', id, method })).toHaveProperty('id', id);
      }
    }
  });

  // requirement: jsonrpc:request:id-correlates
  test('answers find their requests by id, in any order', async () => {
    const { peer, raw } = open();
    const calls = [peer.request('a'), peer.request('b'), peer.request('c')];
    const requests = [await raw.nextRequest(), await raw.nextRequest(), await raw.nextRequest()];
    for (const { id, method } of requests.reverse()) raw.answer(id, `to ${method}`);
    expect(await Promise.all(calls)).toEqual(['to a', 'to b', 'to c']);
  });
});

describe('notifications', () => {
  // requirement: jsonrpc:notification:no-id
  test('one is sent without an id', async () => {
    const { peer, raw } = open();
    peer.notify('tell', { a: 1 });
    expect(await raw.next()).toEqual({ jsonrpc: '2.0', method: 'tell', params: { a: 1 } });
  });

  // requirement: jsonrpc:notification:no-reply
  // requirement: jsonrpc:notification:errors-unseen
  test('none is answered: not a known one, not an unknown one, not one that fails', async () => {
    const { peer, raw } = open();
    peer.onNotification('explode', () => {
      throw new Error('boom');
    });
    for (const method of ['tell', 'unknown', 'explode', 'echo', 'fail']) {
      expect(await ask(raw, { jsonrpc: '2.0', method, params: [1] })).toBe(nothing);
    }
  });

  // requirement: jsonrpc:notification:no-reply-in-batch
  // requirement: jsonrpc:batch:none-for-notifications
  test('none is answered inside a batch', async () => {
    const { raw } = open();
    const tell = { jsonrpc: '2.0', method: 'tell' };
    const count = { jsonrpc: '2.0', id: 1, method: 'count' };
    expect(await ask(raw, [tell, count, tell])).toEqual([{ jsonrpc: '2.0', id: 1, result: 0 }]);
  });
});

describe('params', () => {
  // requirement: jsonrpc:params:by-position
  test('by position they arrive as an array in their order', async () => {
    const { peer, raw } = open();
    expect(await ask(raw, { jsonrpc: '2.0', id: 1, method: 'subtract', params: [42, 23] })).toMatchObject({
      result: 19,
    });
    expect(await ask(raw, { jsonrpc: '2.0', id: 1, method: 'subtract', params: [23, 42] })).toMatchObject({
      result: -19,
    });
    peer.notify('theirs', [3, 1, 2]);
    expect(await raw.next()).toMatchObject({ params: [3, 1, 2] });
  });

  // requirement: jsonrpc:params:by-name
  test('by name they arrive as an object', async () => {
    const { peer, raw } = open();
    const params = { subtrahend: 23, minuend: 42 };
    expect(await ask(raw, { jsonrpc: '2.0', id: 1, method: 'subtract', params })).toMatchObject({
      result: 19,
    });
    peer.notify('theirs', params);
    expect(await raw.next()).toMatchObject({ params });
  });

  // requirement: jsonrpc:params:by-name-missing
  // requirement: jsonrpc:error:invalid-params
  test('a handler may refuse params, with -32602', async () => {
    const { raw } = open();
    expect(await ask(raw, { jsonrpc: '2.0', id: 1, method: 'subtract', params: { minuend: 42 } })).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32602, message: 'Invalid params' },
    });
  });

  // requirement: jsonrpc:params:by-name-exact
  test('names are handed on as they came, case included', async () => {
    const { raw } = open();
    const params = { Minuend: 42, SUBTRAHEND: 23, minuend_: 1 };
    expect(await ask(raw, { jsonrpc: '2.0', id: 1, method: 'echo', params })).toHaveProperty(
      'result',
      params,
    );
    expect(await ask(raw, { jsonrpc: '2.0', id: 1, method: 'subtract', params })).toMatchObject({
      error: { code: -32602 },
    });
  });
});

describe('the response object', () => {
  const outcomes = ['count', 'later', 'nothing', 'fail', 'fail later', 'unknown', 'unsendable'];
  const failing = ['fail', 'fail later', 'unknown', 'unsendable'];

  // requirement: jsonrpc:response:always
  // requirement: jsonrpc:response:one-object
  // requirement: jsonrpc:response:version
  // requirement: jsonrpc:response:id-required
  test.each(outcomes)('every call gets one object with version and id: %s', async (method) => {
    const { raw } = open();
    const response = await ask(raw, { jsonrpc: '2.0', id: 'x', method });
    expect(response).toBeTypeOf('object');
    expect(response).not.toBeInstanceOf(Array);
    expect(response).toMatchObject({ jsonrpc: '2.0', id: 'x' });
    // The next answer is to the next call: there was only one.
    expect(await ask(raw, { jsonrpc: '2.0', id: 'y', method: 'count' })).toMatchObject({ id: 'y' });
  });

  // requirement: jsonrpc:response:result-xor-error
  test('it has a result or an error, and such a one is demanded', async () => {
    const { peer, raw } = open();
    for (const method of outcomes) {
      const response = (await ask(raw, { jsonrpc: '2.0', id: 1, method })) as object;
      expect('result' in response).not.toBe('error' in response);
    }
    for (const members of [{}, { result: 1, error: { code: 1, message: 'both' } }]) {
      const call = peer.request('theirs');
      raw.send({ jsonrpc: '2.0', id: (await raw.nextRequest()).id, ...members });
      await expect(call).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
    }
  });

  // requirement: jsonrpc:response:result-on-success
  // requirement: jsonrpc:response:no-error-on-success
  // requirement: jsonrpc:response:result-of-method
  test('after success it has the result of the method and no error', async () => {
    const { raw } = open();
    for (const [method, result] of [
      ['count', 0],
      ['later', 'done'],
      ['nothing', null],
    ]) {
      expect(await ask(raw, { jsonrpc: '2.0', id: 1, method })).toEqual({ jsonrpc: '2.0', id: 1, result });
    }
  });

  // requirement: jsonrpc:response:error-on-error
  // requirement: jsonrpc:response:no-result-on-error
  // requirement: jsonrpc:response:error-object
  // requirement: jsonrpc:error:code-integer
  // requirement: jsonrpc:error:message-string
  test.each(failing)('after a failure it has an error object and no result: %s', async (method) => {
    const { raw } = open();
    const response = (await ask(raw, { jsonrpc: '2.0', id: 1, method })) as {
      error: { code: number; message: string };
    };
    expect(Object.keys(response).sort()).toEqual(['error', 'id', 'jsonrpc']);
    expect(Number.isInteger(response.error.code)).toBe(true);
    expect(response.error.message).toBeTypeOf('string');
  });

  // requirement: jsonrpc:response:id-null
  test('its id is null when that of the request cannot be made out', async () => {
    const { raw } = open();
    expect(await askText(raw, '{"jsonrpc":"2.0","id":1,"method"')).toEqual(parseError);
    expect(await askText(raw, '{"jsonrpc":"2.0","id":[],"method":"count"}')).toEqual(invalidRequest(null));
    expect(await askText(raw, '{"foo":"boo"}')).toEqual(invalidRequest(null));
    expect(await askText(raw, '"count"')).toEqual(invalidRequest(null));
  });
});

describe('the error object', () => {
  // requirement: jsonrpc:error:code-integer
  // requirement: jsonrpc:error:message-string
  // requirement: jsonrpc:response:error-object
  test('another than an object with an integer and a string is refused, sent and received', async () => {
    const { peer, raw } = open();
    peer.handle('fraction', () => {
      throw new RpcError(1.5, 'one and a half');
    });
    expect(await ask(raw, { jsonrpc: '2.0', id: 1, method: 'fraction' })).toMatchObject({
      error: { code: -32603 },
    });
    for (const error of [
      null,
      'text',
      1,
      [],
      {},
      { code: 1 },
      { message: 'm' },
      { code: '1', message: 'm' },
      { code: 1.5, message: 'm' },
      { code: 1, message: 2 },
    ]) {
      const call = peer.request('theirs');
      raw.send({ jsonrpc: '2.0', id: (await raw.nextRequest()).id, error });
      await expect(call).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
    }
  });

  // requirement: jsonrpc:error:message-short
  test('the messages of this end are one short sentence', async () => {
    const { errors } = await ownErrors();
    for (const { message } of [...errors, ...Object.values(standardErrors)]) {
      expect(message).toMatch(/^[^\n.!?]{1,120}[.!?]?$/);
    }
  });

  // requirement: jsonrpc:error:data-any
  // requirement: jsonrpc:error:data-by-server
  test('data of any type goes through, both ways', async () => {
    const { peer, raw } = open();
    for (const data of ['text', 0, false, null, { nested: { code: 1 } }, [1, 2]]) {
      peer.handle('with data', () => {
        throw new RpcError(1, 'm', data);
      });
      expect(await ask(raw, { jsonrpc: '2.0', id: 1, method: 'with data' })).toMatchObject({
        error: { code: 1, message: 'm', data },
      });
      const call = peer.request('theirs');
      raw.send({ jsonrpc: '2.0', id: (await raw.nextRequest()).id, error: { code: 1, message: 'm', data } });
      await expect(call).rejects.toMatchObject({ code: 1, data });
    }
  });

  // requirement: jsonrpc:error:data-optional
  test('data may be left out, both ways', async () => {
    const { peer, raw } = open();
    expect(await ask(raw, { jsonrpc: '2.0', id: 1, method: 'fail' })).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: 7, message: 'failed' },
    });
    const call = peer.request('theirs');
    raw.send({ jsonrpc: '2.0', id: (await raw.nextRequest()).id, error: { code: 1, message: 'm' } });
    await expect(call).rejects.toMatchObject({ code: 1, data: undefined });
  });

  // requirement: jsonrpc:error:reserved-range
  // requirement: jsonrpc:error:server-errors
  test('of the reserved codes this end uses the five and those for implementations', async () => {
    const { errors } = await ownErrors();
    const defined = new Set<number>(Object.values(standardErrors).map(({ code }) => code));
    expect([...defined].sort((a, b) => b - a)).toEqual([-32600, -32601, -32602, -32603, -32700]);
    for (const { code } of errors) {
      expect(defined.has(code) || (code >= -32099 && code <= -32000)).toBe(true);
    }
    expect(errors.map(({ code }) => code)).toContain(SERVER_BUSY);
  });

  // requirement: jsonrpc:error:parse-error
  test('-32700 answers what is not JSON', async () => {
    const { raw } = open();
    for (const text of [
      '{',
      '{"jsonrpc":"2.0","id":1,"method":"count",}',
      'hello',
      '[1,',
      '"\\x"',
      '{"a":NaN}',
      "{'a':1}",
    ]) {
      expect(await askText(raw, text)).toEqual(parseError);
    }
  });

  // requirement: jsonrpc:error:invalid-request
  test('-32600 answers JSON that is no request', async () => {
    const { raw } = open();
    for (const value of [1, 'text', null, true, {}, { foo: 1 }, { jsonrpc: '2.0' }, { method: 'count' }]) {
      expect(await ask(raw, value)).toEqual(invalidRequest(null));
    }
    expect(await ask(raw, { jsonrpc: '2.0', id: 9 })).toEqual(invalidRequest(9));
  });

  // requirement: jsonrpc:error:method-not-found
  test('-32601 answers a method that nobody handles', async () => {
    const { raw } = open();
    for (const method of ['unknown', '', 'toString', 'constructor', '__proto__', 'count ']) {
      expect(await ask(raw, { jsonrpc: '2.0', id: 1, method })).toEqual({
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32601, message: 'Method not found' },
      });
    }
  });

  // requirement: jsonrpc:error:internal-error
  test('-32603 answers when a handler breaks or its result cannot be sent', async () => {
    const { peer, raw } = open();
    peer.handle('break', () => {
      throw new TypeError('undefined is not a function');
    });
    peer.handle('break later', async () => {
      throw undefined as unknown as Error; // people throw anything
    });
    for (const method of ['break', 'break later', 'unsendable']) {
      expect(await ask(raw, { jsonrpc: '2.0', id: 1, method })).toMatchObject({
        id: 1,
        error: { code: -32603 },
      });
    }
  });

  // requirement: jsonrpc:error:application-codes
  test('codes of applications go through, both ways', async () => {
    const { peer, raw } = open();
    for (const code of [0, 1, -1, 404, -31999, -32769, 2 ** 31, -(2 ** 40)]) {
      peer.handle('coded', () => {
        throw new RpcError(code, 'm');
      });
      expect(await ask(raw, { jsonrpc: '2.0', id: 1, method: 'coded' })).toMatchObject({ error: { code } });
      const call = peer.request('theirs');
      raw.send({ jsonrpc: '2.0', id: (await raw.nextRequest()).id, error: { code, message: 'm' } });
      await expect(call).rejects.toMatchObject({ code });
    }
  });
});

describe('batches', () => {
  const count = (id: number) => ({ jsonrpc: '2.0', id, method: 'count' });

  // requirement: jsonrpc:batch:array
  test('several calls can be sent as one array', async () => {
    const { peer, raw } = open();
    void peer.batch([{ method: 'a', params: [1] }, { method: 'b', notify: true }, { method: 'c' }]);
    const batch = await raw.next();
    expect(batch).toMatchObject([{ method: 'a', params: [1] }, { method: 'b' }, { method: 'c' }]);
    expect((batch as object[]).map((item) => 'id' in item)).toEqual([true, false, true]);
  });

  // requirement: jsonrpc:batch:answered-by-array
  // requirement: jsonrpc:batch:response-each
  test('a batch is answered with an array that has a response for each request', async () => {
    const { raw } = open();
    expect(await ask(raw, [count(1)])).toEqual([{ jsonrpc: '2.0', id: 1, result: 0 }]);
    const answers = await ask(raw, [
      count(1),
      { jsonrpc: '2.0', id: 2, method: 'unknown' },
      3,
      { jsonrpc: '2.0', id: 4, method: 'later' },
    ]);
    expect(answers).toHaveLength(4);
    expect(answers).toEqual(
      expect.arrayContaining([
        { jsonrpc: '2.0', id: 1, result: 0 },
        { jsonrpc: '2.0', id: 2, error: standardErrors.methodNotFound },
        invalidRequest(null),
        { jsonrpc: '2.0', id: 4, result: 'done' },
      ]),
    );
  });

  // requirement: jsonrpc:batch:after-all
  // requirement: jsonrpc:batch:processed-in-any-order
  test('the array comes when all calls are done, and they may be worked on at once', async () => {
    const { peer, raw } = open();
    const started: string[] = [];
    let finish: (value: string) => void = () => {};
    peer.handle('slow', () => {
      started.push('slow');
      return new Promise((resolve) => (finish = resolve));
    });
    peer.handle('fast', () => {
      started.push('fast');
      return 'fast';
    });
    raw.send([
      { jsonrpc: '2.0', id: 1, method: 'slow' },
      { jsonrpc: '2.0', id: 2, method: 'fast' },
    ]);
    // Nothing of the batch is sent before its last call is done; a later call overtakes it.
    expect(await ask(raw, count(3))).toMatchObject({ id: 3 });
    expect(started).toEqual(['slow', 'fast']);
    finish('slow');
    expect(await raw.next()).toEqual(
      expect.arrayContaining([
        { jsonrpc: '2.0', id: 1, result: 'slow' },
        { jsonrpc: '2.0', id: 2, result: 'fast' },
      ]),
    );
  });

  // requirement: jsonrpc:batch:responses-in-any-order
  // requirement: jsonrpc:batch:matched-by-id
  test('the responses of a batch are matched by id, in any order', async () => {
    const { peer, raw } = open();
    const outcomes = peer.batch([{ method: 'a' }, { method: 'b' }, { method: 'c' }]);
    const requests = (await raw.next()) as { id: number; method: string }[];
    const [a, b, c] = requests.map(({ id, method }) => ({ jsonrpc: '2.0', id, result: `to ${method}` }));
    raw.send([c, a, b]);
    expect(await outcomes).toEqual(['to a', 'to b', 'to c'].map((value) => ({ status: 'fulfilled', value })));
  });

  // requirement: jsonrpc:batch:one-response-when-broken
  test('a batch that is no JSON or empty is answered with one response', async () => {
    const { raw } = open();
    expect(await askText(raw, '[{"jsonrpc":"2.0","id":1,"method":"count"},')).toEqual(parseError);
    expect(await askText(raw, '[]')).toEqual(invalidRequest(null));
  });

  // requirement: jsonrpc:batch:never-empty
  test('an empty array is never sent, neither as an answer nor as a call', async () => {
    const { peer, raw } = open();
    const tell = { jsonrpc: '2.0', method: 'tell' };
    expect(await ask(raw, [tell, tell])).toBe(nothing);
    expect(await ask(raw, [{ jsonrpc: '2.0', id: 77, result: 'stray' }])).toBe(nothing);
    expect(await peer.batch([])).toEqual([]);
    expect(await ask(raw, count(1))).toMatchObject({ id: 1 });
    expect(raw.received.filter((message) => Array.isArray(message))).toEqual([]);
  });
});

describe('extensions', () => {
  // requirement: jsonrpc:extensions:optional
  test('an end without any is complete: it says that it does not know them', async () => {
    const { raw } = open();
    expect(await ask(raw, { jsonrpc: '2.0', id: 1, method: 'rpc.discover' })).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32601, message: 'Method not found' },
    });
  });
});

describe.each(framingNames)('the examples of the specification over %s', (framing) => {
  /** What is sent, and what comes back; undefined when nothing does. */
  const examples: readonly (readonly [title: string, sent: string, answer: string | undefined])[] = [
    [
      'by position',
      '{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}',
      '{"jsonrpc": "2.0", "result": 19, "id": 1}',
    ],
    [
      'by position, the other way round',
      '{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}',
      '{"jsonrpc": "2.0", "result": -19, "id": 2}',
    ],
    [
      'by name',
      '{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}',
      '{"jsonrpc": "2.0", "result": 19, "id": 3}',
    ],
    [
      'by name, the other way round',
      '{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}',
      '{"jsonrpc": "2.0", "result": 19, "id": 4}',
    ],
    ['a notification', '{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}', undefined],
    ['a notification without params', '{"jsonrpc": "2.0", "method": "foobar"}', undefined],
    [
      'an unknown method',
      '{"jsonrpc": "2.0", "method": "foobar", "id": "1"}',
      '{"jsonrpc": "2.0", "error": {"code": -32601, "message": "Method not found"}, "id": "1"}',
    ],
    [
      'invalid JSON',
      '{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]',
      '{"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}, "id": null}',
    ],
    [
      'an invalid request',
      '{"jsonrpc": "2.0", "method": 1, "params": "bar"}',
      '{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}',
    ],
    [
      'a batch of invalid JSON',
      '[ {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"}, {"jsonrpc": "2.0", "method" ]',
      '{"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}, "id": null}',
    ],
    [
      'an empty array',
      '[]',
      '{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}',
    ],
    [
      'a batch of one that is invalid',
      '[1]',
      '[ {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null} ]',
    ],
    [
      'a batch of several that are invalid',
      '[1,2,3]',
      `[ {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null},
         {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null},
         {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null} ]`,
    ],
    [
      'a batch of everything',
      `[ {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
         {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
         {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
         {"foo": "boo"},
         {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
         {"jsonrpc": "2.0", "method": "get_data", "id": "9"} ]`,
      `[ {"jsonrpc": "2.0", "result": 7, "id": "1"},
         {"jsonrpc": "2.0", "result": 19, "id": "2"},
         {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null},
         {"jsonrpc": "2.0", "error": {"code": -32601, "message": "Method not found"}, "id": "5"},
         {"jsonrpc": "2.0", "result": ["hello", 5], "id": "9"} ]`,
    ],
    [
      'a batch of notifications',
      `[ {"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},
         {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]} ]`,
      undefined,
    ],
  ];

  // requirement: jsonrpc:examples:positional
  // requirement: jsonrpc:examples:named
  // requirement: jsonrpc:examples:notification
  // requirement: jsonrpc:examples:unknown-method
  // requirement: jsonrpc:examples:invalid-json
  // requirement: jsonrpc:examples:invalid-request
  // requirement: jsonrpc:examples:batch-invalid-json
  // requirement: jsonrpc:examples:batch-empty
  // requirement: jsonrpc:examples:batch-of-one-invalid
  // requirement: jsonrpc:examples:batch-of-invalid
  // requirement: jsonrpc:examples:batch
  // requirement: jsonrpc:examples:batch-of-notifications
  test.each(examples)('%s', async (_, sent, answer) => {
    const { raw } = open({ framing });
    // A line break would be two messages over lines; to JSON it is a blank like any other.
    expect(await askText(raw, sent.replaceAll('\n', ' '))).toEqual(
      answer === undefined ? nothing : JSON.parse(answer),
    );
  });
});

const nothing = Symbol('nothing');

const parseError = { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } };

function invalidRequest(id: unknown): object {
  return { jsonrpc: '2.0', id, error: { code: -32600, message: 'Invalid Request' } };
}

function open({ framing = 'lines', ...options }: RawOptions & { framing?: 'lines' | 'length-prefix' } = {}): {
  peer: Peer;
  raw: RawEnd;
} {
  const ends = peerAndRawEnd(framing, options);
  onTestFinished(() => ends.peer.close({ pending: 'abort' }));
  serve(ends.peer);
  return ends;
}

function serve(peer: Peer): void {
  peer.handle('echo', (params) => params);
  peer.handle('count', (params) => (params === undefined ? 0 : Object.keys(params as object).length));
  peer.handle('later', async () => 'done');
  peer.handle('nothing', () => undefined);
  peer.handle('unsendable', () => 1n);
  peer.handle('fail', () => {
    throw new RpcError(7, 'failed');
  });
  peer.handle('fail later', async () => {
    throw new RpcError(7, 'failed');
  });
  peer.handle('subtract', (params) => {
    const { minuend, subtrahend } = Array.isArray(params)
      ? { minuend: params[0] as unknown, subtrahend: params[1] as unknown }
      : (params as { minuend?: unknown; subtrahend?: unknown });
    if (typeof minuend !== 'number' || typeof subtrahend !== 'number') {
      throw new RpcError(standardErrors.invalidParams.code, standardErrors.invalidParams.message);
    }
    return minuend - subtrahend;
  });
  peer.handle('sum', (params) => (params as number[]).reduce((sum, value) => sum + value, 0));
  peer.handle('get_data', () => ['hello', 5]);
}

function ask(raw: RawEnd, value: unknown): Promise<unknown> {
  return askText(raw, JSON.stringify(value));
}

/** The one answer to a body, or `nothing`: a second call behind it, whose answer is known, shows where its own would have been. */
async function askText(raw: RawEnd, body: string): Promise<unknown> {
  raw.sendText(body, '{"jsonrpc":"2.0","id":"behind","method":"later"}');
  const answers: unknown[] = [];
  for (;;) {
    const message = await raw.next();
    if (typeof message === 'object' && message !== null && 'id' in message && message.id === 'behind') break;
    answers.push(message);
  }
  if (answers.length > 1) throw new Error(`More than one answer to ${body}: ${JSON.stringify(answers)}`);
  return answers.length === 0 ? nothing : answers[0];
}

/** Every error that a peer answers with of its own accord. */
async function ownErrors(): Promise<{ errors: { code: number; message: string }[] }> {
  const errors: { code: number; message: string }[] = [];
  const note = (message: unknown) =>
    errors.push((message as { error: { code: number; message: string } }).error);
  const { peer, raw } = open({ receiveLimit: 200, maxHandling: 1 });
  peer.handle('hang', () => new Promise(() => {}));
  peer.handle('break', () => {
    throw new Error();
  });
  for (const text of [
    'no JSON',
    '{}',
    '{"jsonrpc":"2.0","id":1,"method":"unknown"}',
    '{"jsonrpc":"2.0","id":1,"method":"break"}',
    '{"jsonrpc":"2.0","id":1,"method":"unsendable"}',
    `{"jsonrpc":"2.0","id":1,"method":"echo","params":["${'x'.repeat(200)}"]}`,
  ]) {
    raw.sendText(text);
    note(await raw.next());
  }
  raw.sendText('{"jsonrpc":"2.0","id":1,"method":"hang"}', '{"jsonrpc":"2.0","id":2,"method":"echo"}');
  note(await raw.next());
  void peer.close();
  raw.sendText('{"jsonrpc":"2.0","id":3,"method":"echo"}');
  note(await raw.next());
  expect(errors).toHaveLength(8);
  return { errors };
}
