import { expect, test } from 'vitest';
import type { Launcher } from '../supervisor/launcher.ts';
import { trustingLauncher } from './trusting-launcher.ts';
import type { Trust } from './trust-store.ts';

test('each start is asked for, and one that is not trusted any more does not happen', async () => {
  const launched: unknown[] = [];
  const inner: Partial<Launcher> = {
    launch: (spec, options) => {
      launched.push([spec.name, options?.pinned]);
      return Promise.reject(new Error('launched'));
    },
  };
  const pinned = [{ file: '/x', sha256: '0' }];
  let trust: Trust | undefined = { trusted: true, pinned };
  // Nothing else of it is used.
  const launcher = trustingLauncher(inner as Launcher, () => Promise.resolve(trust));
  const spec = { name: 'x', start: { kind: 'program', command: 'x' } } as const;
  await expect(launcher.launch(spec)).rejects.toThrow('launched');
  trust = undefined;
  await expect(launcher.launch(spec)).rejects.toThrow('launched');
  trust = { trusted: false, reason: '"x" has changed', wayOut: 'Read it.' };
  await expect(launcher.launch(spec)).rejects.toMatchObject({
    code: 'NOT_TRUSTED',
    message: 'Plugin "x" may not be run: "x" has changed. Read it.',
  });
  expect(launched).toEqual([
    ['x', pinned],
    ['x', undefined],
  ]);
});
