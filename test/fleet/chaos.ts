// Twenty plugins of all dialects under random calls and random blows. What has to hold at the end is for its tests to say.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { createFleet, type Fleet } from '../../src/fleet/fleet.ts';
import type { Launcher } from '../../src/fleet/supervisor/launcher.ts';
import { Random } from '../fuzz/random.ts';
import { growth, memoryInUse, type MemoryInUse } from './memory-in-use.ts';
import { processesWith } from '../support/fleet/process-table.ts';
import { root } from '../support/project.ts';
import { chaosPlugins, type ChaosPlugin } from './chaos-plugins.ts';

export interface ChaosReport {
  readonly calls: number;
  readonly blows: number;
  readonly restarts: number;
  /** Calls that were still open long after the end. */
  readonly unsettled: number;
  /** The calls that were the most over their limit, the worst first. */
  readonly over: readonly OverLimit[];
  readonly outcomes: Readonly<Record<string, number>>;
  /** The dialects of which calls succeeded. */
  readonly succeeded: ReadonlySet<string>;
  /** What each plugin came to: ready, or failed with this reason. */
  readonly states: readonly PluginEnd[];
  /** What was told when a plugin was given up; it was started again each time. */
  readonly givenUp: readonly { readonly name: string; readonly reason: string }[];
  readonly grown: MemoryInUse;
  /** Processes that outlived the fleet. */
  readonly survivors: number;
}

/** A call that waited longer than its limit to be sent, or took longer than its limit from then on. */
interface OverLimit {
  readonly call: string;
  /** None for one that was cancelled at once. */
  readonly limitMs: number;
  readonly waitedMs: number;
  readonly tookMs: number;
  /** How long this process itself was held up at a time meanwhile. */
  readonly heldUpMs: number;
  /** By how much it is over what can be kept. */
  readonly overMs: number;
  readonly code: string;
}

interface PluginEnd {
  readonly name: string;
  readonly state: string;
  readonly reason: string | undefined;
  readonly hasSmallBudget: boolean;
}

export interface ChaosOptions {
  readonly seed: number;
  readonly durationMs: number;
  /** It goes on until so much has happened, however slow the machine is. */
  readonly atLeast: { readonly calls: number; readonly blows: number; readonly givenUp: number };
  readonly launcher: Launcher;
}

const CALLERS = 24;
const CALL_LIMITS_MS = [500, 1000, 2000];
/** For what comes after the last call: a plugin may have to be noticed, ended and started again. */
const MARGIN_MS = 15_000;

export async function runChaos({ seed, durationMs, atLeast, launcher }: ChaosOptions): Promise<ChaosReport> {
  const mark = `PLUGLOT_CHAOS=${randomUUID()}`;
  const plugins = chaosPlugins(mark);
  const fleet = createFleet({ specs: plugins.map(({ spec }) => spec), launcher });
  const lag = lagMeter();
  const world: World = { fleet, plugins, lag, random: new Random(seed, 0), mark, ledger: newLedger() };
  const { ledger } = world;
  let report: Omit<ChaosReport, 'survivors'>;
  try {
    await fleet.start();
    const until = performance.now() + durationMs;
    const rage = async (goesOn: () => boolean) => {
      const quiet = startAgainWhile(goesOn, world);
      await Promise.all([
        ...Array.from({ length: CALLERS }, () => callWhile(goesOn, world)),
        strikeWhile(goesOn, world),
      ]);
      quiet();
    };
    const warm = performance.now() + durationMs / 3;
    await rage(() => performance.now() < warm);
    await fillLogs(world);
    const before = memoryInUse();
    await rage(
      () =>
        performance.now() < until ||
        ledger.calls < atLeast.calls ||
        ledger.blows < atLeast.blows ||
        ledger.givenUp.length < atLeast.givenUp,
    );
    continueAll(mark);
    await settled(ledger.open, Math.max(...CALL_LIMITS_MS) + MARGIN_MS);
    const states = await Promise.all(plugins.map((plugin) => comeBack(fleet, plugin)));
    const { calls, blows, outcomes, succeeded, over, givenUp, open } = ledger;
    report = {
      calls,
      blows,
      outcomes,
      succeeded,
      over,
      givenUp,
      unsettled: open.size,
      restarts: fleet.plugins.reduce((sum, { status }) => sum + status.restarts, 0),
      states,
      grown: growth(before, memoryInUse()),
    };
  } finally {
    lag.stop();
    await fleet.close();
  }
  return { ...report, survivors: processesWith(mark).length };
}

interface World {
  readonly fleet: Fleet;
  readonly plugins: readonly ChaosPlugin[];
  readonly lag: LagMeter;
  readonly random: Random;
  readonly mark: string;
  readonly ledger: Ledger;
}

interface Ledger {
  calls: number;
  blows: number;
  readonly open: Set<object>;
  readonly outcomes: Record<string, number>;
  readonly succeeded: Set<string>;
  over: readonly OverLimit[];
  readonly givenUp: { name: string; reason: string }[];
}

function newLedger(): Ledger {
  return { calls: 0, blows: 0, open: new Set(), outcomes: {}, succeeded: new Set(), over: [], givenUp: [] };
}

/** One caller: a call after the other, now and then given up. */
async function callWhile(
  goesOn: () => boolean,
  { fleet, plugins, random, lag, ledger }: World,
): Promise<void> {
  while (goesOn()) {
    const { spec, hasSmallBudget } = random.pick(plugins);
    // So that its budget is used up, and not only by luck.
    const isDoomed = hasSmallBudget && random.chance(4);
    const [deed, args] = isDoomed ? crash : random.pick(callables)(random);
    const limitMs = random.pick(CALL_LIMITS_MS);
    const isCancelled = random.chance(10);
    const startedAt = performance.now();
    const call = fleet.plugin(spec.name).call(deed, args, { timeoutMs: limitMs });
    ledger.calls += 1;
    ledger.open.add(call);
    if (isCancelled) call.cancel();
    const outcome = await call;
    ledger.open.delete(call);
    const code = outcome.ok ? 'ok' : outcome.error.code;
    ledger.outcomes[code] = (ledger.outcomes[code] ?? 0) + 1;
    if (outcome.ok) ledger.succeeded.add(spec.dialect ?? '');
    note(ledger, {
      call: `${deed} of ${spec.name}`,
      limitMs: isCancelled ? 0 : limitMs,
      waitedMs: Math.round(performance.now() - startedAt - outcome.durationMs),
      tookMs: Math.round(outcome.durationMs),
      heldUpMs: Math.round(lag.longestSince(startedAt)),
      code,
    });
  }
}

/** Both its waiting and its work are held against its limit, as limits run from sending. The worst are enough. */
function note(ledger: Ledger, one: Omit<OverLimit, 'overMs'>): void {
  const { limitMs, waitedMs, tookMs, heldUpMs } = one;
  const overMs = Math.max(waitedMs, tookMs) - limitMs - UNNOTICED_MS - TIMES_HELD_UP * heldUpMs;
  if (overMs <= 0) return;
  ledger.over = [...ledger.over, { ...one, overMs }].toSorted((a, b) => b.overMs - a.overMs).slice(0, WORST);
}

const WORST = 5;
/** For the end of a process to be known, and its last words. */
const UNNOTICED_MS = 250;
/** As src/base/clock.ts has it: a timer that is late waits as long again, may be late then too, and reads what has come first. */
const TIMES_HELD_UP = 4;

type Deed = readonly [string, Record<string, string | number>];

const crash: Deed = ['crash', {}];
const callables: readonly ((random: Random) => Deed)[] = [
  () => ['echo', { text: 'hello' }],
  (random) => ['echo', { text: 'x'.repeat(random.below(50_000)) }],
  (random) => ['wait', { ms: random.below(200) }],
  () => ['print', {}],
  () => ['flood', { bytes: 256 * 1024 }],
  () => crash,
  (random) => (random.chance(5) ? ['hang', {}] : ['echo', {}]),
  () => ['spawn', {}],
];

/** As an operator would: what was given up is started again, a moment later. Nobody does any more when it is called. */
function startAgainWhile(goesOn: () => boolean, { fleet, ledger }: World): () => void {
  // That it fails again is told by the next event.
  const startAgain = (plugin: Fleet['plugins'][number]) => void plugin.start().catch(() => {});
  for (const plugin of fleet.plugins) if (plugin.status.state === 'failed') startAgain(plugin);
  return fleet.onEvent((event) => {
    if (event.kind !== 'state-changed' || event.state !== 'failed') return;
    const { plugin: name, reason } = event;
    ledger.givenUp.push({ name, reason: reason === undefined ? '' : `${reason.code}: ${reason.message}` });
    setTimeout(() => {
      if (goesOn()) startAgain(fleet.plugin(name));
    }, 100);
  });
}

/** Signals to any of the processes, grandchildren too. */
async function strikeWhile(goesOn: () => boolean, { mark, random, ledger }: World): Promise<void> {
  const program = path.join(root, 'test/hosts/strikes-at-random.mjs');
  const striker = spawn(process.execPath, [program, mark, String(random.below(2 ** 31))]);
  const over = once(striker, 'exit');
  striker.stdout.on('data', (told: Buffer) => {
    ledger.blows += told.toString().split('\n').length - 1;
  });
  while (goesOn()) await new Promise((resolve) => setTimeout(resolve, 50));
  striker.stdin.end();
  await over;
}

/** Logs are kept up to a size: when they are full they have no more reason to grow. */
async function fillLogs({ fleet, mark }: World): Promise<void> {
  continueAll(mark);
  const deadline = performance.now() + MARGIN_MS;
  const fill = async (plugin: Fleet['plugins'][number]) => {
    while (sizeOf(plugin.logs) < FULL_LOG) {
      if (performance.now() > deadline) throw new Error(`The log of ${plugin.name} could not be filled.`);
      if (plugin.status.state === 'failed') await plugin.start().catch(() => {});
      await plugin.call('flood', { bytes: 2 * FULL_LOG }, { timeoutMs: MARGIN_MS });
    }
  };
  await Promise.all(fleet.plugins.map(fill));
}

/** In characters, of the 1,048,576 that are kept; the rest is what an entry costs beside its message. */
const FULL_LOG = 850_000;

function sizeOf({ entries }: Fleet['plugins'][number]['logs']): number {
  return entries.reduce((sum, { message }) => sum + message.length, 0);
}

function continueAll(mark: string): void {
  for (const pid of processesWith(mark)) {
    try {
      process.kill(pid, 'SIGCONT');
    } catch {
      // It ended meanwhile.
    }
  }
}

/** A plugin that is left in peace answers again, or says why it does not. */
async function comeBack(fleet: Fleet, { spec, hasSmallBudget }: ChaosPlugin): Promise<PluginEnd> {
  const plugin = fleet.plugin(spec.name);
  const deadline = performance.now() + MARGIN_MS;
  let reason: string | undefined;
  let state: string = plugin.status.state;
  while (performance.now() < deadline && state !== 'failed') {
    const outcome = await plugin.call('echo', { text: 'back' }, { timeoutMs: 2000 });
    if (outcome.ok) return { name: spec.name, state: 'ready', reason: undefined, hasSmallBudget };
    reason = `${outcome.error.code}: ${outcome.error.message}`;
    state = plugin.status.state;
  }
  return { name: spec.name, state, reason: plugin.status.reason?.message ?? reason, hasSmallBudget };
}

/** Waits until all calls are over, up to a limit: what is left then hangs. */
async function settled(open: ReadonlySet<object>, limitMs: number): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (open.size > 0 && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 50));
}

// How late this process itself was: where the machine is busy it does not get the processor when a timer is due, and keeps no time limit better.

interface LagMeter {
  /** The longest that it was held up since then, in milliseconds. */
  longestSince(since: number): number;
  stop(): void;
}

const EVERY_MS = 10;
/** What is shorter, nobody notices. */
const NOTICED_MS = 5;
/** So long back one may ask. */
const KEPT_MS = 60_000;

function lagMeter(): LagMeter {
  let before = performance.now();
  let blocks: { at: number; lateMs: number }[] = [];
  const lateMs = () => Math.max(0, performance.now() - before - EVERY_MS);
  const timer = setInterval(() => {
    const late = lateMs();
    before = performance.now();
    if (late > NOTICED_MS) blocks.push({ at: before, lateMs: late });
    if (blocks.length > 10_000) blocks = blocks.filter(({ at }) => at > before - KEPT_MS);
  }, EVERY_MS);
  return {
    longestSince: (since) =>
      blocks.reduce((most, block) => (block.at >= since ? Math.max(most, block.lateMs) : most), lateMs()),
    stop: () => clearInterval(timer),
  };
}
