import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import type { PluginSpec, ProgramSpec } from '../../definition/plugin-spec.ts';
import { type CachedManifest, fileManifestCache } from './manifest-cache.ts';

const cached: CachedManifest = {
  manifest: { name: 'dice', version: '1.0.0', dialect: 'mcp', tools: [{ name: 'roll' }], raw: { a: [1] } },
  takesUnlistedTools: true,
};

function specIn(cwd: string, more: Partial<ProgramSpec> = {}): PluginSpec {
  return { name: 'dice', start: { kind: 'program', command: 'node', args: ['dice.mjs'], cwd, ...more } };
}

test('is kept for the user alone, and known to others who look', () => {
  const folder = path.join(temporaryFolder(), 'state', 'manifests');
  const spec = specIn(temporaryFolder({ 'dice.mjs': '' }));
  expect(fileManifestCache(folder).get(spec)).toBeUndefined();
  fileManifestCache(folder).set(spec, cached);
  expect(fileManifestCache(folder).get(spec)).toEqual(cached);
  const [file = ''] = fs.readdirSync(folder);
  expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
  expect(fs.statSync(path.join(folder, file)).mode & 0o777).toBe(0o600);
  fileManifestCache(folder).delete(spec);
  expect(fs.readdirSync(folder)).toEqual([]);
  fileManifestCache(folder).delete(spec);
});

test('does not hold for another program, another configuration, or a file that has changed', () => {
  const cwd = temporaryFolder({ 'dice.mjs': '', 'other.mjs': '' });
  const kept = fileManifestCache(temporaryFolder());
  const spec = specIn(cwd);
  kept.set(spec, cached);
  expect(kept.get(specIn(cwd, { args: ['other.mjs'] }))).toBeUndefined();
  expect(kept.get(specIn(cwd, { env: { A: '1' } }))).toBeUndefined();
  expect(kept.get({ ...spec, config: { a: 1 } })).toBeUndefined();
  expect(kept.get({ ...spec, name: 'as it is called here' })).toEqual(cached);
  fs.writeFileSync(path.join(cwd, 'dice.mjs'), '// otherwise');
  expect(kept.get(spec)).toBeUndefined();
});

test('what is damaged, of another version, or no file is not known', () => {
  const folder = temporaryFolder();
  const kept = fileManifestCache(folder);
  const spec = specIn(temporaryFolder());
  kept.set(spec, cached);
  const [name = ''] = fs.readdirSync(folder);
  const file = path.join(folder, name);
  const whole = fs.readFileSync(file, 'utf8');
  for (const text of [
    '',
    whole.slice(0, -10),
    'null',
    '[]',
    whole.replace('"form":2', '"form":1'),
    whole.replace('"mcp"', '"klingon"'),
    whole.replace('"tools":[', '"tool":['),
  ]) {
    fs.writeFileSync(file, text);
    expect(kept.get(spec), text).toBeUndefined();
  }
  fs.rmSync(file);
  fs.mkdirSync(file);
  expect(kept.get(spec)).toBeUndefined();
  // It cannot be replaced either, which is nobody's trouble.
  kept.set(spec, cached);
});

test('a folder that cannot be written to is survived, and one that fills up loses its oldest', () => {
  const spec = specIn(temporaryFolder());
  const file = path.join(temporaryFolder({ file: '' }), 'file');
  fileManifestCache(path.join(file, 'below')).set(spec, cached);
  const folder = temporaryFolder();
  const kept = fileManifestCache(folder);
  kept.set(spec, cached);
  fs.utimesSync(path.join(folder, fs.readdirSync(folder)[0] ?? ''), 1, 1);
  for (let count = 0; count < 500; count += 1) kept.set({ ...spec, config: { count } }, cached);
  expect(fs.readdirSync(folder)).toHaveLength(500);
  expect(kept.get(spec)).toBeUndefined();
  const huge = { ...cached.manifest, instructions: 'x'.repeat(3 * 1024 * 1024) };
  kept.delete(spec);
  kept.set(spec, { ...cached, manifest: huge });
  expect(kept.get(spec)).toBeUndefined();
});
