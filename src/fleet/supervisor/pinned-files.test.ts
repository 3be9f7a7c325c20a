// What is started is what was trusted: files that are exchanged before, during and after the start.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { namespacesWork } from '../../../test/support/fleet/namespaces.ts';
import type { ProgramSpec } from '../../definition/plugin-spec.ts';
import type { PinnedFile } from './launcher.ts';
import { createLauncher } from './process-launcher.ts';
import type { Running } from './spawn.ts';

const canShow = await namespacesWork();

describe.each([...(canShow ? (['namespace'] as const) : []), 'group' as const])('in the mode %s', (mode) => {
  test('a file that is as it was trusted runs where it lies, with what lies beside it', async () => {
    const { write, start } = setUp(mode);
    write('beside.mjs', 'export const word = "beside";');
    const file = write(
      'plugin.mjs',
      'import { word } from "./beside.mjs"; console.error(word, import.meta.filename);',
    );
    const running = await start({ command: 'plugin.mjs' }, [pinOf(file)]);
    expect((await running.exited).stderr).toBe(`beside ${file}\n`);
  });

  test('one that was exchanged since the check is not started', async () => {
    const { write, start, folder } = setUp(mode);
    const file = write('plugin.mjs', 'trusted');
    const pin = pinOf(file);
    write('plugin.mjs', 'import fs from "node:fs"; fs.writeFileSync("ran", "");');
    await expect(start({ command: 'plugin.mjs' }, [pin])).rejects.toMatchObject({
      code: 'NOT_TRUSTED',
      message: `Plugin "the-plugin" may not be run: "${file}" was changed while it was started. Read it, then: pluglot trust add ${file}`,
    });
    expect(fs.existsSync(path.join(folder, 'ran'))).toBe(false);
  });

  test.each<[string, (file: string) => void]>([
    ['a rename', (file) => fs.renameSync(`${file}.new`, file)],
    [
      'a rename, and put back',
      (file) => (fs.renameSync(file, `${file}.old`), fs.renameSync(`${file}.old`, file)),
    ],
    ['a link', (file) => (fs.rmSync(file), fs.symlinkSync(`${file}.new`, file))],
    ['other bytes, and back', (file) => (fs.writeFileSync(file, 'x'), fs.writeFileSync(file, 'trusted'))],
    ['its removal', (file) => fs.rmSync(file)],
  ])('one that was exchanged since the start by %s is found out', async (_, exchange) => {
    const { write, start } = setUp(mode);
    const file = write('plugin.mjs', 'trusted');
    write('plugin.mjs.new', 'trusted');
    const running = await start({ command: '/bin/sh', args: ['-c', 'cat'] }, [pinOf(file)]);
    await expect(running.confirm?.()).resolves.toBeUndefined();
    exchange(file);
    await expect(running.confirm?.()).rejects.toMatchObject({ code: 'NOT_TRUSTED' });
    await running.stop({ stdinMs: 0 });
  });
});

describe.runIf(canShow)('in a namespace (needs bubblewrap)', () => {
  test('a file that is written after the check is seen as it was checked', async () => {
    const { write, start } = setUp('namespace');
    const file = write('plugin.mjs', 'console.error("trusted")');
    const shell = `read -r go; exec "${process.execPath}" "${file}"`;
    const running = await start({ command: '/bin/sh', args: ['-c', shell] }, [pinOf(file)]);
    write('plugin.mjs', 'console.error("another")');
    running.pipe.write(Buffer.from('go\n'));
    expect((await running.exited).stderr).toBe('trusted\n');
  });

  test('so is a program itself, and what is executable stays so', async () => {
    const { write, start } = setUp('namespace');
    const file = write('plugin', fs.readFileSync('/bin/cat'), 0o755);
    const other = write('other', 'some text\n');
    const shell = `read -r go; exec "${file}" "${other}" >&2`;
    const running = await start({ command: '/bin/sh', args: ['-c', shell] }, [pinOf(file), pinOf(other)]);
    write('plugin', '#!/bin/sh\necho another >&2\n', 0o755);
    write('other', 'another\n');
    running.pipe.write(Buffer.from('go\n'));
    expect((await running.exited).stderr).toBe('some text\n');
  });

  test('a plugin with variables that no shell can pass on sees them too', async () => {
    const { write, start } = setUp('namespace');
    const file = write('plugin.mjs', 'console.error("trusted", process.env["not-a-name"])');
    const env = { 'not-a-name': 'x' };
    const running = await start({ command: 'plugin.mjs', env }, [pinOf(file)]);
    expect((await running.exited).stderr).toBe('trusted x\n');
  });
});

function setUp(containment: 'namespace' | 'group') {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'pluglot-')));
  const launcher = createLauncher({
    env: process.env,
    stateFolder: path.join(folder, 'state'),
    temporaryFolder: path.join(folder, 'tmp'),
    containment,
  });
  onTestFinished(async () => {
    await launcher.close();
    fs.rmSync(folder, { recursive: true });
  });
  const write = (name: string, content: string | Buffer, mode = 0o644): string => {
    const file = path.join(folder, name);
    fs.writeFileSync(file, content, { mode });
    return file;
  };
  const start = (program: Omit<ProgramSpec, 'kind'>, pinned: readonly PinnedFile[]): Promise<Running> =>
    launcher.launch(
      { name: 'the-plugin', start: { kind: 'program', folder, cwd: folder, ...program } },
      { pinned },
    );
  return { folder, write, start };
}

function pinOf(file: string): PinnedFile {
  return { file, sha256: createHash('sha256').update(fs.readFileSync(file)).digest('hex') };
}
