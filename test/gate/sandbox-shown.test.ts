// What a confined program wrote does not decide what the next one is shown.
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { spawn } from '../../src/fleet/supervisor/spawn.ts';
import { confined, confinedScript, ended, home, sandbox, SECRET } from '../support/gate/confined.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';

const PATH = '/usr/bin:/bin';

/** A folder of the user's beside the workspace, with a program and a secret in it. */
function otherFolder(): string {
  const other = fs.mkdtempSync(path.join(home, 'other-'));
  writeFiles(other, { 'private.txt': SECRET, 'bin/README': '' });
  fs.copyFileSync('/bin/cat', path.join(other, 'bin/app'));
  return other;
}

function script(text: string): (file: string) => void {
  return (file) => fs.writeFileSync(file, text, { mode: 0o755 });
}

async function runFile(workspace: string, file: string, args: readonly string[] = [], searchPath = PATH) {
  const program = { command: path.join(workspace, file), args, cwd: workspace, env: { PATH: searchPath } };
  const { stdout, stderr } = await ended(spawn(confined(program, { workspace })));
  return stdout + stderr;
}

describe.runIf(sandbox !== undefined)('a program in the workspace shows no more of the host', () => {
  test.each([
    ['a folder that its first line names', 1],
    ['the same, by a line that is longer than the system reads', 140],
    ['the root, by a longer one', 400],
  ])('by %s', async (_, dots) => {
    const other = otherFolder();
    const text = `#!${'/.'.repeat(dots)}${other}\ncat ${other}/private.txt /etc/shadow\n`;
    const workspace = temporaryFolder({ 'scripts/b.sh': script(text) });
    const output = await runFile(workspace, 'scripts/b.sh');
    expect(output).not.toContain(SECRET);
    expect(output).not.toContain('root:');
  });

  test('by being a link', async () => {
    const other = otherFolder();
    const workspace = temporaryFolder();
    fs.symlinkSync(path.join(other, 'bin/app'), path.join(workspace, 'tool'));
    expect(await runFile(workspace, 'tool', [path.join(other, 'private.txt')])).not.toContain(SECRET);
  });

  test('by a name in a folder of PATH, or by a program of the user that is not an interpreter', async () => {
    const other = otherFolder();
    const workspace = temporaryFolder({ 'run.sh': script(`#!/usr/bin/env app\nx\n`) });
    fs.mkdirSync(path.join(workspace, 'bin'));
    fs.symlinkSync(path.join(other, 'bin/app'), path.join(workspace, 'bin/app'));
    const secret = [path.join(other, 'private.txt')];
    for (const folder of [path.join(workspace, 'bin'), path.join(other, 'bin')])
      expect(await runFile(workspace, 'run.sh', secret, `${folder}:${PATH}`)).not.toContain(SECRET);
  });

  test('but runs with an interpreter that PATH leads to, by name and by a link to it', async () => {
    const installed = fs.mkdtempSync(path.join(home, 'node-'));
    fs.mkdirSync(path.join(installed, 'bin'));
    fs.copyFileSync(process.execPath, path.join(installed, 'bin/node'));
    fs.chmodSync(path.join(installed, 'bin/node'), 0o755);
    const workspace = temporaryFolder({
      'by-name.mjs': script('#!/usr/bin/env node\nconsole.log("runs")\n'),
      'by-path.mjs': script(`#!${installed}/bin/node\nconsole.log("runs")\n`),
    });
    fs.symlinkSync(path.join(installed, 'bin/node'), path.join(workspace, 'my-node'));
    const searchPath = `${installed}/bin:${PATH}`;
    expect(await runFile(workspace, 'by-name.mjs', [], searchPath)).toBe('runs\n');
    expect(await runFile(workspace, 'by-path.mjs', [], searchPath)).toBe('runs\n');
    expect(await runFile(workspace, 'my-node', ['-p', '1+1'], searchPath)).toBe('2\n');
  });
});

describe.runIf(sandbox !== undefined)('a folder that is granted in a writable one', () => {
  const grant = (folder: string, access: 'writable' | 'read-only' = 'writable') => ({
    folders: [{ path: folder, access }],
  });

  test.each(['writable', 'read-only'] as const)('is refused where it is a link: %s', (access) => {
    const other = otherFolder();
    const workspace = temporaryFolder();
    const cache = path.join(workspace, 'cache');
    fs.symlinkSync(other, cache);
    expect(() => confinedScript(workspace, 'true', grant(cache, access))).toThrow(/is a link in a folder/);
    expect(() => confinedScript(workspace, 'true', grant(path.join(cache, 'bin'), access))).toThrow(
      /is a link in a folder/,
    );
  });

  test('works where it is a folder', async () => {
    const workspace = temporaryFolder({ 'cache/x': '', 'fixed/x': '' });
    const { stdout } = await ended(
      confinedScript(workspace, 'echo y > cache/y && echo cache; echo y > fixed/y && echo fixed; true', {
        folders: [
          { path: path.join(workspace, 'cache'), access: 'writable' },
          { path: path.join(workspace, 'fixed'), access: 'read-only' },
        ],
      }),
    );
    expect(stdout).toBe('cache\n');
  });

  test('is not shown where it is exchanged for a link before the start', async () => {
    // Its program shows the folder that the link leads to, so that something can be mounted there.
    const other = otherFolder();
    fs.copyFileSync('/bin/sh', path.join(other, 'bin/sh'));
    const workspace = temporaryFolder();
    // What has a shorter path is mounted earlier.
    const cache = path.join(workspace, 'cache-'.repeat(12));
    fs.mkdirSync(cache);
    const args = ['-c', `echo x > ${other}/new; echo ran`];
    const program = { command: path.join(other, 'bin/sh'), args, cwd: workspace, env: { PATH } };
    const { enclosure } = confined(program, { workspace, folders: [{ path: cache, access: 'writable' }] });
    if (enclosure === undefined) throw new Error('It is not confined.');
    const entered = enclosure.enter(temporaryFolder(), () => {});
    // With all that is laid over it.
    fs.cpSync(cache, other, { recursive: true });
    fs.rmSync(cache, { recursive: true });
    // bubblewrap itself finds no way by an absolute one.
    fs.symlinkSync(path.relative(workspace, other), cache);
    const { stdout, stderr } = await ended(spawn(entered.program));
    expect({ stdout, stderr }).toEqual({
      stdout: '',
      stderr: 'pluglot: A folder that is protected was replaced while the program was started. Try again.\n',
    });
    expect(fs.readdirSync(other)).not.toContain('new');
  });

  test.each(['.git', '.git/hooks', 'sub/.git', 'sub/.git/objects'])(
    'is refused where it is a repository, or in one: %s',
    async (name) => {
      const workspace = temporaryFolder({ '.git/hooks/x': '', 'sub/.git/objects/x': '' });
      const folder = path.join(workspace, name);
      expect(() => confinedScript(workspace, 'true', grant(folder))).toThrow(/decides what git runs/);
      const plain = temporaryFolder();
      const { stdout } = await ended(confinedScript(plain, `ls '${folder}'`, grant(folder, 'read-only')));
      expect(stdout).not.toBe('');
    },
  );

  test.each(['/etc/ssl', '/usr/bin', '/usr'])('is refused where it is one of the system: %s', (folder) => {
    const workspace = temporaryFolder();
    expect(() => confinedScript(workspace, 'true', grant(folder))).toThrow(/cannot be shown/);
  });
});
