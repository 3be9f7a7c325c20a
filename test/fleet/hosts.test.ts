// Hosts in processes of their own: one that is blocked kills nobody, one that only waits goes on waiting.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../support/project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('a host blocked for 5 s kills no plugin: no idle one, no busy one, none that starts, none that finishes a cancelled call', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    path.join(root, 'test/hosts/blocked-host.mjs'),
    path.join(root, 'test/plugins'),
    temporaryFolder(),
    '5000',
  ]);
  const told = JSON.parse(stdout) as Record<string, unknown>;
  expect(told).toMatchObject({ outcome: { ok: true, text: 'done' }, start: 'ready' });
  expect(told['states']).toEqual(
    ['yams', 'gassist', 'gevals', 'mcp', 'starting', 'cancelled'].map((name) => ({
      name,
      state: 'ready',
      restarts: 0,
    })),
  );
});

test('a host that has nothing to do but to wait for a restart waits for it', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    path.join(root, 'test/hosts/waits-for-a-restart.mjs'),
    path.join(root, 'test/plugins/fleet/does-as-told.mjs'),
    temporaryFolder(),
  ]);
  expect(stdout).toBe('the call was answered');
});
