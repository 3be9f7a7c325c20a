import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { link, temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { createSandboxExec, profileOf } from './sandbox-exec.ts';
import type { Shown } from './shown.ts';

const shown: readonly Shown[] = [
  { path: '/Users/me', as: 'empty-folder' },
  { path: '/Users/me/.nvm/v20', as: 'read-only' },
  { path: '/Users/me/a "b".c', as: 'writable', isProtected: true },
  { path: '/Users/me/a "b".c/state', as: 'hidden-folder' },
];
const own = { kept: [], hidden: [], hiddenFiles: [] };
const lines = (network: boolean) => profileOf({ network }, shown, own).split('\n');

test('denies all but what is shown', () => {
  const profile = lines(false);
  expect(profile.slice(0, 2)).toEqual(['(version 1)', '(deny default)']);
  expect(profile).toContain('(allow file-read* (subpath "/Users/me/.nvm/v20"))');
  expect(profile).toContain('(deny file-write* (subpath "/Users/me/.nvm/v20"))');
  expect(profile).toContain(String.raw`(allow file-read* file-write* (subpath "/Users/me/a \"b\".c"))`);
  expect(profile.join()).not.toContain('(subpath "/Users/me")');
});

test('denies what is hidden and what stays as it is after what it allows', () => {
  const profile = lines(false);
  const allowed = profile.findIndex((line) => line.startsWith('(allow file-read* file-write*'));
  const hidden = profile.findIndex((line) => line.startsWith('(deny file-read* file-write*'));
  const kept = profile.findIndex((line) => line.includes('(regex'));
  expect(hidden).toBeGreaterThan(allowed);
  expect(kept).toBeGreaterThan(allowed);
  expect(profile[hidden]).toContain(String.raw`(subpath "/Users/me/a \"b\".c/state")`);
  for (const name of ['pluglot.json', '.mcp.json', 'permissions.json', '.permissions.json'])
    expect(profile[kept]).toContain(String.raw`(subpath "/Users/me/a \"b\".c/${name}")`);
  expect(profile).toContain(
    String.raw`(deny file-write-unlink file-write-create (literal "/Users/me/a \"b\".c/.git"))`,
  );
});

test.each([
  ['.git/config', true],
  ['.git/hooks/pre-commit', true],
  ['.git/hooks', true],
  ['.git/commondir', true],
  ['.GIT/Config', true],
  ['.git/rebase-merge/git-rebase-todo', true],
  ['.git/modules/x/config', true],
  ['sub/deep/.git/config', true],
  ['.git/index', false],
  ['.git/config.lock', false],
  ['config', false],
])('the rule for repositories: %s, %s', (file, isKept) => {
  const [, pattern = ''] =
    /\(regex #"(.*?)"\) /.exec(
      profileOf({ network: false }, [{ path: '/w', as: 'writable', isProtected: true }], own),
    ) ?? [];
  expect(new RegExp(pattern).test(`/w/${file}`)).toBe(isKept);
});

test('denies its own files and HEAD in any case', () => {
  const text = profileOf({ network: false }, [{ path: '/w', as: 'writable', isProtected: true }], own);
  const patterns = [...text.matchAll(/\(regex #"(.*?)"\)/g)].map(([, pattern = '']) => new RegExp(pattern));
  for (const [file, isKept] of [
    ['PLUGLOT.json', true],
    ['Head', true],
    ['head.ts', false],
    ['sub/pluglot.json', false],
  ] as const)
    expect(patterns.some((pattern) => pattern.test(`/w/${file}`))).toBe(isKept);
});

test('denies what pluglot reads and keeps in a writable folder, and renaming the folders above it', () => {
  const folder = temporaryFolder({ 'work/rules/my.json': '', 'work/link': link('rules/my.json') });
  const work = path.join(folder, 'work');
  const at = (name: string) => JSON.stringify(path.join(work, name));
  const places = {
    kept: [path.join(work, 'rules/my.json'), path.join(work, 'link'), path.join(folder, 'elsewhere.json')],
    hidden: [path.join(work, 'a/approvals'), path.join(work, 'state')],
    hiddenFiles: [path.join(work, 'heads')],
  };
  const given: readonly Shown[] = [
    { path: work, as: 'writable', isProtected: true },
    { path: path.join(work, 'state'), as: 'hidden-folder' },
    { path: path.join(work, 'state/data/plugin'), as: 'writable' },
  ];
  const text = profileOf({ network: false }, given, places);
  const profile = text.split('\n');
  const kept = profile.find((line) => line.includes('(regex')) ?? '';
  for (const name of ['rules/my.json', 'link']) expect(kept).toContain(`(subpath ${at(name)})`);
  expect(text).not.toContain('elsewhere.json');
  expect(profile).toContain(
    `(deny file-read* file-write* (subpath ${at('a/approvals')}) (subpath ${at('heads')}))`,
  );
  expect(profile).toContain(`(deny file-write-unlink (literal ${at('rules')}) (literal ${at('a')}))`);
  // What is the plugin's own stays its own.
  expect(text.lastIndexOf(`(subpath ${at('state')})`)).toBeLessThan(text.indexOf(at('state/data/plugin')));
});

test('denies renaming folders that are granted in one another, and those between them', () => {
  const granted: readonly Shown[] = [
    { path: '/w', as: 'writable', isProtected: true },
    { path: '/w/hooks', as: 'read-only' },
    { path: '/w/hooks/a', as: 'writable', isKept: true },
    { path: '/w/hooks/a/b', as: 'writable', isProtected: true, isKept: true },
  ];
  const profile = profileOf({ network: false }, granted, own).split('\n');
  expect(profile).toContain('(deny file-write-unlink (literal "/w/hooks/a") (literal "/w/hooks/a/b"))');
  // They are writable where the folder above them is.
  expect(profile).not.toContain('(allow file-read* file-write* (subpath "/w/hooks/a/b"))');
});

test('denies renaming the folders above keys', () => {
  const home = temporaryFolder({ '.local/share/keyrings/x': '', 'project/file': '' });
  const workspace = path.join(home, 'project');
  const folders = [{ path: path.join(home, '.local'), access: 'writable' as const }];
  const sandbox = createSandboxExec({ env: {}, home, own: () => own });
  const program = { command: '/bin/echo', cwd: workspace, env: {} };
  const folder = temporaryFolder();
  sandbox
    .confine(program, { workspace, access: 'writable', network: false, folders })
    .enclosure?.enter(folder, () => {});
  const profile = fs.readFileSync(path.join(folder, 'profile'), 'utf8');
  expect(profile).toContain(`(literal ${JSON.stringify(path.join(home, '.local/share'))})`);
  expect(profile).toContain(
    `(deny file-read* file-write* (subpath ${JSON.stringify(path.join(home, '.local/share/keyrings'))}))`,
  );
});

test('what is deeper counts', () => {
  const places: readonly Shown[] = [
    { path: '/w/notes', as: 'writable' },
    { path: '/w', as: 'read-only' },
  ];
  const nested = profileOf({ network: false }, places, own);
  expect(nested.indexOf('(deny file-write* (subpath "/w"))')).toBeLessThan(
    nested.indexOf('(allow file-read* file-write* (subpath "/w/notes"))'),
  );
});

test('has a network where it is asked for', () => {
  expect(lines(true).at(-1)).toBe('(allow network*)');
  expect(lines(false).at(-1)).toBe('(deny network*)');
});

test('starts the program with its profile and a folder for temporary files', () => {
  const workspace = temporaryFolder({ 'project/file': '' });
  const sandbox = createSandboxExec({ env: {}, home: path.join(workspace, 'home'), own: () => own });
  const program = {
    command: '/bin/echo',
    args: ['a'],
    cwd: path.join(workspace, 'project'),
    env: { DISPLAY: ':0', A: 'b' },
  };
  const confined = sandbox.confine(program, {
    workspace: path.join(workspace, 'project'),
    access: 'writable',
    network: false,
  });
  const folder = temporaryFolder();
  const inside = confined.enclosure?.enter(folder, () => {}).program;
  expect(inside).toMatchObject({
    command: '/usr/bin/sandbox-exec',
    args: ['-f', path.join(folder, 'profile'), '/bin/echo', 'a'],
    env: { A: 'b', TMPDIR: path.join(folder, 'tmp') },
  });
  expect(inside?.env).not.toHaveProperty('DISPLAY');
  expect(fs.readFileSync(path.join(folder, 'profile'), 'utf8')).toContain('(deny default)');
});
