import { expect, onTestFinished, test, vi } from 'vitest';
import { PluglotError } from '../base/error.ts';
import type { PluginSpec } from '../definition/plugin-spec.ts';
import type { Discovery, Found } from '../fleet/discovery/discover.ts';
import { createFleet } from '../fleet/fleet.ts';
import type { PluginStatus } from '../fleet/plugin/instances.ts';
import type { Launcher } from '../fleet/supervisor/launcher.ts';
import { createRegistry } from '../fleet/registry/registry.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { Lifecycle } from './lifecycle.ts';
import { Project } from './project.ts';

test('what is new or newly trusted comes into the fleet, what is gone leaves it unless it is used', async () => {
  const { fleet, project, files, look } = await open(found('dice'), found('notes', { trusted: false }));
  const names = () => fleet.plugins.map(({ name }) => name);
  expect(names()).toEqual(['dice']);

  files.plugins = [found('dice'), found('notes'), found('other')];
  expect((await look()).map(({ name }) => name)).toEqual(['notes', 'other']);

  files.plugins = [found('notes')];
  const status = vi.spyOn(fleet.plugin('dice'), 'status', 'get');
  for (const atWork of [{ running: 1 }, { waiting: 1 }, { isTalking: true }]) {
    status.mockReturnValue({ ...idle, ...atWork });
    await look();
    expect(names()).toEqual(['dice', 'notes']);
  }
  expect(project.changeOf(fleet.plugin('dice'))).toContain('not configured any more. `pluglot stop dice`');
  await expect(project.renew('dice')).rejects.toMatchObject({ code: 'UNKNOWN_PLUGIN' });
  status.mockReturnValue(idle);
  await look();
  expect(names()).toEqual(['notes']);
});

test('where a file cannot be read, nothing of it is gone', async () => {
  const { fleet, project, files, look } = await open(found('dice'));
  files.plugins = [];
  files.problems = [{ file: 'pluglot.json', severity: 'error', reason: 'no JSON', wayOut: 'Mend it.' }];
  await look();
  const plugin = fleet.plugin('dice');
  expect(project.changeOf(plugin)).toBe('Its configuration cannot be read: pluglot.json: no JSON. Mend it.');
  await expect(project.renew('dice')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});

test('what is configured otherwise is applied when that is asked for, and may be run', async () => {
  const { fleet, project, files, look } = await open(found('dice'));
  const before = fleet.plugin('dice');
  expect(await project.renew('dice')).toBe(false);

  files.plugins = [found('dice', { command: 'other', trusted: false })];
  await look();
  expect(project.changeOf(before)).toMatch(/^It is not started again: .*trust add/);
  await expect(project.renew('dice')).rejects.toMatchObject({ code: 'NOT_TRUSTED' });
  expect(fleet.plugin('dice')).toBe(before);

  files.plugins = [found('dice', { command: 'other' })];
  await look();
  expect(fleet.plugin('dice')).toBe(before);
  expect(project.changeOf(before)).toContain('`pluglot restart dice` applies that');
  expect(await project.renew('dice')).toBe(true);
  expect(fleet.plugin('dice').spec.start).toMatchObject({ command: 'other' });
  expect(project.changeOf(fleet.plugin('dice'))).toBeUndefined();
});

test('who is asked what it has is not tried anew once it has failed', async () => {
  const { lifecycle, starts } = await open(found('dice'));
  await lifecycle.look();
  await expect(lifecycle.start('dice')).rejects.toThrow('no such program');
  const { length } = starts;
  for (let round = 0; round < 3; round += 1)
    await expect(lifecycle.ask('dice')).rejects.toMatchObject({ code: 'PROGRAM_NOT_FOUND' });
  expect(starts).toHaveLength(length);
});

const idle: PluginStatus = {
  state: 'ready',
  since: 0,
  restarts: 0,
  pids: [],
  running: 0,
  waiting: 0,
  isTalking: false,
};

interface Changes {
  readonly command?: string;
  readonly trusted?: boolean;
}

function found(name: string, { command = name, trusted = true }: Changes = {}): Found {
  const spec: PluginSpec = {
    name,
    dialect: 'mcp',
    start: { kind: 'program', command },
    restart: { max: 0 },
  };
  return {
    spec,
    origin: { file: 'pluglot.json' } as Found['origin'],
    trust: trusted
      ? { trusted: true }
      : { trusted: false, reason: 'nobody has', wayOut: 'pluglot trust add .' },
  };
}

async function open(...plugins: Found[]) {
  const files: { plugins: Found[]; problems: Discovery['problems'] } = { plugins, problems: [] };
  const starts: string[] = [];
  // What is asked here needs no more of it.
  const launcher = {
    launch(spec: PluginSpec) {
      starts.push(spec.name);
      return Promise.reject(new PluglotError('PROGRAM_NOT_FOUND', 'no such program'));
    },
    close: () => Promise.resolve(),
  } as unknown as Launcher;
  const fleet = createFleet({ launcher });
  onTestFinished(() => fleet.close());
  const checks = new Map<string, Discovery['checkAgain']>();
  const read = (): Discovery => ({
    ...files,
    modules: [],
    names: files.plugins.map(({ spec }) => spec.name),
    checkAgain: () => Promise.resolve({ trusted: true } as const),
  });
  const registry = createRegistry({
    fleet,
    env: {},
    stateFolder: temporaryFolder(),
    discover: () => Promise.resolve(read()),
  });
  const project = new Project({ fleet, checks });
  const look = () => project.sync(read());
  const lifecycle = new Lifecycle({
    fleet,
    registry,
    project,
    found: read,
    reloadGate: () => Promise.resolve(),
    followsFiles: true,
  });
  await look();
  return { fleet, files, starts, project, look, lifecycle };
}
