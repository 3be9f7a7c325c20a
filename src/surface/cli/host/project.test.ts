import { expect, onTestFinished, test } from 'vitest';
import { PluglotError } from '../../../base/error.ts';
import type { PluginSpec } from '../../../definition/plugin-spec.ts';
import type { Discovery, Found } from '../../../fleet/discovery/discover.ts';
import { createFleet } from '../../../fleet/fleet.ts';
import type { Launcher } from '../../../fleet/supervisor/launcher.ts';
import type { Gated } from './gated.ts';
import { inProcessPlugins } from './in-process.ts';
import { ownHost } from './own-host.ts';
import { openProject } from './project.ts';

test('what is new or newly trusted comes into the fleet, what is gone leaves it unless it is used', async () => {
  const { fleet, project, files } = await open(found('dice'), found('notes', { trusted: false }));
  const names = () => fleet.plugins.map(({ name }) => name);
  expect(names()).toEqual(['dice']);

  files.plugins = [found('dice'), found('notes'), found('other')];
  expect((await project.look(() => false)).map(({ name }) => name)).toEqual(['notes', 'other']);

  files.plugins = [found('notes')];
  await project.look((name) => name === 'dice');
  expect(names()).toEqual(['dice', 'notes']);
  expect(project.changeOf(fleet.plugin('dice'))).toContain('not configured any more. `pluglot stop dice`');
  await expect(project.renew('dice')).rejects.toMatchObject({ code: 'UNKNOWN_PLUGIN' });
  await project.look(() => false);
  expect(names()).toEqual(['notes']);
});

test('where a file cannot be read, nothing of it is gone', async () => {
  const { fleet, project, files } = await open(found('dice'));
  files.plugins = [];
  files.problems = [{ file: 'pluglot.json', severity: 'error', reason: 'no JSON', wayOut: 'Mend it.' }];
  await project.look(() => false);
  const plugin = fleet.plugin('dice');
  expect(project.changeOf(plugin)).toBe(
    'What is configured for it cannot be read: pluglot.json: no JSON. Mend it.',
  );
  await expect(project.renew('dice')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});

test('what is configured otherwise is applied when that is asked for, and may be run', async () => {
  const { fleet, project, files } = await open(found('dice'));
  const before = fleet.plugin('dice');
  expect(await project.renew('dice')).toBe(false);

  files.plugins = [found('dice', { command: 'other', trusted: false })];
  await project.look(() => false);
  expect(project.changeOf(before)).toMatch(/^It is not started again: .*trust add/);
  await expect(project.renew('dice')).rejects.toMatchObject({ code: 'NOT_TRUSTED' });
  expect(fleet.plugin('dice')).toBe(before);

  files.plugins = [found('dice', { command: 'other' })];
  await project.look(() => false);
  expect(fleet.plugin('dice')).toBe(before);
  expect(project.changeOf(before)).toContain('`pluglot restart dice` applies that');
  expect(await project.renew('dice')).toBe(true);
  expect(fleet.plugin('dice').spec.start).toMatchObject({ command: 'other' });
  expect(project.changeOf(fleet.plugin('dice'))).toBeUndefined();
});

test('tools does not try anew what has failed', async () => {
  const { fleet, launcher, project, starts } = await open(found('dice'));
  const host = ownHost({
    fleet,
    launcher,
    gated: unused,
    inProcess: inProcessPlugins(unused, project),
    project,
    isLongLived: true,
  });
  await expect(host.start('dice')).rejects.toThrow('no such program');
  const { length } = starts;
  for (let round = 0; round < 3; round += 1)
    expect((await host.tools()).problems).toMatchObject([{ who: 'dice', code: 'PROGRAM_NOT_FOUND' }]);
  expect(starts).toHaveLength(length);
});

// Nothing is called here.
const unused = { isLoaded: () => false } as unknown as Gated;

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
  const read = () =>
    Promise.resolve({
      ...files,
      modules: [],
      names: [],
      checkAgain: () => Promise.resolve({ trusted: true } as const),
    });
  return { fleet, launcher, files, starts, project: await openProject({ fleet, checks: new Map(), read }) };
}
