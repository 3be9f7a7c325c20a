import fs from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { type Running, spawn, type SpawnOptions } from './spawn.ts';

test('tells the exit code and the tail of stderr', async () => {
  const running = start(`console.error('no such file'); process.exitCode = 3;`);
  expect(await running.exited).toEqual({
    kind: 'exited',
    exitCode: 3,
    signal: null,
    stderr: 'no such file\n',
  });
});

test('tells why a program could not be started', async () => {
  const running = spawn({ command: 'pluglot-no-such-program', env: {} });
  const exit = await running.exited;
  expect(exit).toMatchObject({ kind: 'not-started', error: { code: 'ENOENT' } });
  expect(running.pid).toBeUndefined();
  expect(await running.stop()).toBe(exit);
});

test('gives only the environment it was told to give', async () => {
  const running = spawn({
    command: process.execPath,
    args: ['-e', `console.error(Object.keys(process.env).join())`],
    env: { ONLY: 'this' },
  });
  expect(await running.exited).toMatchObject({ stderr: 'ONLY\n' });
});

test('drains a flood of stderr and keeps its end', async () => {
  let seen = 0;
  const running = start(
    `process.stderr.write('x'.repeat(4_000_000)); process.stderr.write('\\nlast words\\n');`,
    { stderrLimit: 100, onStderr: (chunk) => (seen += chunk.length) },
  );
  expect(await running.exited).toMatchObject({ exitCode: 0, stderr: 'last words\n' });
  expect(seen).toBe(4_000_012);
});

test('tells the end of stderr before the exit, after all that was printed', async () => {
  const seen: string[] = [];
  const running = start(`process.stderr.write('fatal: no config'); process.exitCode = 1;`, {
    onStderr: (chunk) => seen.push(chunk.toString()),
    onStderrEnd: () => seen.push('end'),
  });
  await running.exited;
  expect(seen).toEqual(['fatal: no config', 'end']);
});

test('stop lets a program end by itself when its stdin closes', async () => {
  const running = start(`process.stdin.resume().on('end', () => console.error('bye')); ${READY}`);
  await ready(running);
  expect(await running.stop()).toMatchObject({ exitCode: 0, signal: null, stderr: 'ready\nbye\n' });
});

test('stop sends SIGTERM to a program that ignores the end of stdin', async () => {
  const running = start(`setInterval(() => {}, 1000); ${READY}`);
  await ready(running);
  expect(await running.stop({ stdinMs: 20 })).toMatchObject({ exitCode: null, signal: 'SIGTERM' });
});

test('stop sends SIGKILL to a program that ignores SIGTERM', async () => {
  const running = start(`process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); ${READY}`);
  await ready(running);
  expect(await running.stop({ stdinMs: 20, termMs: 20 })).toMatchObject({ signal: 'SIGKILL' });
});

test('stop ends a stopped program', async () => {
  const running = start(`setInterval(() => {}, 1000); ${READY}`);
  await ready(running);
  running.signal('SIGSTOP');
  expect(await running.stop({ stdinMs: 20 })).toMatchObject({ signal: 'SIGTERM' });
});

test.runIf(process.platform === 'linux')('no descendant in the group outlives the leader', async () => {
  const grandchild = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);`;
  const running = start(`
    const { spawn } = require('node:child_process');
    const { pid } = spawn(process.execPath, ['-e', ${JSON.stringify(grandchild)}], { stdio: 'inherit' });
    console.error(pid);
    setTimeout(() => process.exit(7), 50);
  `);
  const exit = await running.exited;
  expect(exit).toMatchObject({ exitCode: 7 });
  const grandchildPid = Number.parseInt(exit.stderr, 10);
  expect(grandchildPid).toBeGreaterThan(0);
  await expect.poll(() => isAlive(grandchildPid)).toBe(false);
});

const READY = `console.error('ready');`;

function start(source: string, options?: SpawnOptions): Running {
  const running = spawn({ command: process.execPath, args: ['-e', source], env: process.env }, options);
  onTestFinished(() => running.signal('SIGKILL'));
  return running;
}

async function ready(running: Running): Promise<void> {
  await expect.poll(() => running.stderr(), { interval: 5 }).toContain('ready');
}

/** A killed grandchild stays a zombie until its new parent reaps it, so that kill(pid, 0) is no proof of life. */
function isAlive(pid: number): boolean {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/\) [ZX] /.test(stat);
  } catch {
    return false;
  }
}
