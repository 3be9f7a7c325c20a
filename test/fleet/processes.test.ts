// What holds for the processes of plugins in every mode of containment: they end when they are asked to, and nothing is left.
import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { ContainmentMode } from '../../src/fleet/supervisor/containment.ts';
import type { Launcher } from '../../src/fleet/supervisor/launcher.ts';
import { createLauncher } from '../../src/fleet/supervisor/process-launcher.ts';
import type { Running, SpawnOptions } from '../../src/fleet/supervisor/spawn.ts';
import { namespacesWork } from '../support/fleet/namespaces.ts';
import { newRun, survivors } from '../support/fleet/process-table.ts';
import { execute, root } from '../support/project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const canMakeNamespaces = await namespacesWork();
const at = { stdinMs: 100, termMs: 100 };

describe.runIf(canMakeNamespaces)('namespace (needs bubblewrap, allowed to make PID namespaces)', () => {
  contract('namespace');
});
describe('warden', () => {
  contract('warden');

  test('who ends the warden gets another one', async () => {
    const folder = temporaryFolder();
    const launcher = createLauncher({ env: process.env, stateFolder: folder, containment: 'warden' });
    onTestFinished(() => launcher.close());
    const start = { kind: 'program', command: 'cat' } as const;
    const running = await launcher.launch({ name: 'the-plugin', start });
    const [first = ''] = survivors(folder);
    process.kill(Number.parseInt(first, 10), 'SIGKILL');
    await expect
      .poll(() => survivors(folder).filter((each) => each !== first))
      .toEqual([expect.stringMatching(/warden\.js/)]);
    expect(await running.stop()).toMatchObject({ exitCode: 0 });
  });
});
describe('group', () => {
  contract('group');
});

function contract(containment: ContainmentMode): void {
  let folder: string;
  let launcher: Launcher;
  let run: string;
  beforeEach(() => {
    run = newRun();
    folder = temporaryFolder();
    launcher = createLauncher({
      env: process.env,
      stateFolder: path.join(folder, 'state'),
      temporaryFolder: path.join(folder, 'tmp'),
      containment,
    });
    onTestFinished(() => launcher.close());
  });

  test('a plugin that ends with its stdin is not disturbed', async () => {
    const running = await launch('ends-with-stdin.sh');
    expect(await running.stop()).toEqual({
      kind: 'exited',
      exitCode: 0,
      signal: null,
      stderr: 'ready\nbye\n',
    });
    expect(survivors(run)).toEqual([]);
  });

  test('a plugin that heeds SIGTERM gets the time to', async () => {
    const running = await launch('heeds-sigterm.sh');
    expect(await running.stop({ stdinMs: 0, termMs: 10_000 })).toEqual({
      kind: 'exited',
      exitCode: 5,
      signal: null,
      stderr: 'ready\nasked to end\n',
    });
    expect(survivors(run)).toEqual([]);
  });

  test('a plugin that ignores SIGTERM is killed', async () => {
    const running = await launch('ignores-sigterm.sh');
    expect(await running.stop(at)).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    expect(survivors(run)).toEqual([]);
  });

  test('a stopped plugin is seen and ended', async () => {
    const running = await launch('stops-itself.sh');
    await expect.poll(() => running.isStopped()).toBe(true);
    expect(await running.stop(at)).toMatchObject({ exitCode: null, signal: 'SIGTERM' });
    expect(running.isStopped()).toBe(false);
    expect(survivors(run)).toEqual([]);
  });

  test('SIGSTOP and SIGCONT reach the plugin', async () => {
    const running = await launch('heeds-sigterm.sh');
    expect(running.isStopped()).toBe(false);
    running.signal('SIGSTOP');
    await expect.poll(() => running.isStopped()).toBe(true);
    running.signal('SIGCONT');
    await expect.poll(() => running.isStopped()).toBe(false);
    expect(await running.stop({ stdinMs: 0, termMs: 10_000 })).toMatchObject({ exitCode: 5 });
  });

  test.each([
    'closes-its-stdio.sh',
    'has-a-child-in-its-group.sh',
    'has-a-child-in-its-own-session.sh',
    'leaves-a-daemon.sh',
    'clears-the-environment-of-its-child.sh',
    'starts-processes-without-end.sh',
  ])('nothing is left of what %s', async (file) => {
    const running = await launch(file);
    await expect.poll(() => survivors(run).join('\n')).toMatch(/^\d+: sleep /m);
    await running.stop(at);
    expect(survivors(run)).toEqual([]);
  });

  test('nothing is left when a plugin ends by itself', async () => {
    const running = await launch('exits-before-its-daemon.sh');
    expect(await running.exited).toMatchObject({ exitCode: 3, stderr: 'ready\n' });
    await running.gone;
    expect(survivors(run)).toEqual([]);
  });

  test('100 MiB of stderr are drained, and the end of it is kept', async () => {
    let seen = 0;
    const running = await launch('floods-stderr.sh', { onStderr: (chunk) => (seen += chunk.length) });
    expect(seen).toBe(100 * 1024 * 1024 + '\nready\n'.length);
    expect(await running.stop()).toMatchObject({ exitCode: 0 });
  });

  test('a plugin of one launcher is not touched by another', async () => {
    const running = await launch('has-a-child-in-its-own-session.sh');
    // A shell that has forked and not yet become the other program is seen twice for a moment.
    const kinds = () => survivors(run).flatMap((line) => /^\d+: \S*?(sh|sleep) /.exec(line)?.[1] ?? []);
    await expect.poll(() => kinds().sort()).toEqual(['sh', 'sleep']);
    const before = survivors(run);
    const other = createLauncher({ env: process.env, stateFolder: path.join(folder, 'state'), containment });
    const second = await other.launch({
      name: 'other',
      start: { kind: 'program', command: 'sleep', args: ['86400'] },
    });
    await second.stop({ stdinMs: 0, termMs: 0 });
    await other.close();
    await expect.poll(() => survivors(run)).toEqual(before);
    await running.stop(at);
  });

  test('close ends all, and leaves neither process nor file', async () => {
    await launch('ignores-sigterm.sh');
    await launch('has-a-child-in-its-own-session.sh');
    const fleets = path.join(folder, 'state/fleets');
    expect(fs.readdirSync(fleets)).toHaveLength(1);
    await launcher.close();
    expect(survivors(run)).toEqual([]);
    // The warden has the folder of temporary files in its command line.
    expect(survivors(folder)).toEqual([]);
    expect(fs.readdirSync(fleets)).toEqual([]);
    expect(fs.readdirSync(path.join(folder, 'tmp'))).toEqual([]);
  });

  test('a launch without a free file descriptor fails, and the host goes on', async () => {
    const host = path.join(root, 'test/hosts/out-of-descriptors.mjs');
    const limited = ['-c', 'ulimit -n 60 && exec "$@"', 'sh', process.execPath, host];
    const { stdout, stderr } = await execute('sh', [...limited, containment, path.join(folder, 'state')]);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({
      failure: {
        code: 'START_FAILED',
        message: expect.stringMatching(
          /cannot be started: the system refused to run .*cat \(EMFILE\)/,
        ) as string,
      },
      exit: { kind: 'exited', exitCode: 0, signal: null, stderr: '' },
    });
  });

  test('a host that is a plugin itself goes with all of its own', async () => {
    const host = path.join(root, 'test/hosts/fleet-to-be-killed.mjs');
    const inner = path.join(folder, 'inner');
    const running = await launcher.launch({
      name: 'host',
      start: { kind: 'program', command: host, args: ['warden', inner, inner, run, 'calm'] },
    });
    await new Promise<void>((resolve) => running.pipe.open({ data: () => resolve(), end: () => resolve() }));
    expect(survivors(run).length).toBeGreaterThan(5);
    await running.stop({ stdinMs: 0, termMs: 0 });
    expect(survivors(run)).toEqual([]);
    expect(survivors(inner)).toEqual([]);
  });

  test('names of variables that no shell knows reach the plugin', async () => {
    const running = await launcher.launch({
      name: 'the-plugin',
      start: { kind: 'program', command: 'env', env: { 'INPUT_WITH-DASH': 'x' } },
    });
    let text = '';
    await new Promise<void>((resolve) => {
      running.pipe.open({ data: (chunk) => (text += chunk.toString()), end: () => resolve() });
    });
    expect(text).toContain('INPUT_WITH-DASH=x\n');
  });

  async function launch(file: string, options?: SpawnOptions): Promise<Running> {
    const running = await launcher.launch(
      {
        name: 'the-plugin',
        start: { kind: 'program', command: path.join(root, 'test/plugins/processes', file), args: [run] },
      },
      options,
    );
    await expect.poll(() => running.stderr(), { interval: 5 }).toContain('ready\n');
    return running;
  }
}
