// What a definition says of its tools crosses the wire, and counts only where the owner of the host says so.
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createFleet } from '../../src/fleet/fleet.ts';
import { createRegistry } from '../../src/fleet/registry/registry.ts';
import { createLauncher } from '../../src/fleet/supervisor/process-launcher.ts';
import { root } from '../support/project.ts';
import { discovery } from '../support/fleet/registry.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const source = `
  import { definePlugin, serve } from 'pluglot/sdk';
  await serve(definePlugin({
    name: 'files',
    version: '1.0.0',
    tools: { read: { handler: () => 1 }, remove: { handler: () => 1 } },
    autoApprove: ['read'],
  }));
`;

test.for(['mcp', 'yams'] as const)(
  '%s: the word of a process that is believed',
  { timeout: 60_000 },
  async (dialect) => {
    const folder = temporaryFolder({ 'plugin.mjs': source, 'node_modules/.keep': '' });
    fs.symlinkSync(root, path.join(folder, 'node_modules/pluglot'));
    const launcher = createLauncher({ env: process.env, stateFolder: folder, containment: 'group' });
    const fleet = createFleet({ launcher });
    const start = {
      kind: 'program',
      command: process.execPath,
      args: [path.join(folder, 'plugin.mjs')],
    } as const;
    const registry = createRegistry({
      fleet,
      env: process.env,
      stateFolder: folder,
      discover: async () =>
        discovery({ plugins: ['believed', 'other'].map((name) => ({ spec: { name, dialect, start } })) }),
      trustsAutoApprove: (plugin) => plugin === 'believed',
    });
    onTestFinished(async () => {
      await registry.close();
      await fleet.close();
      await launcher.close();
    });
    await registry.discover();
    expect(await registry.exposeAll()).toEqual([]);
    expect(registry.getAutoApprovedTools()).toEqual(['believed__read']);
    expect(registry.resolveTool('believed__read')?.isAutoApproved).toBe(true);
    expect(registry.resolveTool('believed__remove')?.isAutoApproved).toBe(false);
    expect(registry.resolveTool('other__read')?.isAutoApproved).toBe(false);
  },
);
