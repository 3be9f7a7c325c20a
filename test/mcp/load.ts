// Many clients of every kind at one host, whose plugins are killed meanwhile. What has to hold at the end is for its tests to say.
import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { late, within } from '../../src/base/async.ts';
import { Random } from '../fuzz/random.ts';
import { processesWith } from '../support/fleet/process-table.ts';
import { root } from '../support/project.ts';
import { clientKinds, type LoadClient, type LoadTarget } from './load-clients.ts';

export interface LoadReport {
  readonly calls: number;
  readonly kills: number;
  readonly restarts: number;
  /** Clients that went away in the middle of a call, and came back as new ones. */
  readonly left: number;
  /** By stable code, or `ok`. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** What calls failed with that is no stable code, or that did not end in time. */
  readonly unsettled: readonly string[];
  /** What the host held before and after, when all clients had gone. */
  readonly before: Holdings;
  readonly after: Holdings;
  /** Processes that outlived the host. */
  readonly survivors: number;
}

/** What a host holds, as test/hosts/endpoint-under-load.mjs tells it. */
interface Holdings {
  readonly heapKiB: number;
  readonly descriptors: number;
  readonly sockets: number;
  readonly sessions: number;
  /** Calls, those that wait included. */
  readonly running: number;
  readonly restarts: number;
  readonly states: Readonly<Record<string, string>>;
}

export interface LoadOptions {
  readonly seed: number;
  readonly clients: number;
  readonly callsEach: number;
  /** When the host gives up on clients that went without a word; longer than any that lives is silent. */
  readonly sessionIdleMs: number;
}

/** A call waits for restarts and for all others; the machine may be busy with something else. */
const CALL_LIMIT_MS = 45_000;
/** Well below the limit of a call that nobody waits for. */
const CALM_MS = 60_000;

export async function runLoad({ seed, clients, callsEach, sessionIdleMs }: LoadOptions): Promise<LoadReport> {
  const random = new Random(seed, 0);
  const mark = `PLUGLOT_LOAD=${randomUUID()}`;
  const host = await startHost(mark, sessionIdleMs);
  const ledger = {
    calls: 0,
    kills: 0,
    left: 0,
    outcomes: {} as Record<string, number>,
    unsettled: [] as string[],
  };
  let held: Pick<LoadReport, 'before' | 'after'>;
  try {
    const { target } = host;
    // What is loaded and compiled by the first ones, and logs that are kept up to a size, is no growth.
    await wave(target, random, mark, ledger, Math.ceil(clients / 2), Math.ceil(callsEach / 2));
    const before = await calm(host);
    await wave(target, random, mark, ledger, clients, callsEach);
    held = { before, after: await calm(host, before) };
  } finally {
    await host.close();
  }
  return { ...ledger, ...held, restarts: held.after.restarts, survivors: processesWith(mark).length };
}

/** What is wrong after a load; nothing, it is hoped. */
export function problemsIn(
  { unsettled, outcomes, before, after, survivors }: LoadReport,
  heapKiB: number,
): string[] {
  const lame = Object.entries(after.states).filter(([, state]) => state !== 'ready');
  return [
    ...unsettled.slice(0, 10),
    ...((outcomes['ok'] ?? 0) === 0 ? ['no call succeeded'] : []),
    ...(after.running > 0 ? [`${after.running} calls run for nobody`] : []),
    ...(after.sessions > 0 ? [`${after.sessions} sessions are left`] : []),
    ...(after.sockets > before.sockets ? [`${after.sockets} sockets are open, ${before.sockets} were`] : []),
    ...(after.descriptors > before.descriptors
      ? [`${after.descriptors} descriptors are open, ${before.descriptors} were`]
      : []),
    ...(after.heapKiB - before.heapKiB > heapKiB
      ? [`the heap grew by ${after.heapKiB - before.heapKiB} KiB`]
      : []),
    ...lame.map(([name, state]) => `${name} did not come back: it is ${state}`),
    ...(survivors > 0 ? [`${survivors} processes outlived the host`] : []),
  ];
}

interface Ledger {
  calls: number;
  kills: number;
  left: number;
  readonly outcomes: Record<string, number>;
  readonly unsettled: string[];
}

async function wave(
  target: LoadTarget,
  random: Random,
  mark: string,
  ledger: Ledger,
  clients: number,
  callsEach: number,
): Promise<void> {
  let goesOn = true;
  const killing = killWhile(() => goesOn, mark, random, ledger);
  try {
    await Promise.all(
      Array.from({ length: clients }, (_, index) => live(target, random, ledger, index, callsEach)),
    );
  } finally {
    goesOn = false;
    await killing;
  }
}

/** One client after the other at one place: a part of them goes away in the middle of a call. */
async function live(
  target: LoadTarget,
  random: Random,
  ledger: Ledger,
  index: number,
  callsEach: number,
): Promise<void> {
  const connect = clientKinds[index % clientKinds.length] ?? clientKinds[0];
  const leavesAt = random.chance(3) ? random.below(callsEach) : -1;
  let client = await connect(target);
  for (let count = 0; count < callsEach; count++) {
    if (count === leavesAt) {
      await client.leaveDuring(random.pick(toolsOf(target, 'hang')), random.below(100));
      ledger.left += 1;
      client = await connect(target);
    }
    await callOnce(client, target, random, ledger);
  }
  // Not everybody says goodbye.
  await client.close(random.chance(2));
}

async function callOnce(
  client: LoadClient,
  target: LoadTarget,
  random: Random,
  ledger: Ledger,
): Promise<void> {
  const deed = random.pick(deeds);
  const tool = random.pick(toolsOf(target, deed));
  const text = `text ${random.below(1_000_000)}`;
  ledger.calls += 1;
  const outcome = await within(
    client.call(tool, { text, ms: random.below(50), bytes: 4096 }),
    CALL_LIMIT_MS,
    systemClock,
  ).catch((error: unknown) => `a call failed: ${String(error)}`);
  if (outcome === late) ledger.unsettled.push(`a call of ${tool} did not end`);
  else if (typeof outcome === 'string') ledger.unsettled.push(`${tool}: ${outcome}`);
  else if (outcome.code === 'ok' && deed === 'echo' && !outcome.text.includes(text))
    ledger.unsettled.push(`${tool} answered with the text of another: ${outcome.text.slice(0, 100)}`);
  else ledger.outcomes[outcome.code] = (ledger.outcomes[outcome.code] ?? 0) + 1;
}

/** Most of them simply answer; some take their process with them. */
const deeds = [...Array.from({ length: 16 }, () => 'echo'), 'wait', 'wait', 'print', 'flood', 'crash'];

function toolsOf({ tools }: LoadTarget, deed: string): readonly string[] {
  return tools.filter((name) => name.endsWith(`__${deed}`));
}

async function killWhile(goesOn: () => boolean, mark: string, random: Random, ledger: Ledger): Promise<void> {
  while (goesOn()) {
    await new Promise((resolve) => setTimeout(resolve, 50 + random.below(300)));
    const pids = processesWith(mark);
    if (pids.length === 0 || !goesOn()) continue;
    try {
      process.kill(random.pick(pids), 'SIGKILL');
      ledger.kills += 1;
    } catch {
      // It ended meanwhile.
    }
  }
}

interface LoadHost {
  readonly target: LoadTarget;
  look(): Promise<Holdings>;
  close(): Promise<void>;
}

async function startHost(mark: string, sessionIdleMs: number): Promise<LoadHost> {
  const host = fork(path.join(root, 'test/hosts/endpoint-under-load.mjs'), [mark, String(sessionIdleMs)], {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const target = await answerOf<LoadTarget>(host);
  const ask = <Answer>(wish: 'look' | 'close') => {
    const answer = answerOf<Answer>(host);
    host.send(wish);
    return answer;
  };
  return {
    target,
    look: () => ask<Holdings>('look'),
    async close() {
      const ended = new Promise((resolve) => host.once('exit', resolve));
      if (host.connected) {
        await ask('close').catch(() => {});
        host.disconnect();
      }
      await ended;
    },
  };
}

function answerOf<Answer>(host: ChildProcess): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const exited = (code: number | null) => reject(new Error(`The host ended with ${code}.`));
    host.once('exit', exited);
    host.once('message', (message) => {
      host.off('exit', exited);
      resolve(message as Answer); // as our own host sends it
    });
  });
}

/** Waits until nothing is held any more that clients have brought, up to a limit: what is left then is a leak. */
async function calm(host: LoadHost, before?: Holdings): Promise<Holdings> {
  for (const deadline = performance.now() + CALM_MS; ;) {
    const now = await host.look();
    const isReady = Object.values(now.states).every((state) => state === 'ready');
    const isCalm = now.running + now.sessions + now.sockets === 0 && isReady;
    const isBack = before === undefined || now.descriptors <= before.descriptors;
    if ((isCalm && isBack) || performance.now() > deadline) return now;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
