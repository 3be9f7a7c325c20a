import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { StraightCalls, type StraightEnd } from './straight-calls.ts';

function straightCalls(send: (message: JSONRPCMessage) => Promise<void> = async () => {}) {
  const sent: JSONRPCMessage[] = [];
  const calls = new StraightCalls((message) => {
    sent.push(message);
    return send(message);
  });
  const ends: StraightEnd[] = [];
  const call = () => calls.call({ name: 'echo', arguments: {} }, (end) => void ends.push(end));
  return { calls, sent, ends, call };
}

test('a call has an id that the client of the package never has, and is answered once', () => {
  const { calls, sent, ends, call } = straightCalls();
  const [first, second] = [call(), call()];
  expect(sent).toEqual([
    { jsonrpc: '2.0', id: first, method: 'tools/call', params: { name: 'echo', arguments: {} } },
    { jsonrpc: '2.0', id: second, method: 'tools/call', params: { name: 'echo', arguments: {} } },
  ]);
  expect(Math.min(first, second)).toBeGreaterThanOrEqual(2 ** 30);
  calls.taken(second)?.({ result: { second: true } });
  expect(calls.taken(second)).toBeUndefined();
  calls.taken(String(first))?.({ result: { first: true } });
  expect(ends).toEqual([{ result: { second: true } }, { result: { first: true } }]);
});

test.each([1, '1', 'x', '', null, undefined, {}, 2 ** 30 - 1, '0x10'])('%j answers none of them', (id) => {
  const { calls, ends, call } = straightCalls();
  call();
  expect(calls.taken(id)).toBeUndefined();
  expect(ends).toEqual([]);
});

test('one that is given up is told to the server, and its answer is nobody’s', () => {
  const { calls, sent, ends, call } = straightCalls();
  const id = call();
  calls.giveUp(id, 'enough');
  calls.giveUp(id, 'enough');
  expect(sent.slice(1)).toEqual([
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason: 'enough' } },
  ]);
  expect(calls.taken(id)).toBeUndefined();
  expect(ends).toEqual([]);
});

test('one that cannot be sent fails, and all fail with the end of the pipe', async () => {
  const refusal = new Error('the pipe is full');
  const { calls, ends, call } = straightCalls(async () => {
    throw refusal;
  });
  call();
  await expect.poll(() => ends).toEqual([{ error: refusal }]);
  const over = new Error('over');
  const { calls: others, ends: told, call: make } = straightCalls();
  make();
  make();
  others.end(over);
  others.end(over);
  expect(told).toEqual([{ error: over }, { error: over }]);
  calls.end(over);
  expect(ends).toHaveLength(1);
});
