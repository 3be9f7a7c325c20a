import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProgramSpec } from '../../definition/plugin-spec.ts';
import { type ProgramContext, resolveProgram } from './program.ts';
import { createPython } from './interpreters.ts';

let root: string;
let bin: string;
beforeAll(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'pluglot-'));
  bin = path.join(root, 'bin');
  write('bin/python3', '\x7fELF', 0o755);
  write('this-node', '\x7fELF', 0o755);
  write('bin/bun', '\x7fELF', 0o755);
  write('bin/tool', '\x7fELF', 0o755);
  write('bin/closed', '\x7fELF');
  write('gh/plugin.py', 'print()');
  write('gh/plugin.js', '');
  write('gh/plugin.mjs', '#!/usr/bin/env node\n', 0o755);
  write('gh/bun.js', '#!/usr/bin/env bun\n', 0o755);
  write('gh/env.py', '#!/usr/bin/env python3\r\n', 0o755);
  write('gh/venv.py', `#!${bin}/python3\n`, 0o755);
  write('gh/uv.py', '#!/usr/bin/env -S bun run --script\n', 0o755);
  write('gh/script', '#!/bin/sh\n', 0o755);
  write('gh/my plugin', '#!/bin/sh\n', 0o755);
  write('gh/crlf', '#!/bin/sh\r\n', 0o755);
  write('gh/no-interpreter', '#!/opt/none/bin/foo -x\n', 0o755);
  write('gh/no-env-interpreter', '#!/usr/bin/env foo\n', 0o755);
  write('gh/binary', '\x7fELF', 0o755);
  write('gh/plain', 'text');
  write('gh/plugin.exe', 'MZ', 0o755);
  write('gh/launch.bat', '@echo off', 0o755);
  write('gh/sub/run', '\x7fELF', 0o755);
  write('own/.venv/bin/python', '\x7fELF', 0o755);
  write('own/plugin.py', '');
  write('trap/tool', '\x7fELF', 0o755);
  write('trap/here', '\x7fELF', 0o755);
  write('trap/relative/tool', '\x7fELF', 0o755);
});
afterAll(() => fs.rmSync(root, { recursive: true }));

describe('what is executed', () => {
  test.each<[string, Omit<ProgramSpec, 'kind'>, string[]]>([
    [
      'a .py by Python, unbuffered',
      { command: 'plugin.py', folder: 'gh' },
      ['bin/python3', '-u', 'gh/plugin.py'],
    ],
    [
      'a .py with its arguments',
      { command: './plugin.py', args: ['a b'], folder: 'gh' },
      ['bin/python3', '-u', 'gh/plugin.py', 'a b'],
    ],
    [
      'a .py that names env, whatever its line ends',
      { command: 'env.py', folder: 'gh' },
      ['bin/python3', '-u', 'gh/env.py'],
    ],
    [
      'a .py that names its interpreter',
      { command: 'venv.py', folder: 'gh' },
      ['bin/python3', '-u', 'gh/venv.py'],
    ],
    ['a .py that names another runner', { command: 'uv.py', folder: 'gh' }, ['gh/uv.py']],
    [
      'a .py with a virtual environment beside it',
      { command: 'plugin.py', folder: 'own' },
      ['own/.venv/bin/python', '-u', 'own/plugin.py'],
    ],
    ['a .js by this Node', { command: 'plugin.js', folder: 'gh' }, ['this-node', 'gh/plugin.js']],
    ['a .mjs by this Node', { command: 'plugin.mjs', folder: 'gh' }, ['this-node', 'gh/plugin.mjs']],
    ['a .js that names another runtime', { command: 'bun.js', folder: 'gh' }, ['gh/bun.js']],
    ['a script by its first line', { command: './script', folder: 'gh' }, ['gh/script']],
    ['a binary', { command: './binary', args: ['-x'], folder: 'gh' }, ['gh/binary', '-x']],
    ['a program in PATH', { command: 'tool', args: ['run'] }, ['bin/tool', 'run']],
    [
      'a program in PATH, not the file of its name in the working folder',
      { command: 'tool', cwd: 'trap' },
      ['bin/tool'],
    ],
    ['a file of the plugin before one in PATH', { command: 'script', folder: 'gh' }, ['gh/script']],
    [
      'a command given as one string',
      { command: 'tool plugin.js --x "a b"', folder: 'gh' },
      ['bin/tool', 'plugin.js', '--x', 'a b'],
    ],
    [
      'node by name where it is not in PATH',
      { command: 'node plugin.js', folder: 'gh' },
      ['this-node', 'plugin.js'],
    ],
    ['a file with a space in its name', { command: './my plugin', folder: 'gh' }, ['gh/my plugin']],
    ['a path as Windows writes it', { command: String.raw`.\sub\run`, folder: 'gh' }, ['gh/sub/run']],
    ['a path relative to the working folder', { command: './run', cwd: 'gh/sub' }, ['gh/sub/run']],
    [
      'a path relative to the folder of the plugin',
      { command: './sub/run', folder: 'gh', cwd: 'sub' },
      ['gh/sub/run'],
    ],
    [
      'python3 by name',
      { command: 'python3', args: ['plugin.py'], folder: 'gh' },
      ['bin/python3', 'plugin.py'],
    ],
  ])('%s', async (_, spec, expected) => {
    const { command, args } = await resolve(spec);
    expect([command, ...args]).toEqual(expected.map(absolute));
  });

  test('a program of an absolute part of PATH, not of a relative one', async () => {
    const { command } = await resolve({ command: 'tool', cwd: 'trap' }, `.:relative::${bin}`);
    expect(command).toBe(path.join(bin, 'tool'));
  });

  test('it starts in the folder of the plugin, else where the host is', async () => {
    expect((await resolve({ command: 'plugin.py', folder: 'gh' })).cwd).toBe(path.join(root, 'gh'));
    expect((await resolve({ command: 'tool' })).cwd).toBe(root);
    expect((await resolve({ command: 'tool', folder: 'gh', cwd: 'sub' })).cwd).toBe(
      path.join(root, 'gh/sub'),
    );
  });
});

describe('what is said when it cannot be', () => {
  test.each<[string, Omit<ProgramSpec, 'kind'>, string]>([
    [
      'not in PATH',
      { command: 'jq -r .' },
      'there is no program "jq" in its PATH. Install it, or give its whole path as "command".',
    ],
    [
      'not in PATH, but here',
      { command: 'here', cwd: 'trap' },
      'there is no program "here" in its PATH. Install it, or give its whole path as "command", or write "./here" for the file here.',
    ],
    [
      'in PATH and not executable',
      { command: 'closed' },
      'BIN/closed may not be executed. Allow it: chmod +x BIN/closed',
    ],
    [
      'a path to nothing',
      { command: './none', folder: 'gh' },
      'there is no ./none in ROOT/gh. Correct "command", or set "cwd".',
    ],
    [
      'an absolute path to nothing',
      { command: '/none/at all' },
      '/none/at does not exist. Correct "command".',
    ],
    ['a folder', { command: './gh' }, 'ROOT/gh is a folder. "command" has to name the program in it.'],
    [
      'not executable',
      { command: './plain', folder: 'gh' },
      'ROOT/gh/plain may not be executed. Allow it: chmod +x ROOT/gh/plain',
    ],
    [
      'no interpreter',
      { command: './no-interpreter', folder: 'gh' },
      'the first line of ROOT/gh/no-interpreter (#!/opt/none/bin/foo -x) names /opt/none/bin/foo, which is not there. Install it, or correct the line.',
    ],
    [
      'no interpreter in PATH',
      { command: './no-env-interpreter', folder: 'gh' },
      'the first line of ROOT/gh/no-env-interpreter (#!/usr/bin/env foo) names foo, which is not in its PATH. Install it, or correct the line.',
    ],
    [
      'CR LF',
      { command: './crlf', folder: 'gh' },
      'the first line of ROOT/gh/crlf (#!/bin/sh) ends in CR LF, so that the system looks for an interpreter of another name. Save it with LF line ends.',
    ],
    [
      'a Windows program',
      { command: './plugin.exe', folder: 'gh' },
      'ROOT/gh/plugin.exe is a program for Windows and cannot run here. Name its script or its build for this system as "command".',
    ],
    [
      'a Windows script',
      { command: 'launch.bat', folder: 'gh' },
      'ROOT/gh/launch.bat is a program for Windows and cannot run here. Name its script or its build for this system as "command".',
    ],
    [
      'no working folder',
      { command: 'tool', cwd: 'none' },
      'its working folder ROOT/none does not exist. Create it, or correct "cwd".',
    ],
    [
      'an empty command',
      { command: '' },
      'there is no program "" in its PATH. Install it, or give its whole path as "command".',
    ],
  ])('%s', async (_, spec, message) => {
    await expect(resolve(spec)).rejects.toMatchObject({
      code: 'PROGRAM_NOT_FOUND',
      message: `Plugin "gh" cannot be started: ${message.replaceAll('BIN', bin).replaceAll('ROOT', root)}`,
    });
  });

  test('no Python', async () => {
    const nowhere = { command: 'plugin.py', folder: path.join(root, 'gh') };
    await expect(resolve(nowhere, '/nowhere')).rejects.toThrow(
      'plugin.py needs Python, and neither python3 nor python is in its PATH. Install Python 3.',
    );
  });
});

describe('the interpreter of a virtual environment in a folder that needs trust', () => {
  const trusted = (folder: string, ...files: string[]) =>
    resolve({ command: 'plugin.py', folder }, bin, {
      pinned: ['plugin.py', ...files].map((file) => ({ file: path.join(root, folder, file), sha256: '' })),
      env: { PATH: bin },
    });

  test('is started when it is pinned, also by a link inside of the folder', async () => {
    const { command } = await trusted('own', '.venv/bin/python');
    expect(command).toBe(path.join(root, 'own/.venv/bin/python'));
    write('inside/plugin.py', '');
    write('inside/tool', '#!/bin/sh\n', 0o755);
    symlink('../../tool', 'inside/.venv/bin/python');
    expect((await trusted('inside', 'tool')).command).toBe(path.join(root, 'inside/.venv/bin/python'));
    await expect(trusted('inside')).rejects.toMatchObject({ code: 'NOT_TRUSTED' });
  });

  test('is refused when it is not pinned', async () => {
    await expect(trusted('own')).rejects.toMatchObject({
      code: 'NOT_TRUSTED',
      message: `Plugin "gh" may not be run: "${root}/own/.venv/bin/python" is not one of the trusted files. Create its environment with a Python that is in PATH, or with a copy of it (python3 -m venv --copies .venv), then: pluglot trust add ${root}/own`,
    });
  });

  test('is started when it is a link to a Python in PATH, and refused when it leads elsewhere', async () => {
    write('linked/plugin.py', '');
    symlink(path.join(bin, 'python3'), 'linked/.venv/bin/python');
    expect((await trusted('linked')).command).toBe(path.join(root, 'linked/.venv/bin/python'));
    write('elsewhere/python3', '\x7fELF', 0o755);
    for (const target of ['elsewhere/python3', 'bin/tool']) {
      fs.rmSync(path.join(root, 'linked/.venv/bin/python'));
      symlink(path.join(root, target), 'linked/.venv/bin/python');
      await expect(trusted('linked')).rejects.toThrow(
        `"${root}/linked/.venv/bin/python" leads to "${root}/${target}", which is neither a trusted file nor a Python in PATH.`,
      );
    }
  });

  test('is refused when the whole environment is a link to another folder', async () => {
    write('away/plugin.py', '');
    symlink(path.join(bin, 'python3'), 'elsewhere/venv/bin/python');
    symlink(path.join(root, 'elsewhere/venv'), 'away/.venv');
    await expect(trusted('away')).rejects.toMatchObject({ code: 'NOT_TRUSTED' });
  });

  test('is refused also when the first line of the script names it', async () => {
    write('named/plugin.py', `#!${root}/named/.venv/bin/python\n`, 0o755);
    symlink(path.join(bin, 'tool'), 'named/.venv/bin/python');
    await expect(trusted('named')).rejects.toMatchObject({ code: 'NOT_TRUSTED' });
  });
});

describe('a shim of Python', () => {
  test('is asked once, in the small environment, for the interpreter behind it', async () => {
    const asked = path.join(root, 'asked');
    const shims = path.join(root, 'shims');
    write('shims/python3', `#!/bin/sh\nenv >> ${asked}\necho ${bin}/python3\n`, 0o755);
    const python = createPython({ PATH: '/usr/bin:/bin', ONLY: 'this' });
    const search = { path: `${shims}:${bin}`, cwd: root };
    expect(await Promise.all([python.find(search, root), python.find(search, root)])).toEqual([
      path.join(bin, 'python3'),
      path.join(bin, 'python3'),
    ]);
    expect(await python.realOf(path.join(shims, 'python3'))).toBe(path.join(bin, 'python3'));
    const lines = fs.readFileSync(asked, 'utf8').split('\n');
    expect(lines.filter((line) => line === 'ONLY=this')).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith('HOME='))).toEqual([]);
  });

  test('that does not answer is used as it is', async () => {
    write('mute/python3', '#!/bin/sh\nexit 1\n', 0o755);
    const mute = path.join(root, 'mute');
    expect(await createPython({}).find({ path: mute, cwd: root }, root)).toBe(path.join(mute, 'python3'));
  });
});

function resolve(
  spec: Omit<ProgramSpec, 'kind'>,
  searchPath = bin,
  { pinned, env = {} }: Pick<ProgramContext, 'pinned'> & { env?: Record<string, string> } = {},
) {
  const folder = spec.folder === undefined ? {} : { folder: path.resolve(root, spec.folder) };
  return resolveProgram(
    { kind: 'program', ...spec, ...folder },
    {
      plugin: 'gh',
      path: searchPath,
      hostFolder: root,
      node: path.join(root, 'this-node'),
      python: createPython(env),
      pinned,
    },
  );
}

function absolute(word: string): string {
  return /^(bin\/|gh\/|own\/|this-node$)/.test(word) ? path.join(root, word) : word;
}

function symlink(target: string, file: string): void {
  const whole = path.join(root, file);
  fs.mkdirSync(path.dirname(whole), { recursive: true });
  fs.symlinkSync(target, whole);
}

function write(file: string, text: string, mode = 0o644): void {
  const whole = path.join(root, file);
  fs.mkdirSync(path.dirname(whole), { recursive: true });
  fs.writeFileSync(whole, text, { mode });
}
