import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { ledgerFile, openLedger, sweepLedgers } from './ledger.ts';
import { isAlive, readStat } from './process-table.ts';
import { createReaper } from './reaper.ts';

const FLEET = '0123456789ab';
let folder: string;
let temporary: string;
beforeEach(() => {
  const root = temporaryFolder();
  folder = path.join(root, 'fleets');
  temporary = path.join(root, `pluglot-${FLEET}`);
});

describe.runIf(process.platform === 'linux')('the ledger of a host', () => {
  test('is private, and gone when the host has closed', () => {
    const ledger = openLedger(folder, FLEET, temporary);
    expect(fs.statSync(ledgerFile(folder, FLEET)).mode & 0o777).toBe(0o600);
    ledger.close();
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  test('that lives is not touched', async () => {
    const child = sleeper();
    openLedger(folder, FLEET, temporary).add(identityOf(child));
    await sweep();
    expect(isAlive(identityOf(child))).toBe(true);
    expect(fs.readdirSync(folder)).toHaveLength(1);
  });

  test('that is gone is swept: its processes, its temporary files, the ledger', async () => {
    const child = sleeper();
    const marked = sleeper({ PLUGLOT_FLEET: `${FLEET}.7` });
    const stranger = sleeper({ PLUGLOT_FLEET: 'ba9876543210.7' });
    fs.mkdirSync(path.join(temporary, '1'), { recursive: true });
    openLedger(folder, FLEET, temporary).add(identityOf(child));
    rewriteOwner((owner) => ({ ...owner, startTime: '1' }));
    const identities = [child, marked, stranger].map(identityOf);
    await sweep();
    await expect.poll(() => identities.map(isAlive)).toEqual([false, false, true]);
    expect(fs.existsSync(temporary)).toBe(false);
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  test('does not make us kill who has got the number of a process since', async () => {
    const child = sleeper();
    const { pid, startTime } = identityOf(child);
    openLedger(folder, FLEET, temporary).add({ pid, startTime: String(Number(startTime) - 1) });
    rewriteOwner((owner) => ({ ...owner, startTime: '1' }));
    await sweep();
    expect(isAlive({ pid, startTime })).toBe(true);
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  test('of an earlier boot tells of no process', async () => {
    const child = sleeper();
    openLedger(folder, FLEET, temporary).add(identityOf(child));
    rewriteOwner((owner) => ({ ...owner, boot: 'another' }));
    await sweep();
    expect(isAlive(identityOf(child))).toBe(true);
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  test('of a host in another container is left alone', async () => {
    const child = sleeper();
    openLedger(folder, FLEET, temporary).add(identityOf(child));
    rewriteOwner((owner) => ({ ...owner, startTime: '1', namespace: 'pid:[1]' }));
    await sweep();
    expect(isAlive(identityOf(child))).toBe(true);
    expect(fs.readdirSync(folder)).toHaveLength(1);
  });

  test.each([
    '',
    'nonsense',
    '{"pid":1}',
    JSON.stringify({
      pid: 99999999,
      startTime: '1',
      fleet: FLEET,
      temporaryFolder: '/',
      boot: '',
      namespace: '',
    }),
    JSON.stringify({
      pid: 99999999,
      startTime: '1',
      fleet: '..',
      temporaryFolder: '/tmp/pluglot-..',
      boot: '',
      namespace: '',
    }),
  ])('that says %j makes us do nothing', async (text) => {
    fs.mkdirSync(folder);
    fs.writeFileSync(ledgerFile(folder, FLEET), `${text}\n{"pid":1,"startTime":"1"}\n`);
    await sweep();
    expect(fs.existsSync(os.tmpdir())).toBe(true);
    expect(fs.readdirSync(folder)).toHaveLength(1);
  });

  test('stays short', () => {
    const ledger = openLedger(folder, FLEET, temporary);
    for (let pid = 0; pid < 2000; pid += 1) ledger.add({ pid: 2 ** 28 + pid, startTime: '1' });
    expect(fs.readFileSync(ledgerFile(folder, FLEET), 'utf8').split('\n').length).toBeLessThan(600);
    expect(fs.readdirSync(folder)).toHaveLength(1);
  });

  test('that cannot be written to stops nobody', () => {
    const ledger = openLedger(folder, FLEET, temporary);
    fs.rmSync(folder, { recursive: true });
    ledger.add({ pid: 2 ** 28, startTime: '1' });
    ledger.close();
    expect(fs.existsSync(folder)).toBe(false);
  });

  test('a folder that is not there has nothing to sweep', async () => {
    await expect(sweepLedgers('/no/such/folder', createReaper())).resolves.toBeUndefined();
  });
});

function sweep(): Promise<void> {
  return sweepLedgers(folder, createReaper());
}

function rewriteOwner(change: (owner: Record<string, unknown>) => Record<string, unknown>): void {
  const file = ledgerFile(folder, FLEET);
  const [first = '', ...rest] = fs.readFileSync(file, 'utf8').split('\n');
  // The first line is the owner, an object.
  const owner = JSON.parse(first) as Record<string, unknown>;
  fs.writeFileSync(file, [JSON.stringify(change(owner)), ...rest].join('\n'));
}

function sleeper(env: Record<string, string> = {}): ChildProcess {
  const child = spawn('sleep', ['60'], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: 'ignore',
    detached: true,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

function identityOf({ pid = 0 }: ChildProcess): { pid: number; startTime: string } {
  return { pid, startTime: readStat(pid)?.startTime ?? 'gone' };
}
