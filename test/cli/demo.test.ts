// The first things people type: the version, and the demonstration of the channel.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { execute, root } from '../support/project.ts';

const program = path.join(root, 'dist/surface/cli/main.js');
const pluglot = (...args: readonly string[]) => execute(process.execPath, [program, ...args]);

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    version: string;
  };
  expect(await pluglot('--version')).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
});

test('demo shows every scene, without escapes when nobody watches, and leaves no process', async () => {
  const { exitCode, stdout, stderr } = await pluglot('demo');
  expect(stderr).toBe('');
  expect(exitCode).toBe(0);
  for (const scene of ['start', 'call', 'stream', 'cancel', 'limit', 'noise', 'kill', 'stop']) {
    expect(stdout).toMatch(new RegExp(`^ {2}✓ ${scene} `, 'm'));
  }
  // oxlint-disable-next-line no-control-regex
  expect(stdout).not.toMatch(/\u001B/);
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  const pids = [...stdout.matchAll(/pid (\d+)/g)].map(([, pid]) => Number(pid));
  expect(pids).toHaveLength(2);
  for (const pid of pids) expect(fs.existsSync(`/proc/${pid}`)).toBe(false);
});

test('demo --json prints data and nothing else', async () => {
  const { exitCode, stdout } = await pluglot('demo', '--json');
  expect(exitCode).toBe(0);
  const figures = {
    p50Us: expect.any(Number) as number,
    p99Us: expect.any(Number) as number,
    callsPerSecond: {
      1: expect.any(Number) as number,
      64: expect.any(Number) as number,
      1024: expect.any(Number) as number,
    },
  };
  expect(JSON.parse(stdout)).toMatchObject({
    ok: true,
    figures: { lines: figures, 'length-prefix': figures },
  });
});

test('an interrupted demo stops its plugins and exits with 130', async () => {
  const child = spawn(process.execPath, [program, 'demo'], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let seen = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    if (!seen.includes('✓ call') && `${seen}${chunk}`.includes('✓ call')) child.kill('SIGINT');
    seen += chunk;
  });
  const exitCode = await new Promise((resolve) => child.once('close', resolve));
  expect(exitCode).toBe(130);
  expect(seen).toContain('Interrupted.');
  for (const [, pid] of seen.matchAll(/pid (\d+)/g)) expect(fs.existsSync(`/proc/${pid}`)).toBe(false);
});

test('a reader that goes away ends the command quietly', async () => {
  const child = spawn(process.execPath, [program, 'demo'], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const stderr = text(child.stderr);
  child.stdout.once('data', () => child.stdout.destroy());
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
  expect(await stderr).toBe('');
});
