// A cloned project that would like to run something: nothing of it is executed before it is trusted, and nothing that changed since.
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createFleet } from '../../src/fleet/fleet.ts';
import { discover } from '../../src/fleet/discovery/discover.ts';
import { createRegistry } from '../../src/fleet/registry/registry.ts';
import { createLauncher } from '../../src/fleet/supervisor/process-launcher.ts';
import { command } from '../support/surface/in-process-cli.ts';
import { openGate } from '../support/fleet/registry.ts';
import { program, temporaryFolder, writeFiles } from '../support/temporary-folder.ts';

/** Each leaves a mark wherever it is executed. */
const marking = (at: string, name: string) => `
  import fs from 'node:fs';
  fs.appendFileSync(${JSON.stringify(path.join(at, 'marks'))}, ${JSON.stringify(`${name}\n`)});
  export function createPlugin() {
    return { name: ${JSON.stringify(name)}, getFunctionDeclarations: () => [], getExecutors: () => ({}) };
  }
`;

test('nothing runs before trust, and nothing that changed after it', { timeout: 60_000 }, async () => {
  const at = temporaryFolder({ 'home/.keep': '', 'project/.keep': '' });
  writeFiles(at, {
    'project/package.json': { dependencies: { evil: '1', transitive: '1' } },
    'project/plugins/evil.mjs': marking(at, 'file'),
    'project/plugins/program': program(`#!/bin/sh\necho program >> ${at}/marks\n`),
    'project/node_modules/evil/package.json': {
      type: 'module',
      pluglot: { plugins: { packaged: './plugin.js', started: { process: true, file: './start.js' } } },
    },
    'project/node_modules/evil/plugin.js': marking(at, 'package'),
    'project/node_modules/evil/start.js': marking(at, 'started'),
    'project/node_modules/evil/node_modules/deep/package.json': {
      pluglot: { plugins: { deep: './plugin.js' } },
    },
    'project/node_modules/evil/node_modules/deep/plugin.js': marking(at, 'deep'),
    'project/pluglot.json': {
      folders: ['plugins'],
      plugins: { configured: { command: './plugins/program' }, evil: { config: { loosened: true } } },
    },
    'project/.mcp.json': { mcpServers: { server: { command: path.join(at, 'project/plugins/program') } } },
  });
  const { registry, marks } = open(at);
  const all = ['configured', 'evil', 'packaged', 'program', 'server', 'started'];

  expect(await registry.discover()).toEqual([]);
  expect(registry.problems.flatMap(({ plugin }) => plugin ?? []).sort()).toEqual(all);
  for (const name of all)
    await expect(registry.exposeTool(name)).rejects.toMatchObject({ code: 'NOT_TRUSTED' });
  const refused = await registry.exposeAll();
  expect(refused.map(({ plugin }) => plugin).sort()).toEqual(all);
  for (const { error } of refused) expect(error).toMatchObject({ code: 'NOT_TRUSTED' });
  expect(marks()).toEqual([]);

  const trusted = await command(['trust', 'add', '.'], {
    cwd: path.join(at, 'project'),
    home: path.join(at, 'home'),
  });
  expect(trusted).toMatchObject({ exitCode: 0, stderr: '' });
  expect(trusted.stdout).toContain('These modules may be loaded into the host now:');
  expect([...(await registry.discover())].sort()).toEqual(all);
  // To look at them was all.
  expect(marks()).toEqual([]);

  // Changed between the look and the load, then before another look.
  writeFiles(at, { 'project/plugins/evil.mjs': `${marking(at, 'changed file')}\n` });
  await expect(registry.exposeTool('evil')).rejects.toMatchObject({
    code: 'NOT_TRUSTED',
    message: expect.stringContaining('has changed since') as unknown,
  });
  expect(await registry.discover()).not.toContain('evil');
  writeFiles(at, { 'project/package.json': { dependencies: { evil: '2' } } });
  // What a package brings is decided by the package.json that was read and trusted; another one counts from the next look on.
  expect([...(await registry.discover())].sort()).toEqual(['configured', 'program', 'server']);
  await expect(registry.exposeTool('packaged')).rejects.toMatchObject({ code: 'NOT_TRUSTED' });
  await expect(registry.exposeTool('started')).rejects.toMatchObject({ code: 'NOT_TRUSTED' });
  expect(marks()).toEqual([]);
});

test(
  'what is trusted is loaded as it is then, also when it was loaded before',
  { timeout: 60_000 },
  async () => {
    const at = temporaryFolder({ 'home/.keep': '', 'project/.keep': '' });
    const project = path.join(at, 'project');
    const { registry, marks } = open(at);
    for (const text of ['first', 'second']) {
      writeFiles(at, { 'project/plugins/own.mjs': marking(at, text) });
      await command(['trust', 'add', 'plugins/own.mjs'], { cwd: project, home: path.join(at, 'home') });
      await registry.discover();
      await registry.exposeTool('own');
      await registry.unexposeTool('own');
    }
    expect(marks()).toEqual(['first', 'second']);
  },
);

function open(at: string) {
  const stateFolder = path.join(at, 'state');
  const launcher = createLauncher({ env: process.env, stateFolder, containment: 'group' });
  const fleet = createFleet({ launcher });
  const env = { PLUGLOT_HOME: path.join(at, 'home/pluglot') };
  const registry = createRegistry({
    fleet,
    env,
    stateFolder,
    discover: ({ folders, packages }) =>
      discover({ cwd: path.join(at, 'project'), home: path.join(at, 'home'), env, files: folders, packages }),
  });
  registry.useGate(openGate(registry));
  onTestFinished(async () => {
    await registry.close();
    await fleet.close();
    await launcher.close();
  });
  const marks = () => {
    const file = path.join(at, 'marks');
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n') : [];
  };
  return { registry, marks };
}
