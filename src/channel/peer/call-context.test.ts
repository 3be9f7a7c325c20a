import { expect, test } from 'vitest';
import { CallContext } from './call-context.ts';

test('the signal fires with the reason when the call is aborted', () => {
  const context = new CallContext(1, 'work', () => {});
  const { signal } = context;
  expect(signal.aborted).toBe(false);
  const reason = new Error('given up');
  context.abort(reason);
  expect(signal.aborted).toBe(true);
  expect(signal.reason).toBe(reason);
});

test('a signal that is asked for after the abort has fired already', () => {
  const context = new CallContext(1, 'work', () => {});
  const reason = new Error('given up');
  context.abort(reason);
  context.abort(new Error('again'));
  expect(context.signal.aborted).toBe(true);
  expect(context.signal.reason).toBe(reason);
});

test('it is the same signal each time', () => {
  const context = new CallContext('a', 'work', () => {});
  expect(context.signal).toBe(context.signal);
});

test('the first answer counts', () => {
  const answers: unknown[] = [];
  const context = new CallContext(1, 'work', (response) => answers.push(response));
  context.respond('early');
  context.respond('again');
  context.waiveResponse();
  expect(answers).toEqual([{ kind: 'success', id: 1, result: 'early' }]);
});
