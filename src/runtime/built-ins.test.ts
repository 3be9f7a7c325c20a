import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { toolsFor } from '../model/schemas/tools-for.ts';
import { builtInNames } from './built-in-names.ts';
import { createRuntime } from './create-runtime.ts';

test('the names that are known before anything is loaded are those of all that there are', async () => {
  const home = temporaryFolder();
  const env = { PATH: process.env['PATH'], PLUGLOT_HOME: path.join(home, 'pluglot') };
  const runtime = await createRuntime({ cwd: temporaryFolder(), home, env });
  onTestFinished(() => runtime.close());
  expect(await runtime.registry.discover()).toEqual(builtInNames);
  expect(await runtime.registry.exposeAll()).toEqual([]);
  expect(runtime.registry.listExposed()).toEqual(builtInNames);
});

test.each<[string, boolean, Readonly<Record<string, object>>]>([
  ['nobody says it', false, {}],
  ['the user says so', true, { 'home/pluglot/pluglot.json': { plugins: { cli: { clients: true } } } }],
  [
    'a project that nobody trusts says so',
    false,
    { 'project/pluglot.json': { plugins: { cli: { clients: true } } } },
  ],
])('commands are run for clients where the owner wants it: %s', async (_, isOffered, files) => {
  const folder = temporaryFolder({ 'project/.keep': '', 'home/.keep': '', ...files });
  const home = path.join(folder, 'home');
  const env = { PATH: process.env['PATH'], PLUGLOT_HOME: path.join(home, 'pluglot') };
  const runtime = await createRuntime({ cwd: path.join(folder, 'project'), home, env });
  onTestFinished(() => runtime.close());
  await runtime.registry.discover();
  expect(await runtime.registry.exposeAll()).toEqual([]);
  const client = { caller: { kind: 'client' } } as const;
  const offered = (await runtime.tools(client)).map(({ name }) => name);
  expect(offered.includes('cli__cli_based_tool')).toBe(isOffered);
  expect(offered).toContain('todo__createPlan');
  const all = await runtime.tools();
  expect(all.filter(({ clients }) => clients).map(({ name }) => name)).toEqual(offered);
  const verdict = await runtime.gate.check('cli_based_tool', { command: 'ls' }, { kind: 'client' });
  expect(verdict.kind === 'deny' && verdict.method === 'not-offered').toBe(!isOffered);
});

test('nobody but the owner is shown or runs commands that change rules or configuration', async () => {
  const home = temporaryFolder();
  const env = { PATH: process.env['PATH'], PLUGLOT_HOME: path.join(home, 'pluglot') };
  const approver = { ask: () => Promise.resolve({ kind: 'allow', scope: 'session', by: 'test' } as const) };
  const runtime = await createRuntime({ cwd: temporaryFolder(), home, env, approver });
  onTestFinished(() => runtime.close());
  await runtime.registry.discover();
  await runtime.registry.exposeAll();
  const names = async (kind: 'user' | 'client' | 'model') =>
    (await runtime.commands({ caller: { kind } })).map(({ name }) => name);
  expect(await names('user')).toEqual(
    expect.arrayContaining(['permission__permissions', 'mcp__mcp', 'todo__plan']),
  );
  const declared = toolsFor('anthropic', runtime.registry.getExposedDeclarations()).tools;
  for (const command of ['permissions', 'mcp']) {
    expect(declared.map(({ name }) => name)).not.toContain(command);
    expect(runtime.registry.getExposedExecutors().has(command)).toBe(false);
    for (const kind of ['client', 'model', 'job'] as const) {
      const caller = { kind };
      expect(await runtime.run(command, {}, { caller })).toMatchObject({
        ok: false,
        error: { code: 'PERMISSION_DENIED', reason: 'not-offered' },
      });
      // Nor as a tool, under whatever name.
      for (const name of [command, `${command === 'mcp' ? 'mcp' : 'permission'}__${command}`])
        expect(await runtime.call(name, {}, { caller })).toMatchObject({
          ok: false,
          error: { code: 'UNKNOWN_TOOL' },
        });
      await expect(runtime.command(command, { caller })).rejects.toThrow('offered');
      await expect(runtime.complete(command, 'action', '', { caller })).rejects.toThrow('offered');
    }
  }
  expect(await names('client')).not.toContain('permission__permissions');
  expect(await names('model')).toEqual(await names('client'));
  expect(await runtime.run('permissions', {}, { caller: { kind: 'user' } })).toMatchObject({ ok: true });
});
