// `pluglot demo`: two real plugins, one per framing, through the life of a call. Shows only what it saw happen.
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PluglotError, toError } from '../../../base/error.ts';
import { lengthPrefix } from '../../../channel/frame/length-prefix.ts';
import { lines } from '../../../channel/frame/lines.ts';
import { framedLink } from '../../../channel/link/framed-link.ts';
import type { PeerTrouble } from '../../../channel/peer/options.ts';
import { Peer } from '../../../channel/peer/peer.ts';
import { spawn, type Running } from '../../../fleet/supervisor/spawn.ts';
import { defineCommand } from '../command.ts';
import { ExitCode } from '../exit-code.ts';
import { type CommandContext, unlessInterrupted } from '../context.ts';
import { cancelWords } from './cancel-words.ts';
import { measure, type Figures, jsonReport, textReport, type Report, type Shown } from './report.ts';

export const commands = {
  demo: defineCommand({
    description:
      'Show the JSON-RPC channel at work: two plugins, one per framing, called, streamed, cancelled and killed',
    examples: ['pluglot demo', 'pluglot demo --json'],
    run: demo,
  }),
};

async function demo(context: CommandContext): Promise<ExitCode> {
  const { version, stdout, out, env, signal, json } = context;
  const about = { version, node: process.versions.node, cores: os.availableParallelism() };
  const report = json ? jsonReport(stdout, about) : textReport(out, about);
  const plugins = framingNames.map((framing) => startPlugin(framing, env));
  try {
    await unlessInterrupted(signal, play(plugins, report, signal));
    report.end({ ok: true });
    return ExitCode.ok;
  } catch (thrown) {
    report.end({ ok: false, reason: toError(thrown).message });
    return ExitCode.broken;
  } finally {
    await Promise.all(plugins.map(({ running }) => running.stop({ stdinMs: 500, termMs: 500 })));
  }
}

async function play(plugins: readonly DemoPlugin[], report: Report, signal: AbortSignal): Promise<void> {
  const [first, ...others] = plugins;
  const show = async (name: string, scene: Scene, cast: readonly (DemoPlugin | undefined)[] = plugins) => {
    report.begin(name);
    for (const plugin of cast) if (plugin) report.shown(name, plugin.framing, await scene(plugin));
  };
  report.begin('start');
  const started = await Promise.all(plugins.map(start));
  for (const [index, shown] of started.entries()) report.shown('start', plugins[index]?.framing ?? '', shown);

  await show('call', call);
  await show('stream', stream);
  await show('cancel', cancel);
  await show('limit', limit);
  await show('noise', noise);

  const figures = new Map<string, Figures>();
  for (const { framing, peer } of plugins) {
    report.begin(`measuring ${framing}`);
    figures.set(framing, await measure(peer, signal));
  }
  await show('kill', kill, [first]);
  await show('call', call, others);
  await show('stop', stop, others);
  report.figures(figures);
}

type Scene = (plugin: DemoPlugin) => Promise<Shown>;

const start: Scene = async ({ peer, running, startedAt }) => {
  await peer.request('echo', ['ready']);
  return { text: `pid ${running.pid} gave its first answer`, tookMs: performance.now() - startedAt };
};

const call: Scene = async ({ peer }) => {
  let sum: unknown;
  const tookMs = await timed(async () => (sum = await peer.request('add', { a: 19, b: 23 })));
  expect(sum === 42, `add(19, 23) was answered with ${JSON.stringify(sum)}; expected 42.`);
  return { text: 'add(19, 23) → 42', tookMs };
};

const stream: Scene = async ({ peer }) => {
  const total = 10_000;
  let received = 0;
  let inOrder = true;
  peer.onNotification('counted', (params) => {
    received += 1;
    inOrder &&= (params as { n: number }).n === received; // Our own plugin sends nothing else.
  });
  const tookMs = await timed(() => peer.request('count', { to: total }));
  expect(
    inOrder && received === total,
    `${received} of ${total} notifications came before the answer, in order.`,
  );
  return { text: `${total.toLocaleString('en')} notifications in order, then answer`, tookMs };
};

const cancel: Scene = async ({ peer }) => {
  const stopped = new Promise<void>((resolve) => peer.onNotification('stopped', () => resolve()));
  const controller = new AbortController();
  const work = failureOf(peer.request('work', undefined, { signal: controller.signal }));
  await sleep(20);
  controller.abort();
  const tookMs = await timed(() => Promise.all([work, stopped]));
  const { code } = await work;
  expect(code === 'CALL_CANCELLED', `The call failed with ${code}; expected CALL_CANCELLED.`);
  return { text: `${code}, and the plugin stopped`, tookMs };
};

const limit: Scene = async ({ peer }) => {
  const timeoutMs = 50;
  const { code } = await failureOf(peer.request('work', undefined, { timeoutMs }));
  expect(code === 'CALL_TIMEOUT', `The call failed with ${code}; expected CALL_TIMEOUT.`);
  return { text: `no answer within ${timeoutMs} ms: ${code}` };
};

const noise: Scene = async ({ peer, running, printed, troubles }) => {
  const answer = await peer.request('print');
  const sum = await peer.request('add', { a: 1, b: 1 });
  const bytes = troubles.map((trouble) => ('text' in trouble ? trouble.text : '')).join('').length;
  expect(answer === 'printed' && sum === 2, 'The calls around the noise were not answered.');
  expect(bytes > 0, 'The noise was not reported.');
  // stderr is a pipe of its own and may come later than the answer.
  await Promise.race([printed, sleep(1000)]);
  expect(running.stderr().includes('console.log'), 'console.log did not reach stderr.');
  return { text: `${bytes} stray bytes reported and survived` };
};

/** Kills the plugin while it has calls to answer. */
const kill: Scene = async ({ peer, running }) => {
  const calls = [1, 2, 3].map(() => failureOf(peer.request('work')));
  await peer.request('echo');
  running.signal('SIGKILL');
  const tookMs = await timed(() => Promise.all(calls));
  const [error] = await Promise.all(calls);
  expect(error?.code === 'PIPE_ENDED', `The calls failed with ${error?.code}; expected PIPE_ENDED.`);
  return {
    text: `SIGKILL: ${calls.length} calls failed with PIPE_ENDED`,
    detail: error?.message ?? '',
    tookMs,
  };
};

const stop: Scene = async ({ peer, running }) => {
  let exitCode: number | null = null;
  const tookMs = await timed(async () => {
    await peer.close();
    const exit = await running.stop();
    if (exit.kind === 'exited') ({ exitCode } = exit);
  });
  expect(exitCode === 0, `The plugin ended with ${String(exitCode)} after its stdin was closed; expected 0.`);
  return { text: 'stdin closed: the plugin ended by itself', tookMs };
};

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** The error that a call must end with. */
async function failureOf(work: Promise<unknown>): Promise<PluglotError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof PluglotError) return error;
    throw error;
  }
  throw new Error('A call was answered that should have failed.');
}

function expect(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

const framings = { lines, 'length-prefix': lengthPrefix };
type FramingName = keyof typeof framings;
const framingNames = Object.keys(framings) as FramingName[]; // The keys of a literal are its names.

interface DemoPlugin {
  readonly framing: FramingName;
  readonly startedAt: number;
  readonly running: Running;
  readonly peer: Peer;
  /** Resolves when something came on stderr. */
  readonly printed: Promise<void>;
  readonly troubles: readonly PeerTrouble[];
}

function startPlugin(framing: FramingName, env: NodeJS.ProcessEnv): DemoPlugin {
  const program = fileURLToPath(new URL('./plugin.js', import.meta.url));
  const { PATH, NODE_OPTIONS } = env;
  const startedAt = performance.now();
  let onStderr = () => {};
  const printed = new Promise<void>((resolve) => (onStderr = resolve));
  const running = spawn(
    { command: process.execPath, args: [program, framing], env: { PATH, NODE_OPTIONS } },
    { onStderr: () => onStderr() },
  );
  const troubles: PeerTrouble[] = [];
  const peer = new Peer(framedLink(running.pipe, framings[framing]()), {
    name: `the ${framing} plugin`,
    cancel: cancelWords,
    answerInvalid: false,
    onTrouble: (trouble) => troubles.push(trouble),
  });
  return { framing, startedAt, running, peer, printed, troubles };
}
