// Plugins of every dialect, and one in this process, are the same to the registry; what changes in them reaches those who listen.
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { definePlugin } from '../../src/definition/define-plugin.ts';
import type { DialectName, PluginSpec } from '../../src/definition/plugin-spec.ts';
import { createFleet } from '../../src/fleet/fleet.ts';
import { createRegistry, type Registry, type RegistryChange } from '../../src/fleet/registry/registry.ts';
import { createLauncher } from '../../src/fleet/supervisor/process-launcher.ts';
import { root } from '../support/project.ts';
import { discovery, openGate } from '../support/fleet/registry.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test(
  'one of each dialect and one in this process are exposed, called and gone',
  { timeout: 60_000 },
  async () => {
    const registry = open([
      spec('gassist', 'gassist/well-behaved.mjs'),
      spec('gevals', 'gevals/files.mjs'),
      spec('mcp', 'mcp/grows-a-tool.mjs'),
      spec('planner', 'planner/introduces-itself.mjs'),
      spec('yams', 'yams/well-behaved.mjs'),
    ]);
    registry.registerPlugin(
      definePlugin({ name: 'own', version: '1', tools: { year: { handler: () => ({ year: 2000 }) } } }),
    );
    await registry.discover();
    expect(await registry.exposeAll()).toEqual([]);
    const names = ['own', 'gassist', 'gevals', 'mcp', 'planner', 'yams'];
    expect(registry.listExposed()).toEqual(names);
    for (const name of names)
      expect(registry.getPlugin(name)).toMatchObject({ isExposed: true, failure: undefined });
    const declared = registry
      .getExposedDeclarations()
      .map(({ name }) => registry.getPluginForTool(name)?.name);
    expect(new Set(declared)).toEqual(new Set(names));
    const pids = names.flatMap((name) => registry.getPlugin(name)?.process?.status.pids ?? []);
    expect(pids).toHaveLength(5);
    expect(await registry.resolveTool('year')?.call({})).toMatchObject({ ok: true, data: { year: 2000 } });
    expect(await registry.resolveTool('grow')?.call({})).toMatchObject({ ok: true, text: 'grown' });
    await registry.unexposeAll();
    expect(registry.listExposed()).toEqual([]);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  },
);

test('tools that a server grows are told, and can be called', { timeout: 60_000 }, async () => {
  const registry = open([spec('mcp', 'mcp/grows-a-tool.mjs')]);
  await registry.discover();
  await registry.exposeAll();
  const grown = next(registry, ({ kind }) => kind === 'manifest-changed');
  await registry.getExposedExecutors().get('mcp__grow')?.({});
  expect(await grown).toEqual({ kind: 'manifest-changed', plugin: 'mcp' });
  expect(registry.getExposedDeclarations().map(({ name }) => name)).toEqual(['mcp__grow', 'mcp__grown-1']);
  expect(await registry.getExposedExecutors().get('mcp__grown-1')?.({})).toMatchObject({ ok: true });
});

function next(registry: Registry, wanted: (change: RegistryChange) => boolean): Promise<RegistryChange> {
  return new Promise((resolve) => {
    const end = registry.onChanged((change) => {
      if (!wanted(change)) return;
      end();
      resolve(change);
    });
  });
}

function spec(dialect: DialectName, file: string): PluginSpec {
  const program = path.join(root, 'test/plugins', file);
  return { name: dialect, dialect, start: { kind: 'program', command: process.execPath, args: [program] } };
}

function open(specs: readonly PluginSpec[]): Registry {
  const stateFolder = temporaryFolder();
  const launcher = createLauncher({ env: process.env, stateFolder, containment: 'group' });
  const fleet = createFleet({ launcher });
  const registry = createRegistry({
    fleet,
    env: process.env,
    stateFolder,
    discover: async () => discovery({ plugins: specs.map((spec) => ({ spec })) }),
  });
  registry.useGate(openGate(registry));
  onTestFinished(async () => {
    await registry.close();
    await fleet.close();
    await launcher.close();
  });
  return registry;
}
