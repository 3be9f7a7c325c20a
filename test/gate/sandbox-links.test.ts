// A link that a confined program made decides nothing of what a plugin is shown, and nothing in a hidden place is shown.
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SandboxSpec } from '../../src/definition/plugin-spec.ts';
import { spawn } from '../../src/fleet/supervisor/spawn.ts';
import { pluginConfiner } from '../../src/gate/sandbox/confine-plugin.ts';
import { findSandbox, isSandbox } from '../../src/gate/sandbox/find-sandbox.ts';
import { ended, SECRET } from '../support/gate/confined.ts';
import { type Content, link, temporaryFolder } from '../support/temporary-folder.ts';

/** Folders that are hidden or writable are below this one, which is the home folder as well. */
interface World {
  readonly files?: Readonly<Record<string, Content>>;
  readonly cwd?: string;
  readonly args?: readonly string[];
  readonly sandbox?: SandboxSpec;
  /** That of the plugin. */
  readonly folder?: string;
  readonly data?: string;
  readonly writable?: readonly string[];
  readonly hidden?: readonly string[];
  readonly script?: string;
}

async function world({
  files = {},
  cwd = 'project',
  args = [],
  sandbox = {},
  folder,
  data,
  writable = ['project'],
  hidden = ['pluglot', 'pluglot/state'],
  script = 'true',
}: World) {
  const home = temporaryFolder({
    'outside/secret': SECRET,
    'outside/server.mjs': '',
    '.ssh/id': SECRET,
    'pluglot/state/tokens.json': SECRET,
    'project/file': '',
    ...files,
  });
  const at = (name: string) => `${home}/${name}`;
  const found = await findSandbox({
    env: process.env,
    home,
    writable: () => writable.map(at),
    own: () => ({ kept: [], hidden: hidden.map(at), hiddenFiles: [] }),
  });
  const folders = Object.fromEntries(
    Object.entries(sandbox.folders ?? {}).map(([name, access]) => [at(name), access]),
  );
  const confine = () =>
    pluginConfiner(found)({
      plugin: 'p',
      program: {
        command: '/bin/sh',
        // The words are those of a plugin; the shell takes them as arguments of the script.
        args: ['-c', script.replaceAll('HOME', home), ...args],
        cwd: at(cwd),
        env: { PATH: '/usr/bin:/bin' },
      },
      sandbox: { ...sandbox, folders },
      folder: folder === undefined ? at(cwd) : at(folder),
      writable: data === undefined ? [] : [at(data)],
    });
  return { home, at, confine, run: async () => (await ended(spawn(confine()))).stdout };
}

const found = await findSandbox({
  env: process.env,
  home: '/root',
  own: () => ({ kept: [], hidden: [], hiddenFiles: [] }),
});

describe.runIf(isSandbox(found))('a link in a writable folder', () => {
  test.each<readonly [what: string, setup: World]>([
    ['the working folder', { files: { 'project/cw': link('../outside') }, cwd: 'project/cw' }],
    ['one above it', { files: { 'project/up': link('..') }, cwd: 'project/up/outside' }],
    ['the same, with a slash behind it', { files: { 'project/cw': link('../outside') }, cwd: 'project/cw/' }],
    [
      'the same, with dots on the way',
      { files: { 'project/cw': link('../outside') }, cwd: 'outside/../project/./cw/.' },
    ],
    ['a script', { files: { 'project/s.mjs': link('../outside/server.mjs') }, args: ['s.mjs'] }],
    ['a folder above the script', { files: { 'project/srv': link('../outside') }, args: ['srv/server.mjs'] }],
    [
      'a script, by a link to a link',
      {
        files: { 'project/s.mjs': link('t.mjs'), 'project/t.mjs': link('../outside/server.mjs') },
        args: ['s.mjs'],
      },
    ],
    [
      'a file among the arguments',
      { files: { 'project/data': link('../outside/secret') }, args: ['file', 'data'] },
    ],
    ['the same to a key', { files: { 'project/data': link('../.ssh/id') }, args: ['file', 'data'] }],
    [
      'the same to what pluglot keeps',
      { files: { 'project/data': link('../pluglot/state/tokens.json') }, args: ['file', 'data'] },
    ],
    [
      'the folder of the plugin',
      { files: { 'project/plugin': link('../outside') }, folder: 'project/plugin' },
    ],
    [
      'a folder that is granted',
      {
        files: { 'project/notes': link('../outside') },
        sandbox: { folders: { 'project/notes': 'read-only' } },
      },
    ],
    [
      'a file that it made in the folder of its data',
      { files: { 'data/p/conf': link('../../outside/secret') }, data: 'data/p', args: ['../data/p/conf'] },
    ],
    [
      'a link that leads to another writable folder of other programs',
      {
        files: { 'project/in/data': link('../secret'), 'project/secret': SECRET, 'plain/x': '' },
        writable: ['project', 'project/in'],
        cwd: 'plain',
        args: ['../project/in/data'],
      },
    ],
  ])('is refused in the place of %s', async (_, setup) => {
    const { confine } = await world({ script: 'cat HOME/outside/secret', ...setup });
    expect(confine).toThrow(/cannot be shown to a confined program: .* is a link in a folder/);
  });

  test('is followed where it stays in that folder, or leads to what is shown', async () => {
    const files = {
      'project/node_modules/.bin/server': link('../pkg/server.mjs'),
      'project/node_modules/pkg/server.mjs': 'text',
      'shared/file': 'shared',
      'project/shared': link('../shared/file'),
      'plain/x': '',
    };
    const bin = '../project/node_modules/.bin/server';
    const { run } = await world({
      files,
      cwd: 'plain',
      args: [bin, '../project/shared'],
      script: 'cat HOME/project/node_modules/pkg/server.mjs HOME/shared/file',
      sandbox: { folders: { shared: 'read-only' } },
    });
    expect(await run()).toBe('textshared');
  });

  test('outside of them is followed, also where too wide a folder is named as one of them', async () => {
    const { run } = await world({
      writable: ['project', '.'],
      files: { 'tools/server.mjs': 'text', current: link('tools') },
      args: ['../current/server.mjs'],
      script: 'cat HOME/tools/server.mjs',
    });
    expect(await run()).toBe('text');
  });
});

describe.runIf(isSandbox(found))('a package', () => {
  const files = {
    'project/src/s.mjs': '',
    'package.json': '{}',
    'project/package.json': '{}',
    'plain/x': '',
  };
  const args = ['../project/src/s.mjs'];
  const script = 'cd HOME && ls -d project/* 2> /dev/null; cat outside/secret';

  test('of a script is shown', async () => {
    const { run } = await world({ files, args, script, cwd: 'plain' });
    expect(await run()).toBe('project/file\nproject/package.json\nproject/src\n');
  });

  test('outside of a writable folder is not shown by what is missing in that', async () => {
    const { home, run } = await world({ files, args, script, cwd: 'plain' });
    fs.rmSync(path.join(home, 'project/package.json'));
    expect(await run()).toBe('project/src\n');
  });
});

describe.runIf(isSandbox(found))('a hidden place', () => {
  test.each<readonly [what: string, setup: World]>([
    ['a file among the arguments', { args: ['file', '../.ssh/id'] }],
    ['a script', { args: ['../pluglot/state/tokens.json'] }],
    ['the folder of a plugin', { folder: 'pluglot/state' }],
    ['a folder that is granted', { sandbox: { folders: { '.ssh': 'read-only' } } }],
    [
      'a folder below it',
      { files: { '.ssh/keys/a': SECRET }, sandbox: { folders: { '.ssh/keys': 'read-only' } } },
    ],
    ['a file that is granted', { sandbox: { folders: { '.ssh/id': 'read-only' } } }],
    ['the same, by a link of the user', { files: { key: link('.ssh/id') }, args: ['file', '../key'] }],
    ['the same, with dots on the way', { sandbox: { folders: { 'project/../.ssh/./id': 'read-only' } } }],
  ])('is not shown as %s', async (_, setup) => {
    const { confine } = await world(setup);
    expect(confine).toThrow(/cannot be shown to a confined program: .* holds secrets/);
  });

  test('shows the plugins that are installed in it, and the folder of its own data', async () => {
    const { run } = await world({
      files: { 'pluglot/plugins/p/server.mjs': 'text', 'pluglot/state/data/p/x': 'data' },
      args: ['../pluglot/plugins/p/server.mjs'],
      data: 'pluglot/state/data/p',
      script: 'cd HOME/pluglot; cat plugins/p/server.mjs state/data/p/x; cat state/tokens.json; ls state',
    });
    expect(await run()).toBe('textdatadata\n');
  });

  test('is not shown to one program because another is granted a folder in it', async () => {
    const { run } = await world({
      files: { 'project/answers/inner/x': SECRET },
      hidden: ['project/answers'],
      writable: ['project', 'project/answers/inner'],
      sandbox: { folders: { project: 'writable' } },
      script: 'cat answers/inner/x; ls answers',
    });
    expect(await run()).toBe('');
  });
});

describe.runIf(isSandbox(found))('what was checked is what is mounted', () => {
  test.each([
    ['a file', 'project/conf', (place: string) => fs.symlinkSync('../outside/secret', place)],
    ['a script', 'project/srv/conf', (place: string) => fs.writeFileSync(place, 'other')],
    ['a working folder', 'project/cw', (place: string) => fs.symlinkSync('../outside', place)],
  ])('%s that is exchanged before the mount is not shown', async (_, name, exchange) => {
    const isFolder = name.endsWith('cw');
    const { at, confine } = await world({
      files: { [isFolder ? `${name}/x` : name]: 'text', 'plain/x': '' },
      cwd: isFolder ? name : 'plain',
      // What the link leads to is shown, so that something can be mounted there.
      sandbox: { folders: { outside: 'read-only' } },
      args: isFolder ? [] : ['x', `../${name}`],
      script: 'echo ran',
    });
    const { enclosure } = confine();
    const entered = enclosure?.enter(temporaryFolder(), () => {});
    if (entered === undefined) throw new Error('It is not confined.');
    fs.renameSync(at(name), at('kept'));
    exchange(at(name));
    const { stdout, stderr } = await ended(spawn(entered.program));
    expect(stdout).toBe('');
    expect(stderr).toMatch(/was replaced while the program was started|bwrap: /);
  });
});

describe.runIf(isSandbox(found))('a hidden place is covered where it is', () => {
  test.each([
    ['it', ['project/a/answers']],
    ['two of them, one in the other', ['project/a/answers', 'project/a/answers/inner']],
  ])('or the program does not start, where the folder above %s is exchanged', async (_, hidden) => {
    const { at, confine } = await world({
      files: { 'project/a/answers/x': SECRET, 'project/a/answers/inner/x': SECRET },
      hidden,
      script: 'cat a/answers/x kept/answers/x; echo ran',
    });
    const start = () => {
      const entered = confine().enclosure?.enter(temporaryFolder(), () => {});
      if (entered === undefined) throw new Error('It is not confined.');
      return entered.program;
    };
    expect((await ended(spawn(start()))).stdout).toBe('ran\n');
    const program = start();
    // Another program renames it, and puts another one in its place that can be covered as well.
    fs.renameSync(at('project/a'), at('project/kept'));
    fs.cpSync(at('project/kept'), at('project/a'), { recursive: true });
    const { stdout, stderr } = await ended(spawn(program));
    expect({ stdout, stderr }).toEqual({
      stdout: '',
      stderr: 'pluglot: A folder that is protected was replaced while the program was started. Try again.\n',
    });
  });
});
