import fs from 'node:fs';
import { expect, test } from 'vitest';
import { dialectNames } from '../definition/plugin-spec.ts';
import type { Discovery } from '../fleet/discovery/discover.ts';
import { bundledPlugins } from './bundled.ts';

const nothing: Discovery = {
  plugins: [],
  modules: [],
  names: [],
  problems: [],
  checkAgain: () => Promise.resolve(undefined),
};

test('there is one of each dialect, each of them a file that is published', async () => {
  const { beside, allowed } = bundledPlugins({ node: 'node', python: 'python3' });
  const { plugins, names, checkAgain } = beside(nothing);
  expect(new Set(plugins.map(({ spec }) => spec.dialect))).toEqual(new Set(dialectNames));
  // Our own file.
  const { files } = JSON.parse(fs.readFileSync('package.json', 'utf8')) as { files: string[] };
  for (const { spec, origin } of plugins) {
    expect(fs.existsSync(origin.file), origin.file).toBe(true);
    expect(
      files.some((folder) => origin.file.includes(`/${folder}/`)),
      origin.file,
    ).toBe(true);
    expect(await checkAgain(spec.name)).toEqual({ trusted: true });
  }
  expect(allowed().every((tool) => names.some((name) => tool.startsWith(`${name}__`)))).toBe(true);
  expect(allowed()).not.toContain('workspace__write');
});

test('what somebody has configured under a name keeps it, and none of its tools is allowed for that', async () => {
  const { beside, allowed } = bundledPlugins({ node: 'node' });
  beside(nothing);
  const before = allowed();
  expect(before).toContain('dice__roll');
  expect(before).not.toContain('clock__now');
  beside(nothing);
  expect(allowed()).toBe(before);
  const { names, checkAgain } = beside({ ...nothing, names: ['dice'] });
  expect(names.filter((name) => name === 'dice')).toHaveLength(1);
  expect(await checkAgain('dice')).toBeUndefined();
  expect(allowed()).not.toContain('dice__roll');
});
