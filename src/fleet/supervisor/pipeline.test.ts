import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openPipes, spawnPipeline } from './pipeline.ts';
import { type Program, type Running, spawn } from './spawn.ts';

const env = { PATH: '/usr/bin:/bin' };
const sh = (script: string): Program => ({ command: '/bin/sh', args: ['-c', script], env });

const connected = async (...members: (Program | Error)[]) =>
  spawnPipeline(members, await openPipes(members.length - 1), spawn);

async function printed(running: Running): Promise<string> {
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve) => {
    running.pipe.open({ data: (chunk) => void chunks.push(Buffer.from(chunk)), end: () => resolve() });
  });
  return Buffer.concat(chunks).toString();
}

describe('programs connected by pipes', () => {
  test('read what the one before them prints, whole and in order', async () => {
    const running = await connected(sh('seq 1 200000'), sh('cat'), sh('tail -n 2'));
    expect(await printed(running)).toBe('199999\n200000\n');
    expect(await running.exited).toMatchObject({ kind: 'exited', exitCode: 0 });
  });

  test('end as the last one does, after all of them', async () => {
    const counts = 'exec >&-; i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done; echo late >&2; exit 3';
    const running = await connected(sh(counts), sh('exit 5'));
    expect(await running.exited).toMatchObject({ exitCode: 5 });
    expect(running.stderr()).toBe('late\n');
  });

  test('one whose reader is gone is ended by that', async () => {
    const running = await connected(sh('yes'), sh('head -n 1'));
    expect(await printed(running)).toBe('y\n');
    expect(await running.exited).toMatchObject({ exitCode: 0 });
    expect(running.stderr()).toBe('');
    await running.gone;
  });

  test('the first reads nothing', async () => {
    expect(await printed(await connected(sh('cat; echo end')))).toBe('end\n');
    expect(await printed(await connected(sh('cat; echo end'), sh('cat')))).toBe('end\n');
  });

  test('one that cannot be started leaves the others without it', async () => {
    const missing = new Error('not there');
    const first = await connected(missing, sh('cat; echo end'));
    expect(await printed(first)).toBe('end\n');
    expect(await first.exited).toMatchObject({ exitCode: 0 });
    const last = await connected(sh('yes'), missing);
    expect(await last.exited).toMatchObject({ kind: 'not-started', error: missing });
    expect(last.pid).toBeGreaterThan(0);
    await last.gone;
  });

  test.runIf(process.platform === 'linux')('no descriptor is left', async () => {
    const before = fs.readdirSync('/proc/self/fd').length;
    const running = await connected(sh('yes'), sh('head -n 1'), sh('cat'));
    await printed(running);
    await running.gone;
    await expect.poll(() => fs.readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before);
  });

  test.runIf(process.platform === 'linux')('a pipe that opens halfway leaves no descriptor', async () => {
    const before = fs.readdirSync('/proc/self/fd').length;
    const { openSync } = fs;
    try {
      fs.openSync = (...args: Parameters<typeof openSync>) => {
        if (args[1] === fs.constants.O_WRONLY) throw new Error('EMFILE');
        return openSync(...args);
      };
      await expect(openPipes(1)).rejects.toThrow('EMFILE');
    } finally {
      fs.openSync = openSync;
    }
    await expect.poll(() => fs.readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before);
  });

  test('where one cannot be spawned, those before it are ended and all pipes closed', async () => {
    const pipes = await openPipes(2);
    const started: Running[] = [];
    const failing: typeof spawn = (...args) => {
      if (started.length === 2) throw new Error('no more processes');
      const running = spawn(...args);
      started.push(running);
      return running;
    };
    const members = [sh('sleep 1000'), sh('sleep 1000'), sh('cat')];
    expect(() => spawnPipeline(members, pipes, failing)).toThrow('no more processes');
    for (const { reading, writing } of pipes)
      for (const descriptor of [reading, writing]) expect(() => fs.fstatSync(descriptor)).toThrow('EBADF');
    for (const { exited } of started) expect(await exited).toMatchObject({ signal: 'SIGTERM' });
  });

  test('stop together', async () => {
    const running = await connected(sh('sleep 1000'), sh('sleep 1000'));
    expect(await running.stop({ stdinMs: 0, termMs: 2000 })).toMatchObject({ signal: 'SIGTERM' });
  });
});
