import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limitsOf, type GateLimits, type LimitTable } from '../gate/limits/limit-options.ts';
import { outputLimits, type OutputOptions } from '../gate/output/bounded-answer.ts';
import { mergeLimits, mergeOutput } from './gate-limits.ts';

test('a file that counts replaces what it names and leaves the rest', () => {
  const merged = mergeLimits(
    { perMinute: { tool: 10, tools: { a: 1 } }, waiting: { ms: 5 } },
    { perMinute: { tool: 100, tools: { b: 2 } }, budget: { callers: { model: 7 } } },
  );
  expect(merged).toEqual({
    perMinute: { tool: 100, tools: { a: 1, b: 2 } },
    budget: { callers: { model: 7 } },
    waiting: { ms: 5 },
  });
});

test('a file that nobody trusts lowers, and sets where nothing was', () => {
  const merged = mergeLimits(
    { perMinute: { tool: 10, caller: 50, callers: { client: 5 } }, waiting: { ms: 5 } },
    {
      perMinute: { tool: 100, plugin: 3, tools: { a: 1000, b: 1 }, callers: { 'client:x': 9, model: 60 } },
      waiting: { ms: 100, all: 2 },
    },
    'tighter',
  );
  expect(merged).toEqual({
    perMinute: {
      tool: 10,
      plugin: 3,
      caller: 50,
      tools: { a: 10, b: 1 },
      callers: { client: 5, 'client:x': 5, model: 50 },
    },
    waiting: { ms: 5, all: 2, caller: 250 },
  });
});

test('whatever a file that nobody trusts says, no call has a higher limit than before', () => {
  const name = fc.constantFrom(
    'a',
    'b',
    'model',
    'client',
    'client:x',
    'profile:p',
    '__proto__',
    'constructor',
  );
  const number = fc.nat(20);
  const table = fc.record(
    {
      all: number,
      tool: number,
      plugin: number,
      caller: number,
      session: number,
      tools: fc.dictionary(name, number),
      plugins: fc.dictionary(name, number),
      callers: fc.dictionary(name, number),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(table, table, name, name, (before, hostile, tool, plugin) => {
      const base: GateLimits = { perMinute: before };
      const { perMinute = {} } = mergeLimits(base, { perMinute: hostile }, 'tighter');
      const client = { kind: 'client', name: 'x' } as const;
      const callers = [
        { caller: { kind: 'model' } },
        { caller: client },
        { caller: { ...client, profile: 'p', connection: '1' } },
      ] as const;
      for (const whose of callers) {
        const place = { tool, plugin, ...whose };
        const limits = (of: LimitTable) =>
          new Map(limitsOf('x', of)(place).map((one) => [one.key, one.limit]));
        const after = limits(perMinute);
        for (const [key, limit] of limits(before)) expect(after.get(key)).toBeLessThanOrEqual(limit);
      }
    }),
  );
});

test('a file that counts replaces what it names', () => {
  expect(
    mergeOutput({ dataBytes: 1, tools: { a: { dataBytes: 2 } } }, { dataBytes: 9, tools: { b: {} } }),
  ).toEqual({ dataBytes: 9, tools: { a: { dataBytes: 2 }, b: {} } });
  expect(mergeOutput({}, {})).toEqual({});
});

test('a file that nobody trusts can lower, and cannot say whom it holds for', () => {
  const hostile = { textCharacters: 10, dataBytes: 1e9, callers: [], checkSchema: false };
  expect(mergeOutput({}, hostile, 'tighter')).toEqual({
    textCharacters: 10,
    dataBytes: 256 * 1024,
    callers: ['model', 'job', 'client'],
  });
});

test('whatever it says, nobody gets more than before', () => {
  const limits = fc.record({ textCharacters: fc.nat(9), dataBytes: fc.nat(9) }, { requiredKeys: [] });
  const name = fc.constantFrom('a', 'b', '__proto__', 'constructor');
  const options: fc.Arbitrary<OutputOptions> = fc
    .tuple(limits, fc.dictionary(name, limits), fc.subarray(['user', 'model', 'client'] as const))
    .map(([all, tools, callers]) => ({ ...all, tools, callers }));
  fc.assert(
    fc.property(options, options, name, (before, hostile, tool) => {
      const after = outputLimits(mergeOutput(before, hostile, 'tighter'));
      for (const kind of ['user', 'model', 'client'] as const) {
        const had = outputLimits(before)(tool, { kind });
        const has = after(tool, { kind });
        expect(has.textCharacters).toBeLessThanOrEqual(had.textCharacters);
        expect(has.dataBytes).toBeLessThanOrEqual(had.dataBytes);
      }
    }),
  );
});
