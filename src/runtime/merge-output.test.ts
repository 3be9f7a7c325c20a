import fc from 'fast-check';
import { expect, test } from 'vitest';
import { outputLimits, type OutputOptions } from '../gate/output/output-limits.ts';
import { mergeOutput } from './merge-output.ts';

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
