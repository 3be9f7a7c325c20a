import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createReaper, killTargets, MARK_VARIABLE, markValue } from './reaper.ts';
import { isAlive, readStat } from './process-table.ts';

test('a plugin of a plugin carries the marks of both', () => {
  expect(markValue('a.1', undefined)).toBe('a.1');
  expect(markValue('b.2', 'a.1')).toBe('a.1 b.2');
});

describe.runIf(process.platform === 'linux')('on Linux', () => {
  test.each([
    ['its own mark', 'aa.1', 'aa.1', true],
    ['the mark of its fleet', 'aa.1', 'aa', true],
    ['the mark of a fleet around it', 'bb.2 aa.1', 'bb', true],
    ['the mark of another', 'aa.1', 'aa.2', false],
    ['the mark of another fleet', 'aa.1', 'a', false],
    ['a mark with the same beginning', 'aa.11', 'aa.1', false],
  ])('a process is found by %s', async (_, carried, wanted, isFound) => {
    const { identity } = await start('', { [MARK_VARIABLE]: carried });
    const found = [...killTargets([{ mark: wanted }]).values()].flat();
    expect(found.map(({ pid }) => pid)).toEqual(isFound ? [identity.pid] : []);
    await expect.poll(() => isAlive(identity)).toBe(!isFound);
  });

  test('what has no mark is found by its parent', async () => {
    await start('env -i setsid sleep 61 & env -i sleep 62 &', { [MARK_VARIABLE]: 'cc.1' });
    expect([...killTargets([{ mark: 'cc.1' }]).values()].flat()).toHaveLength(3);
  });

  test('what has no mark is found by its session', async () => {
    const { identity } = await start('env -i sleep 61 &');
    const found = killTargets([{ mark: 'none', leader: identity }]);
    expect([...found.values()].flat()).toHaveLength(2);
  });

  test('what has no mark is found when it was known before', async () => {
    const { identity } = await start('');
    const found = killTargets([{ mark: 'none', members: new Set([identity]) }]);
    expect([...found.values()].flat()).toMatchObject([identity]);
  });

  test('the session of a stranger who has got the number of the leader is left alone', async () => {
    const { identity } = await start('');
    const earlier = { pid: identity.pid, startTime: '1' };
    expect(killTargets([{ mark: 'none', leader: earlier, members: new Set([earlier]) }]).size).toBe(0);
    expect(isAlive(identity)).toBe(true);
  });

  test('the reaper ends several at once and tells each when it is gone', async () => {
    const first = await start('', { [MARK_VARIABLE]: 'dd.1' });
    const second = await start('', { [MARK_VARIABLE]: 'dd.2' });
    const reaper = createReaper();
    await Promise.all([
      reaper.end({ mark: 'dd.1' }),
      reaper.end({ mark: 'dd.2' }),
      reaper.end({ mark: 'dd.3' }),
    ]);
    expect([first, second].map(({ identity }) => isAlive(identity))).toEqual([false, false]);
  });
});

async function start(script: string, env: Record<string, string> = {}) {
  const child = spawn('sh', ['-c', `${script} echo; exec sleep 60`], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const { pid = 0 } = child;
  return { child, identity: { pid, startTime: readStat(pid)?.startTime ?? '' } };
}
