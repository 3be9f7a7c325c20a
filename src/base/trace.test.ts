import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextTrace, traceIdOf, traceOf } from './trace.ts';

const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

test('a traceparent is taken as it is, with its state', () => {
  expect(traceOf(parent)).toEqual({ traceparent: parent });
  expect(traceOf(parent, 'a=1,b=2')).toEqual({ traceparent: parent, tracestate: 'a=1,b=2' });
  expect(traceOf(parent, 'a=1\r\nx: y')).toEqual({ traceparent: parent });
  expect(traceOf(parent, 'x'.repeat(513))).toEqual({ traceparent: parent });
});

test.each([
  undefined,
  7,
  '',
  parent.toUpperCase(),
  `${parent}-more`,
  `ff${parent.slice(2)}`,
  `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
  `00-4bf92f3577b34da6a3ce929d0e0e4736-${'0'.repeat(16)}-01`,
])('%j is none', (given) => expect(traceOf(given)).toBeUndefined());

test('the next step keeps the trace, its flags and its state', () => {
  const next = nextTrace({ traceparent: parent, tracestate: 'a=1' });
  expect(traceIdOf(next)).toBe('4bf92f3577b34da6a3ce929d0e0e4736');
  expect(next.traceparent).toMatch(/-01$/);
  expect(next.traceparent).not.toBe(parent);
  expect(next.tracestate).toBe('a=1');
});

test('those of its own are valid, and no two are the same', () => {
  const made = Array.from({ length: 1000 }, () => nextTrace());
  expect(made.every(({ traceparent }) => traceOf(traceparent) !== undefined)).toBe(true);
  expect(new Set(made.map(traceIdOf)).size).toBe(1000);
});

test('any text is read without harm', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      const trace = traceOf(one, other);
      expect(trace === undefined || trace.traceparent === one).toBe(true);
      expect(traceOf(nextTrace({ traceparent: one }).traceparent)).toBeDefined();
    }),
  );
});
