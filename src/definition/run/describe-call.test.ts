import { expect, test } from 'vitest';
import { running } from '../../../test/support/definition/running-definition.ts';
import { shown } from '../../base/text.ts';
import { definePlugin } from '../define-plugin.ts';
import type { Describe } from '../definition.ts';
import type { JsonObject } from '../../base/json.ts';

const input = {
  type: 'object',
  properties: { file: { type: 'string' }, force: { type: 'boolean', default: false } },
  required: ['file'],
} as const;

test('it is told with checked arguments, defaults included, and is text alone', async () => {
  const seen: unknown[] = [];
  const { backend } = describing((args) => {
    seen.push(args);
    return { summary: `Removes ${shown(args['file'])}`, details: '', diff: '-a', extra: 1 };
  });
  expect(await backend.describe?.('remove', { file: 'a.txt' })).toEqual({
    summary: 'Removes "a.txt"',
    diff: '-a',
  });
  expect(seen).toEqual([{ file: 'a.txt', force: false }]);
});

const silent: readonly (readonly [string, JsonObject, Describe<JsonObject>])[] = [
  ['arguments that do not fit', { file: 1 }, () => ({ summary: 'x' })],
  ['nothing', { file: 'a' }, () => undefined],
  // Authors write JavaScript too.
  ['no texts', { file: 'a' }, () => ({ summary: 3 as unknown as string })],
];

test.for(silent)('%s: nothing is told, and nobody complains', async ([, args, describe]) => {
  const { backend, logged } = describing(describe);
  expect(await backend.describe?.('remove', args)).toBeUndefined();
  expect(await backend.describe?.('unknown', args)).toBeUndefined();
  expect(logged).toEqual([]);
});

test('one that throws, or takes too long, is left out with a word in the log', async () => {
  const failing = describing(() => {
    throw new Error('no way');
  });
  expect(await failing.backend.describe?.('remove', { file: 'a' })).toBeUndefined();
  const hanging = describing(() => new Promise(() => {}));
  const told = hanging.backend.describe?.('remove', { file: 'a' });
  // Its arguments are checked first.
  await new Promise(setImmediate);
  hanging.clock.advance(2000);
  expect(await told).toBeUndefined();
  expect([...failing.logged, ...hanging.logged].map(({ message }) => message)).toEqual([
    'The description of a call by tool "remove" of plugin "files" was left out: no way.',
    'The description of a call by tool "remove" of plugin "files" was left out: it took longer than 2000 ms.',
  ]);
});

test('it cannot change the arguments, and says no more than somebody can read', async () => {
  const { backend } = describing((args) => {
    Object.assign(args, { file: 'other' });
    return { summary: 'x'.repeat(2000) };
  });
  const args = { file: 'mine' };
  const told = await backend.describe?.('remove', args);
  expect(args).toEqual({ file: 'mine' });
  expect(told?.summary).toMatch(/^x{1000}… \(1000 characters more\)$/);
});

function describing(describe: Describe<JsonObject>) {
  return running(
    definePlugin({
      name: 'files',
      version: '1.0.0',
      tools: { remove: { input, handler: () => 'gone', describe } },
    }),
  );
}
