import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { PluginSpec, ProgramSpec } from '../../definition/plugin-spec.ts';
import type { ProgramLauncher } from './launcher.ts';
import { createLauncher } from './process-launcher.ts';
import { findInPath } from '../../base/search-path.ts';

let folder: string;
let launcher: ProgramLauncher;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pluglot-'));
  launcher = createLauncher({
    env: { ...process.env, SECRET: 's3cret' },
    stateFolder: path.join(folder, 'state'),
    temporaryFolder: path.join(folder, 'tmp'),
    hostFolder: folder,
  });
  onTestFinished(async () => {
    await launcher.close();
    fs.rmSync(folder, { recursive: true });
  });
});

describe('a program that is no plugin', () => {
  test('gets the environment that it is given, and ends with the launcher', async () => {
    const spawn = await launcher.programs();
    const script = 'console.error(process.env.WORD); setInterval(() => {}, 1000)';
    const env = { PATH: process.env['PATH'], WORD: 'hello' };
    const running = spawn({ command: process.execPath, args: ['-e', script], env });
    await expect.poll(() => running.stderr()).toBe('hello\n');
    await launcher.close();
    expect(await running.exited).toMatchObject({ kind: 'exited', exitCode: null });
    expect(await spawn({ command: process.execPath, env }).exited).toMatchObject({
      kind: 'not-started',
      error: { code: 'PLUGIN_STOPPED' },
    });
  });
});

describe('a launched process', () => {
  test('sees a small environment, its own folders and what its spec says', async () => {
    const seen = await environmentOf({ env: { TOKEN: '${SECRET}' } });
    expect(seen).toMatchObject({ TOKEN: 's3cret', PATH: process.env['PATH'], PYTHONUNBUFFERED: '1' });
    expect(seen).not.toHaveProperty('SECRET');
    expect(seen['PLUGLOT_DATA_DIR']).toBe(path.join(folder, 'state/data/the-plugin'));
    expect(fs.statSync(seen['PLUGLOT_DATA_DIR'] ?? '').mode & 0o777).toBe(0o700);
    expect(seen['TMPDIR']).toContain(path.join(folder, 'tmp'));
  });

  test('has a folder for temporary files until it is gone', async () => {
    const running = await launch(
      `require('node:fs').writeFileSync(process.env.TMPDIR + '/file', ''); console.error(process.env.TMPDIR); setInterval(() => {}, 1000)`,
    );
    const temporary = await stderrOf(running);
    expect(fs.readdirSync(temporary)).toEqual(['file']);
    await running.stop({ stdinMs: 0, termMs: 0 });
    expect(fs.existsSync(temporary)).toBe(false);
  });

  test('of G-Assist looks for its configuration in its data folder', async () => {
    const seen = await environmentOf({}, 'gassist');
    expect(seen['PROGRAMDATA']).toBe(seen['PLUGLOT_DATA_DIR']);
    expect(await environmentOf({}, 'yams')).not.toHaveProperty('PROGRAMDATA');
  });

  test('of G-Assist has its libraries first in its path', async () => {
    fs.mkdirSync(path.join(folder, 'gh/libs'), { recursive: true });
    const seen = await environmentOf({ folder: path.join(folder, 'gh') }, 'gassist');
    expect(seen['PYTHONPATH']).toBe(path.join(folder, 'gh/libs'));
  });

  test.runIf(findInPath('python3', { path: process.env['PATH'] ?? '', cwd: '/' }))(
    'in Python (needs python3) prints at once, and has its libraries',
    async () => {
      const plugin = path.join(folder, 'py');
      fs.mkdirSync(path.join(plugin, 'libs'), { recursive: true });
      fs.writeFileSync(path.join(plugin, 'libs/own.py'), 'word = "from libs"');
      fs.writeFileSync(
        path.join(plugin, 'plugin.py'),
        'import own, sys; sys.stdout.write(" ".join([own.word, *sys.argv[1:]]) + "\\n"); sys.stdin.read()',
      );
      const running = await launcher.launch(
        spec({ command: 'plugin.py', args: ['a b'], folder: plugin }, 'gassist'),
      );
      const said = await new Promise<string>((resolve) => {
        let text = '';
        running.pipe.open({
          // Python writes each word by itself.
          data(chunk) {
            text += chunk.toString();
            if (text.endsWith('\n')) resolve(text);
          },
          end: () => resolve(text),
        });
      });
      expect(said).toBe('from libs a b\n');
      expect(await running.stop({ stdinMs: 10_000 })).toMatchObject({ exitCode: 0 });
    },
  );

  test('finds references in its command and arguments', async () => {
    fs.writeFileSync(path.join(folder, 'plugin.mjs'), 'console.error(process.argv[2]); process.exit(0)');
    const running = await launcher.launch(
      spec({ command: '${plugin_dir}/plugin.mjs', args: ['${env:SECRET} ${HOME}'], folder }),
    );
    expect((await running.exited).stderr).toBe('s3cret ${HOME}\n');
  });

  test('keeps its data apart from that of plugins with a similar name', async () => {
    const folders = await Promise.all(
      ['a/b', 'a_b', '..', 'plugin'].map(async (name) => {
        const seen = await environmentOf({}, undefined, name);
        return path.basename(seen['PLUGLOT_DATA_DIR'] ?? '');
      }),
    );
    expect(folders).toEqual([
      expect.stringMatching(/^a_b-[0-9a-f]{8}$/),
      'a_b',
      expect.stringMatching(/^_\.-[0-9a-f]{8}$/),
      'plugin',
    ]);
  });
});

describe('a launch fails', () => {
  test('when there is no such program', async () => {
    await expect(launcher.launch(spec({ command: 'no-such-program' }))).rejects.toMatchObject({
      code: 'PROGRAM_NOT_FOUND',
    });
  });

  test('when its arguments are too long, and does not repeat them', async () => {
    const env = { LONG: `s3cret${'x'.repeat(3_000_000)}` };
    const failure = launcher.launch(spec({ command: process.execPath, env }));
    await expect(failure).rejects.toMatchObject({
      code: 'START_FAILED',
      message: expect.stringMatching(
        /^Plugin "the-plugin" cannot be started: .* \(E2BIG\)\. Its arguments and environment are too long/,
      ) as string,
    });
  });

  test('when the plugin is a server that is reached', async () => {
    await expect(
      launcher.launch({ name: 'far', start: { kind: 'http', url: 'http://localhost:1/' } }),
    ).rejects.toThrow('Plugin "far" is a server at http://localhost:1/: it is reached, not started.');
  });

  test('when the launcher is closed', async () => {
    await launcher.close();
    await expect(launch('')).rejects.toMatchObject({ code: 'PLUGIN_STOPPED' });
  });
});

test('what the host chooses is not taken from where confined programs can write', async () => {
  const taken = path.join(folder, 'taken');
  const bin = path.join(folder, 'project/node_modules/.bin');
  const links = path.join(folder, 'links');
  for (const each of [bin, links]) fs.mkdirSync(each, { recursive: true });
  for (const name of ['bwrap', 'python3', 'python', 'bash', 'cat', 'named']) {
    fs.writeFileSync(path.join(bin, name), `#!/bin/sh\necho ${name} >> ${taken}\n`, { mode: 0o755 });
    fs.symlinkSync(path.join(bin, name), path.join(links, name));
  }
  fs.writeFileSync(path.join(folder, 'plugin.py'), '');
  const guarded = createLauncher({
    env: { PATH: [bin, links].join(path.delimiter) },
    stateFolder: path.join(folder, 'state'),
    temporaryFolder: path.join(folder, 'tmp'),
    hostFolder: folder,
    writable: async () => [path.join(folder, 'project')],
  });
  onTestFinished(() => guarded.close());
  expect(await guarded.containment()).not.toBe('namespace');
  expect(fs.existsSync(taken)).toBe(false);
  await expect(guarded.launch(spec({ command: 'plugin.py', folder }))).rejects.toThrow(
    'neither python3 nor python is in its PATH outside of what confined programs can write to.',
  );
  expect(fs.existsSync(taken)).toBe(false);
  // What a spec names is what its owner wants.
  const named = await guarded.launch(spec({ command: 'named' }));
  await named.exited;
  expect(fs.readFileSync(taken, 'utf8')).toBe('named\n');
});

test('hasCommand looks in the PATH of the plugin', () => {
  fs.mkdirSync(path.join(folder, 'bin'));
  fs.writeFileSync(path.join(folder, 'bin/tool'), '', { mode: 0o755 });
  const own = spec({ command: 'x', env: { PATH: `${folder}/bin:\${PATH}` } });
  expect(launcher.hasCommand(own, 'tool')).toBe(true);
  expect(launcher.hasCommand(own, 'sh')).toBe(true);
  expect(launcher.hasCommand(spec({ command: 'x' }), 'tool')).toBe(false);
});

test('close ends what is left', async () => {
  const running = await launch(`process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`);
  await launcher.close();
  expect(await running.exited).toMatchObject({ kind: 'exited' });
  expect(fs.readdirSync(path.join(folder, 'tmp'))).toEqual([]);
});

test('what is launched while the launcher closes is ended or not started', async () => {
  const launches = Array.from({ length: 4 }, () => launch('setInterval(() => {}, 1000)'));
  await launches[0];
  await launcher.close();
  for (const result of await Promise.allSettled(launches)) {
    // Either way nothing is left: neither of the process nor of its folder.
    if (result.status === 'fulfilled') await result.value.gone;
  }
  expect(fs.readdirSync(path.join(folder, 'tmp'))).toEqual([]);
  expect(fs.readdirSync(path.join(folder, 'state/fleets'))).toEqual([]);
});

function spec(
  start: Omit<ProgramSpec, 'kind'>,
  dialect?: PluginSpec['dialect'],
  name = 'the-plugin',
): PluginSpec {
  return { name, start: { kind: 'program', ...start }, ...(dialect === undefined ? {} : { dialect }) };
}

function launch(source: string) {
  return launcher.launch(spec({ command: process.execPath, args: ['-e', source] }));
}

async function environmentOf(
  start: Partial<ProgramSpec>,
  dialect?: PluginSpec['dialect'],
  name?: string,
): Promise<Record<string, string>> {
  const command = { command: process.execPath, args: ['-e', 'console.error(JSON.stringify(process.env))'] };
  const running = await launcher.launch(spec({ ...command, ...start }, dialect, name));
  // The program above prints its environment.
  return JSON.parse((await running.exited).stderr) as Record<string, string>;
}

async function stderrOf(running: { stderr(): string }): Promise<string> {
  await expect.poll(() => running.stderr(), { interval: 5 }).toContain('\n');
  return running.stderr().trim();
}
