// Ends hosts in every way there is, at random moments, and counts what is left of their plugins by reading /proc.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainmentMode } from '../../src/fleet/supervisor/containment.ts';
import { Random } from '../fuzz/random.ts';
import { newRun, survivors } from '../support/fleet/process-table.ts';
import { root } from '../support/project.ts';

export interface KillReport {
  readonly kills: number;
  /** How often each way was taken. */
  readonly ways: Readonly<Record<string, number>>;
  /** What was left of plugins and wardens, when it should not have been. */
  readonly survivors: readonly string[];
  /** What became of the plugins of a host that nobody touched. */
  readonly bystanders: 'untouched' | 'touched';
  /** Files that nobody removed. */
  readonly files: readonly string[];
}

const signals = ['SIGKILL', 'SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGSEGV'] as const;
const words = ['throw', 'reject', 'exit', 'abort', 'close'] as const;

/** The hosts of a round run and end side by side, all of them in one state folder. */
const AT_ONCE = 5;

/** A loaded machine is slow; whoever survives that long survives. */
const PATIENCE_MS = 20_000;

export async function killHosts(mode: ContainmentMode, kills: number, seed: number): Promise<KillReport> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pluglot-'));
  const bystander = startHost(mode, folder, 'calm');
  const ways: Record<string, number> = {};
  const left: string[] = [];
  try {
    const before = await sleepersOf(bystander);
    for (let killed = 0; killed < kills; killed += AT_ONCE) {
      const round = Array.from({ length: Math.min(AT_ONCE, kills - killed) }, (_, index) =>
        killOne(mode, folder, new Random(seed, killed + index), ways),
      );
      const runs = await Promise.all(round);
      // Without anyone who sees the end of a host, the next host ends what is left.
      if (mode === 'group') await nextHost(mode, folder);
      for (const run of runs) left.push(...(await survivorsAfterAll(run)));
    }
    const after = survivors(bystander.run);
    const bystanders = before.every((each) => after.includes(each)) ? 'untouched' : 'touched';
    bystander.child.stdin?.write('close\n');
    await bystander.exited;
    await nextHost(mode, folder);
    // Wardens and hosts have the folder in their command line.
    left.push(...survivors(bystander.run), ...(await survivorsAfterAll(folder)));
    const files = ['state/fleets', 'tmp'].flatMap((name) => fs.readdirSync(path.join(folder, name)));
    return { kills, ways, survivors: left, bystanders, files };
  } finally {
    bystander.child.kill('SIGKILL');
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

async function killOne(
  mode: ContainmentMode,
  folder: string,
  random: Random,
  ways: Record<string, number>,
): Promise<string> {
  const host = startHost(mode, folder);
  // Half of them while they start.
  if (random.chance(2)) await host.ready;
  await sleep(random.below(300));
  const way = random.pick([...signals, ...words]);
  ways[way] = (ways[way] ?? 0) + 1;
  if (isSignal(way)) host.child.kill(way);
  else host.child.stdin?.write(`${way}\n`);
  await host.exited;
  return host.run;
}

/** Starts and ends without a plugin. */
async function nextHost(mode: ContainmentMode, folder: string): Promise<void> {
  const host = startHost(mode, folder, 'empty');
  await host.ready;
  host.child.stdin?.write('close\n');
  await host.exited;
}

interface Host {
  readonly run: string;
  readonly child: ChildProcess;
  /** Resolves as well when it ends before. */
  readonly ready: Promise<void>;
  readonly exited: Promise<void>;
}

function startHost(mode: ContainmentMode, folder: string, manner = ''): Host {
  const run = newRun();
  const program = path.join(root, 'test/hosts/fleet-to-be-killed.mjs');
  const args = [mode, path.join(folder, 'state'), path.join(folder, 'tmp'), run, manner];
  const child = spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.on('error', () => {});
  const exited = once(child, 'exit').then(() => {});
  const ready = Promise.race([once(child.stdout, 'data').then(() => {}), exited]);
  return { run, child, ready, exited };
}

/** Each of its plugins has one process that sleeps, in the end. */
async function sleepersOf(host: Host): Promise<string[]> {
  await host.ready;
  const sleepers = () => survivors(host.run).filter((each) => /^\d+: sleep /.test(each));
  while (sleepers().length < 4) await sleep(20);
  return sleepers();
}

/** Empty as soon as nothing is left. */
async function survivorsAfterAll(mark: string): Promise<string[]> {
  const until = performance.now() + PATIENCE_MS;
  let left = survivors(mark);
  while (left.length > 0 && performance.now() < until) {
    await sleep(20);
    left = survivors(mark);
  }
  return left;
}

function isSignal(way: string): way is NodeJS.Signals {
  return way.startsWith('SIG');
}
