import path from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { watchTargets } from './watch-targets.ts';

const files = { 'tools/server.mjs': '', 'dist/plugin.js': '', 'lib/helper.py': '', 'a b.mjs': '' };

it.each([
  [['node', 'tools/server.mjs'], ['tools']],
  [['node', '--import', 'tsx', 'tools/server.mjs', '--fast'], ['tools']],
  [['./tools/server.mjs'], ['tools']],
  [['node', 'dist/plugin.js'], ['dist']],
  [['node', 'a b.mjs'], ['.']],
  [['serve', 'tools/server.mjs', '--', 'lib/helper.py'], ['tools']],
])('of %j it watches %j', (command, expected) => {
  const cwd = temporaryFolder(files);
  const { paths } = watchTargets({ command, cwd, home: '/home/me' });
  expect(paths).toEqual(expected.map((folder) => path.join(cwd, folder)));
});

it('watches the program alone where it lies in the home folder', () => {
  const cwd = temporaryFolder(files);
  const { paths } = watchTargets({ command: ['node', 'a b.mjs'], cwd, home: cwd });
  expect(paths).toEqual([path.join(cwd, 'a b.mjs')]);
});

it('says what to do where it cannot know', () => {
  const cwd = temporaryFolder(files);
  expect(() => watchTargets({ command: ['npx', 'server'], cwd, home: '/' })).toThrow(/--watch src/);
  expect(() => watchTargets({ command: ['npx'], cwd, home: '/', watch: ['nowhere'] })).toThrow(/nowhere/);
  expect(watchTargets({ command: ['npx'], cwd, home: '/', watch: ['lib'] }).paths).toEqual([
    path.join(cwd, 'lib'),
  ]);
});

it('leaves out what is fetched, made or written, and what this host writes itself', () => {
  const cwd = temporaryFolder(files);
  const { isIgnored } = watchTargets({
    command: ['node', 'a b.mjs'],
    cwd,
    home: '/home/me',
    watch: ['lib'],
    ownFolders: [path.join(cwd, 'state')],
  });
  const ignored = (file: string, kind: 'folder' | 'file' | 'other' = 'file') =>
    isIgnored(path.join(cwd, file), kind);
  expect(ignored('.', 'folder')).toBe(false);
  expect(ignored('src/deep/tool.ts')).toBe(false);
  expect(ignored('a b.mjs')).toBe(false);
  expect(ignored('lib/data.csv')).toBe(false);
  expect(ignored('node_modules/x/index.js')).toBe(true);
  expect(ignored('.git', 'folder')).toBe(true);
  expect(ignored('dist/plugin.js')).toBe(true);
  expect(ignored('notes.md')).toBe(true);
  expect(ignored('state/trust.json')).toBe(true);
  expect(ignored('a.sock', 'other')).toBe(true);
  expect(isIgnored('/elsewhere/x.js', 'file')).toBe(true);
});
