import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { gitlinksIn, oddityOf } from './git-index.ts';

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
  expect(oddityOf(index, format === 'sha1' ? 20 : 32)).toBeUndefined();
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

test('reads an entry as git does, whatever its other bits are', () => {
  const folder = temporaryFolder();
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'pipe' });
  git('init', '-q');
  git('update-index', '--add', '--cacheinfo', `160000,${ID.sha1},sub`);
  const index = fs.readFileSync(path.join(folder, '.git/index'));
  const odd = Buffer.from(index);
  odd.writeUInt32BE(0o160001, 12 + 24);
  expect(gitlinksIn(odd, 20)).toEqual(new Set(['sub']));
  // An entry that is not one ends where its length says, and the bytes behind its first zero are the next one.
  const entry = index.subarray(12, 12 + 72);
  const first = Buffer.alloc(72 + 72);
  entry.copy(first);
  first.writeUInt32BE(0o100644, 24);
  first.writeUInt16BE(3, 60);
  entry.copy(first, 72);
  const header = Buffer.from(index.subarray(0, 12));
  header.writeUInt32BE(2, 8);
  expect(gitlinksIn(Buffer.concat([header, first]), 20)).toEqual(new Set(['sub']));
  // The length hides what an ordinary search for its end would find.
  first.write('a\0b', 62, 'latin1');
  expect(gitlinksIn(Buffer.concat([header, first]), 20)).toEqual(new Set(['sub']));
});

describe('an index that git would not write', () => {
  const git = (folder: string, ...args: string[]) =>
    execFileSync('git', args, { cwd: folder, stdio: 'pipe' });
  const indexOf = (name: string, change: (entry: Buffer, index: Buffer) => void = () => {}) => {
    const folder = temporaryFolder({ 'a.txt': '' });
    git(folder, 'init', '-q');
    git(folder, 'update-index', '--add', '--cacheinfo', `100644,${ID.sha1},${'x'.repeat(name.length)}`);
    const index = fs.readFileSync(path.join(folder, '.git/index'));
    index.write(name, 12 + 62, 'utf8');
    change(index.subarray(12), index);
    return index;
  };

  test.each([
    '.git/hooks/pre-commit',
    '.GIT/config',
    'a/.git/config',
    '../home/.bashrc',
    'a/../../b',
    './a',
    'a//b',
    '/etc/passwd',
    'a/',
    'git~1/config',
    'x/.git /config',
    'x/.git./config',
    '.git::$INDEX_ALLOCATION/config',
    '.g\u200cit/hooks/x',
    'a\\..\\.git\\config',
  ])('names %s', (name) => {
    const folder = temporaryFolder({ 'a.txt': '' });
    git(folder, 'init', '-q');
    const plain = 'x'.repeat(Buffer.byteLength(name));
    git(folder, 'update-index', '--add', '--cacheinfo', `100644,${ID.sha1},${plain}`);
    const index = fs.readFileSync(path.join(folder, '.git/index'));
    expect(oddityOf(index, 20)).toBeUndefined();
    index.write(name, 12 + 62, 'utf8');
    expect(oddityOf(index, 20)).toContain('which git does not track');
  });

  test.each(['.gitignore', '.github/x', 'a.git/x', 'git~', 'x/...', 'a b', 'back\\slash'])(
    'but may name %s',
    (name) => {
      expect(oddityOf(indexOf(name), 20)).toBeUndefined();
    },
  );

  test('has odd modes, lengths, flags, an order of its own, or extensions that lie', () => {
    const odd = (change: Parameters<typeof indexOf>[1]) => oddityOf(indexOf('name', change), 20);
    expect(odd((entry) => entry.writeUInt32BE(0o160001, 24))).toContain('mode 160001');
    expect(odd((entry) => entry.writeUInt32BE(0o40000, 24))).toContain('mode 40000');
    expect(odd((entry) => entry.writeUInt16BE(2, 60))).toContain('length');
    expect(odd((entry) => entry.writeUInt16BE(0x4004, 60))).toContain('another version');
    const twice = indexOf('name');
    const entry = twice.subarray(12, 12 + 72);
    const header = Buffer.from(twice.subarray(0, 12));
    header.writeUInt32BE(2, 8);
    const end = Buffer.alloc(20);
    expect(oddityOf(Buffer.concat([header, entry, entry, end]), 20)).toContain('order');
    const extended = (name: string, content: Buffer) => {
      const head = Buffer.alloc(8);
      head.write(name, 'latin1');
      head.writeUInt32BE(content.length, 4);
      return oddityOf(Buffer.concat([twice.subarray(0, 12 + 72), head, content, end]), 20);
    };
    const numbers = (...list: number[]) => Buffer.from(Uint32Array.from(list).buffer).swap32();
    expect(extended('TREE', Buffer.alloc(3))).toBeUndefined();
    expect(extended('link', Buffer.alloc(20))).toContain('link');
    expect(extended('sdir', Buffer.alloc(0))).toContain('sdir');
    expect(extended('EOIE', numbers(84, 0, 0, 0, 0, 0))).toBeUndefined();
    expect(extended('EOIE', numbers(12, 0, 0, 0, 0, 0))).toContain('end');
    expect(extended('IEOT', numbers(1, 12, 1))).toBeUndefined();
    expect(extended('IEOT', numbers(1, 20, 1))).toContain('places');
    expect(extended('IEOT', numbers(1, 12, 2))).toContain('places');
    expect(oddityOf(Buffer.from('x'), 20)).toBe('it cannot be read');
  });
});
