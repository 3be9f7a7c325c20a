import { expect, test } from 'vitest';
import { WireMarks, type KeysIn } from './wire-marks.ts';

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const call = { id: 'c-1', trace: { traceparent } };
const mark = { call: 'c-1', trace: '4bf92f3577b34da6a3ce929d0e0e4736' };
const keysIn: KeysIn = (params) => {
  const { task, stream } = (params ?? {}) as { task?: number; stream?: string };
  return [
    ...(task === undefined ? [] : [`id:${task}`]),
    ...(stream === undefined ? [] : [`stream:${stream}`]),
  ];
};

test('what is sent for a call, its answer, and what refers to either have its mark', () => {
  const marks = new WireMarks();
  const of = (...[direction, message, sending]: Parameters<WireMarks['of']>) =>
    marks.of(direction, message, sending, keysIn);
  expect(
    of('sent', { kind: 'request', id: 1, method: 'hello', params: undefined }, undefined),
  ).toBeUndefined();
  expect(of('sent', { kind: 'request', id: 2, method: 'run', params: {} }, call)).toEqual(mark);
  expect(of('received', { kind: 'success', id: 1, result: 0 }, undefined)).toBeUndefined();
  const notified = (params: object) =>
    of('received', { kind: 'notification', method: 'news', params }, undefined);
  expect(notified({ task: 2, stream: 'a' })).toEqual(mark);
  expect(notified({ stream: 'a' })).toEqual(mark);
  expect(notified({ stream: 'b' })).toBeUndefined();
  // The other side counts its own.
  expect(of('received', { kind: 'request', id: 2, method: 'ask', params: {} }, undefined)).toBeUndefined();
  expect(of('sent', { kind: 'success', id: 2, result: 0 }, undefined)).toBeUndefined();
  expect(of('received', { kind: 'success', id: 2, result: 0 }, undefined)).toEqual(mark);
});

test('of calls without end only the last are known', () => {
  const marks = new WireMarks();
  for (let id = 0; id < 20_001; id += 1)
    marks.of('sent', { kind: 'request', id, method: 'run', params: {} }, { id: `c-${id}`, trace: undefined });
  const answered = (id: number) => marks.of('received', { kind: 'success', id, result: 0 }, undefined);
  expect(answered(9999)).toBeUndefined();
  expect(answered(10_000)).toEqual({ call: 'c-10000' });
});
