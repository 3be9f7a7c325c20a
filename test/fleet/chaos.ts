// Twenty plugins of all dialects under random calls and random blows. What has to hold at the end is for its tests to say.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import v8 from 'node:v8';
import vm from 'node:vm';
import { createFleet, type Fleet } from '../../src/fleet/fleet.ts';
import type { Launcher } from '../../src/fleet/supervisor/launcher.ts';
import type { DialectName, PluginSpec } from '../../src/definition/plugin-spec.ts';
import { Random } from '../fuzz/random.ts';
import { processesWith } from '../support/process-table.ts';
import { root } from '../support/project.ts';

export interface ChaosReport {
  readonly calls: number;
  readonly blows: number;
  readonly restarts: number;
  /** Calls that were still open after their limit and a margin. */
  readonly unsettled: number;
  readonly outcomes: Readonly<Record<string, number>>;
  /** What each plugin came to: ready, or failed with this reason. */
  readonly states: readonly {
    readonly name: string;
    readonly state: string;
    readonly reason: string | undefined;
  }[];
  readonly heapGrowthMiB: number;
  /** Processes that outlived the fleet. */
  readonly survivors: number;
}

export interface ChaosOptions {
  readonly seed: number;
  readonly durationMs: number;
  /** It goes on until so much has happened, however slow the machine is. */
  readonly atLeast: { readonly calls: number; readonly blows: number };
  readonly launcher: Launcher;
}

const dialects: readonly DialectName[] = ['gassist', 'gevals', 'mcp', 'yams'];
const PLUGINS = 20;
const CALLERS = 24;
const CALL_LIMIT_MS = 2000;
/** A call waits for a restart, runs up to its limit, and on a loaded machine all of that is late. */
const MARGIN_MS = 15_000;

export async function runChaos({ seed, durationMs, atLeast, launcher }: ChaosOptions): Promise<ChaosReport> {
  const random = new Random(seed, 0);
  const mark = `PLUGLOT_CHAOS=${randomUUID()}`;
  const specs = Array.from({ length: PLUGINS }, (_, index) => specOf(index, mark));
  const fleet = createFleet({ specs, launcher });
  const ledger = { calls: 0, blows: 0, open: new Set<object>(), outcomes: {} as Record<string, number> };
  let report: Omit<ChaosReport, 'survivors'>;
  try {
    await fleet.start();
    const until = performance.now() + durationMs;
    const rage = async (goesOn: () => boolean) => {
      await Promise.all([
        ...Array.from({ length: CALLERS }, () => callWhile(goesOn, fleet, random, ledger)),
        strikeWhile(goesOn, mark, random, ledger),
      ]);
    };
    // Logs are kept up to a size: what they hold is there after a while, and does not grow from then on.
    const warm = performance.now() + durationMs / 3;
    await rage(() => performance.now() < warm);
    const heapBefore = heapAfterCollection();
    await rage(
      () => performance.now() < until || ledger.calls < atLeast.calls || ledger.blows < atLeast.blows,
    );
    continueAll(mark);
    await settled(ledger.open, CALL_LIMIT_MS + MARGIN_MS);
    const states = await Promise.all(fleet.plugins.map((plugin) => comeBack(plugin)));
    report = {
      calls: ledger.calls,
      blows: ledger.blows,
      outcomes: ledger.outcomes,
      unsettled: ledger.open.size,
      restarts: fleet.plugins.reduce((sum, { status }) => sum + status.restarts, 0),
      states,
      heapGrowthMiB: (heapAfterCollection() - heapBefore) / 1024 / 1024,
    };
  } finally {
    await fleet.close();
  }
  return { ...report, survivors: processesWith(mark).length };
}

function specOf(index: number, mark: string): PluginSpec {
  const dialect = dialects[index % dialects.length] ?? 'yams';
  const [name = '', value = ''] = mark.split('=');
  return {
    name: `${dialect}-${index}`,
    dialect,
    start: {
      kind: 'program',
      command: process.execPath,
      args: [path.join(root, `test/plugins/chaos/${dialect}.mjs`)],
      env: { [name]: value },
    },
    limits: {
      callMs: CALL_LIMIT_MS,
      pingEveryMs: 500,
      pingMs: 1000,
      cancelMs: 500,
      shutdownMs: 500,
      termMs: 500,
    },
    // Blows are many more than any plugin would earn by itself.
    restart: { max: 1_000_000, firstDelayMs: 50, maxDelayMs: 500 },
  };
}

type Ledger = {
  calls: number;
  blows: number;
  readonly open: Set<object>;
  readonly outcomes: Record<string, number>;
};

/** One caller: a call after the other, now and then given up. */
async function callWhile(goesOn: () => boolean, fleet: Fleet, random: Random, ledger: Ledger): Promise<void> {
  while (goesOn()) {
    const plugin = random.pick(fleet.plugins);
    const [deed, args] = random.pick(callables)(random);
    const call = plugin.call(deed, args, { timeoutMs: CALL_LIMIT_MS });
    ledger.calls += 1;
    ledger.open.add(call);
    const over = call.then((outcome) => {
      ledger.open.delete(call);
      const how = outcome.ok ? 'ok' : outcome.error.code;
      ledger.outcomes[how] = (ledger.outcomes[how] ?? 0) + 1;
    });
    if (random.chance(10)) call.cancel();
    await over;
  }
}

type Callable = (random: Random) => [string, Record<string, string | number>];

const callables: readonly Callable[] = [
  () => ['echo', { text: 'hello' }],
  (random) => ['echo', { text: 'x'.repeat(random.below(50_000)) }],
  (random) => ['wait', { ms: random.below(200) }],
  () => ['print', {}],
  () => ['flood', { bytes: 256 * 1024 }],
  () => ['crash', {}],
  (random) => (random.chance(5) ? ['hang', {}] : ['echo', {}]),
  () => ['spawn', {}],
];

/** Signals to any of the processes, grandchildren too. */
async function strikeWhile(
  goesOn: () => boolean,
  mark: string,
  random: Random,
  ledger: Ledger,
): Promise<void> {
  while (goesOn()) {
    await new Promise((resolve) => setTimeout(resolve, random.below(100)));
    const pids = processesWith(mark);
    if (pids.length === 0) continue;
    const signal = random.pick(['SIGKILL', 'SIGTERM', 'SIGSTOP', 'SIGSTOP', 'SIGCONT', 'SIGINT'] as const);
    try {
      process.kill(random.pick(pids), signal);
      ledger.blows += 1;
    } catch {
      // It ended meanwhile.
    }
  }
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
async function comeBack(plugin: Fleet['plugins'][number]) {
  const deadline = performance.now() + MARGIN_MS;
  let reason: string | undefined;
  while (performance.now() < deadline) {
    const outcome = await plugin.call('echo', { text: 'back' }, { timeoutMs: CALL_LIMIT_MS });
    if (outcome.ok) return { name: plugin.name, state: 'ready', reason: undefined };
    reason = `${outcome.error.code}: ${outcome.error.message}`;
  }
  return { name: plugin.name, state: plugin.status.state, reason };
}

/** Garbage is no growth; a worker of the tests cannot be started with --expose-gc. */
function heapAfterCollection(): number {
  v8.setFlagsFromString('--expose-gc');
  (vm.runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

/** Waits until all calls are over, up to a limit: what is left then hangs. */
async function settled(open: ReadonlySet<object>, limitMs: number): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (open.size > 0 && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 50));
}
