import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { gitlinksIn } from './git-index.ts';

const ID = { sha1: '1'.repeat(40), sha256: '1'.repeat(64) };

test.each([
  [2, 'sha1'],
  [3, 'sha1'],
  [4, 'sha1'],
  [2, 'sha256'],
  [4, 'sha256'],
] as const)('finds the submodules in an index of version %i with %s', (version, format) => {
  const names = ['a', 'ab/deep/nested', 'ab/deep/other', 'x'.repeat(300), 'ünïcode', 'z'];
  const files = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [`f${'g'.repeat(index)}/file`, '']),
  );
  const folder = temporaryFolder();
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'pipe' });
  git('init', '-q', `--object-format=${format}`);
  for (const name of Object.keys(files).slice(0, 60)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), '');
  }
  git('add', '.');
  for (const name of names) git('update-index', '--add', '--cacheinfo', `160000,${ID[format]},${name}`);
  fs.writeFileSync(path.join(folder, 'later'), '');
  // Only this makes git write version 3.
  git('add', version === 3 ? '-N' : '-f', 'later');
  if (version === 4) git('update-index', '--index-version', '4');
  const index = fs.readFileSync(path.join(folder, '.git/index'));
  expect(index.readUInt32BE(4)).toBe(version);
  expect(gitlinksIn(index, format === 'sha1' ? 20 : 32)).toEqual(new Set(names));
});

test.each([
  '',
  'x',
  'DIRC',
  'DIRC\0\0\0\u0009\0\0\0\0',
  'DIRC\0\0\0\u0002\0\0\0\u0009',
  'DIRC\0\0\0\u0004\0\0\0\u0001' + 'x'.repeat(99),
])('throws for what is not one: %j', (text) => {
  expect(() => gitlinksIn(Buffer.from(text, 'latin1'), 20)).toThrow(/index|range|bounds/);
});
