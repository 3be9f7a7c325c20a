import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { systemClock } from '../base/clock.ts';
import { watchFiles } from './watch-files.ts';
import { configurationFiles } from './configuration-files.ts';

const own = '.config/pluglot';
const withRules = { gate: { permissions: './rules/mine.json' } };
const withFolders = { folders: ['../../tools/mine'] };

test.each<[string, Files, string]>([
  ["the user's configuration, when nothing of its folder is there", {}, `home/${own}/pluglot.json`],
  [
    "the user's configuration, when its folder is there",
    { [`home/${own}/x`]: '' },
    `home/${own}/pluglot.json`,
  ],
  ["the user's rules", {}, `home/${own}/permissions.json`],
  ["the user's .mcp.json", {}, 'home/.mcp.json'],
  ['what is trusted', {}, 'home/.local/state/pluglot/trust.json'],
  ["the project's .mcp.json", {}, 'project/.mcp.json'],
  ["the project's rules", {}, 'project/permissions.json'],
  ['rules above, in the repository', {}, '.permissions.json'],
  ['a plugin of the project, with its folder', {}, 'project/plugins/hello.mjs'],
  ['rules that a configuration names', { 'project/pluglot.json': withRules }, 'project/rules/mine.json'],
  [
    'rules that a configuration names, when their folder is there',
    { 'project/pluglot.json': withRules, 'project/rules/other.json': '' },
    'project/rules/mine.json',
  ],
  [
    'a plugin in a folder that a configuration names',
    { [`home/${own}/pluglot.json`]: withFolders },
    'home/tools/mine/hello/manifest.json',
  ],
  [
    'a plugin in a folder that is there and that a configuration names',
    { [`home/${own}/pluglot.json`]: withFolders, 'home/tools/mine/other/x': '' },
    'home/tools/mine/hello/manifest.json',
  ],
])('%s can come later', async (_, files, comes) => {
  const { root, here } = place(files);
  const seen = await watching(here);
  const file = path.join(root, comes);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, '{}');
  await expect.poll(() => seen.some((each) => file.startsWith(each))).toBe(true);
});

test('a configuration that is a link is followed where it is', async () => {
  const { root, here } = place({ 'home/dotfiles/pluglot/pluglot.json': {}, 'home/.config/x': '' });
  fs.symlinkSync(path.join(root, 'home/dotfiles/pluglot'), path.join(root, 'home/.config/pluglot'));
  const seen = await watching(here);
  const file = path.join(fs.realpathSync(root), 'home/dotfiles/pluglot/pluglot.json');
  fs.writeFileSync(file, '{ "plugins": {} }');
  await expect.poll(() => seen).toContain(file);
});

test('the configuration that was named says which folders there are, whatever it is called', async () => {
  const { root, here } = place({ 'project/mine.json': { folders: ['tools'] } });
  const { wanted } = await configurationFiles({ ...here, configFile: 'mine.json' });
  expect(wanted).toContain(path.join(root, 'project/mine.json'));
  expect(wanted).toContain(path.join(root, 'project/tools'));
});

test('nothing else in these folders counts', async () => {
  const { root, here } = place({ 'project/pluglot.json': withRules });
  const { isIgnored, paths } = await configurationFiles(here);
  for (const one of [
    'project/src',
    'project/src/x.ts',
    'project/node_modules',
    'home/Documents',
    'home/x.json',
  ])
    expect(isIgnored(path.join(root, one), undefined), one).toBe(true);
  for (const one of paths) expect(fs.existsSync(one), one).toBe(true);
});

type Files = Parameters<typeof temporaryFolder>[0];

function place(files: Files) {
  const root = temporaryFolder({ '.git/HEAD': '', 'home/x': '', 'project/x': '', ...files });
  const here = {
    cwd: path.join(root, 'project'),
    home: path.join(root, 'home'),
    env: {},
    configFile: undefined,
  };
  return { root, here };
}

/** Grows by the files and folders that change. */
async function watching(here: Parameters<typeof configurationFiles>[0]): Promise<readonly string[]> {
  const seen: string[] = [];
  const watch = await watchFiles(
    await configurationFiles(here),
    systemClock,
    (files) => void seen.push(...files),
  );
  onTestFinished(() => watch.close());
  return seen;
}
