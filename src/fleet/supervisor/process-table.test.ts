import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { environmentVariable, isAlive, listPids, readStat, readStats } from './process-table.ts';

describe.runIf(process.platform === 'linux')('on Linux', () => {
  test('a process is known by its number, its start and its parent', () => {
    const child = start(['sleep', '60']);
    const stat = readStat(child.pid ?? 0);
    expect(stat).toMatchObject({ pid: child.pid, parent: process.pid, state: 'alive' });
    expect(stat?.startTime).toMatch(/^\d+$/);
    expect(listPids()).toContain(child.pid);
    expect(readStats().map(({ pid }) => pid)).toContain(process.pid);
  });

  test('a name with parentheses and spaces does not confuse it', async () => {
    const child = start(['sh', '-c', `printf 'a) Z 1 (b' > /proc/$$/comm; echo; sleep 60`]);
    await once(child.stdout, 'data');
    expect(readStat(child.pid ?? 0)).toMatchObject({ parent: process.pid, state: 'alive' });
  });

  test('a stopped process is told from a running one', async () => {
    const child = start(['sleep', '60']);
    child.kill('SIGSTOP');
    await expect.poll(() => readStat(child.pid ?? 0)?.state).toBe('stopped');
  });

  test('a zombie is over', async () => {
    const child = start(['sh', '-c', 'sleep 60 & echo $!; exec sleep 60']);
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    const zombie = Number(said.toString());
    // Its parent has become a program that asks nobody for an exit code.
    await expect.poll(() => fs.readFileSync(`/proc/${child.pid}/comm`, 'utf8')).toBe('sleep\n');
    process.kill(zombie, 'SIGKILL');
    await expect.poll(() => readStat(zombie)?.state).toBe('over');
    expect(isAlive({ pid: zombie, startTime: readStat(zombie)?.startTime ?? '' })).toBe(false);
  });

  test('another process of the same number is another', () => {
    const { startTime = '' } = readStat(process.pid) ?? {};
    expect(isAlive({ pid: process.pid, startTime })).toBe(true);
    expect(isAlive({ pid: process.pid, startTime: String(Number(startTime) - 1) })).toBe(false);
  });

  test('the environment a process was started with can be asked', async () => {
    const child = start(['sh', '-c', 'echo; sleep 60'], { NOT_MARK: 'MARK=no', MARK: 'a b', EMPTY: '' });
    await once(child.stdout, 'data');
    const pid = child.pid ?? 0;
    expect(environmentVariable(pid, 'MARK')).toBe('a b');
    expect(environmentVariable(pid, 'EMPTY')).toBe('');
    expect(environmentVariable(pid, 'OTHER')).toBeUndefined();
  });

  test.each([1000, 3000, 3072, 6144, 100_000])('also behind %d bytes of other variables', async (size) => {
    const child = start(['sh', '-c', 'echo; sleep 60'], { LONG: 'x'.repeat(size), MARK: 'behind it' });
    await once(child.stdout, 'data');
    expect(environmentVariable(child.pid ?? 0, 'MARK')).toBe('behind it');
  });

  test('nothing is known of who is not there', () => {
    expect(readStat(2 ** 30)).toBeUndefined();
    expect(environmentVariable(2 ** 30, 'PATH')).toBeUndefined();
  });
});

function start([command = '', ...args]: string[], env: Record<string, string> = {}) {
  const child = spawn(command, args, {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}
