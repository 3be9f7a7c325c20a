import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import type { PluginSpec, ProgramSpec } from '../../definition/plugin-spec.ts';
import type { Introduction } from './introductions.ts';
import { keptIntroductions } from './kept-introductions.ts';

const introduction: Introduction = {
  manifest: { name: 'dice', version: '1.0.0', dialect: 'mcp', tools: [{ name: 'roll' }], raw: { a: [1] } },
  abilities: { talks: false, plans: false, executes: false, keepsContext: false },
  takesUnlistedTools: true,
};

function specIn(cwd: string, more: Partial<ProgramSpec> = {}): PluginSpec {
  return { name: 'dice', start: { kind: 'program', command: 'node', args: ['dice.mjs'], cwd, ...more } };
}

test('is kept for the user alone, and known to others who look', () => {
  const folder = path.join(temporaryFolder(), 'state', 'introductions');
  const spec = specIn(temporaryFolder({ 'dice.mjs': '' }));
  expect(keptIntroductions(folder).recall(spec)).toBeUndefined();
  keptIntroductions(folder).keep(spec, introduction);
  expect(keptIntroductions(folder).recall(spec)).toEqual(introduction);
  const [file = ''] = fs.readdirSync(folder);
  expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
  expect(fs.statSync(path.join(folder, file)).mode & 0o777).toBe(0o600);
  keptIntroductions(folder).forget(spec);
  expect(fs.readdirSync(folder)).toEqual([]);
  keptIntroductions(folder).forget(spec);
});

test('does not hold for another program, another configuration, or a file that has changed', () => {
  const cwd = temporaryFolder({ 'dice.mjs': '', 'other.mjs': '' });
  const kept = keptIntroductions(temporaryFolder());
  const spec = specIn(cwd);
  kept.keep(spec, introduction);
  expect(kept.recall(specIn(cwd, { args: ['other.mjs'] }))).toBeUndefined();
  expect(kept.recall(specIn(cwd, { env: { A: '1' } }))).toBeUndefined();
  expect(kept.recall({ ...spec, config: { a: 1 } })).toBeUndefined();
  expect(kept.recall({ ...spec, name: 'as it is called here' })).toEqual(introduction);
  fs.writeFileSync(path.join(cwd, 'dice.mjs'), '// otherwise');
  expect(kept.recall(spec)).toBeUndefined();
});

test('what is damaged, of another version, or no file is not known', () => {
  const folder = temporaryFolder();
  const kept = keptIntroductions(folder);
  const spec = specIn(temporaryFolder());
  kept.keep(spec, introduction);
  const [name = ''] = fs.readdirSync(folder);
  const file = path.join(folder, name);
  const whole = fs.readFileSync(file, 'utf8');
  for (const text of [
    '',
    whole.slice(0, -10),
    'null',
    '[]',
    whole.replace('"form":1', '"form":0'),
    whole.replace('"mcp"', '"klingon"'),
    whole.replace('"tools":[', '"tool":['),
  ]) {
    fs.writeFileSync(file, text);
    expect(kept.recall(spec), text).toBeUndefined();
  }
  fs.rmSync(file);
  fs.mkdirSync(file);
  expect(kept.recall(spec)).toBeUndefined();
  // It cannot be replaced either, which is nobody's trouble.
  kept.keep(spec, introduction);
});

test('a folder that cannot be written to is survived, and one that fills up loses its oldest', () => {
  const spec = specIn(temporaryFolder());
  const file = path.join(temporaryFolder({ file: '' }), 'file');
  keptIntroductions(path.join(file, 'below')).keep(spec, introduction);
  const folder = temporaryFolder();
  const kept = keptIntroductions(folder);
  kept.keep(spec, introduction);
  fs.utimesSync(path.join(folder, fs.readdirSync(folder)[0] ?? ''), 1, 1);
  for (let count = 0; count < 500; count += 1) kept.keep({ ...spec, config: { count } }, introduction);
  expect(fs.readdirSync(folder)).toHaveLength(500);
  expect(kept.recall(spec)).toBeUndefined();
  const huge = { ...introduction.manifest, instructions: 'x'.repeat(3 * 1024 * 1024) };
  kept.forget(spec);
  kept.keep(spec, { ...introduction, manifest: huge });
  expect(kept.recall(spec)).toBeUndefined();
});
