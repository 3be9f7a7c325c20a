// What the demonstration shows: each scene does one thing with one plugin and says what happened, or throws.
import { setTimeout as sleep } from 'node:timers/promises';
import { PluglotError } from '../../../base/error.ts';
import type { DemoPlugin } from './demo-plugin.ts';

export interface Shown {
  /** One short line for people. */
  readonly text: string;
  /** More than fits a line, such as the message of an error. */
  readonly detail?: string;
  readonly tookMs?: number;
}

export type Scene = (plugin: DemoPlugin) => Promise<Shown>;

export const start: Scene = async ({ peer, running, startedAt }) => {
  await peer.request('echo', ['ready']);
  return { text: `pid ${running.pid} gave its first answer`, tookMs: performance.now() - startedAt };
};

export const call: Scene = async ({ peer }) => {
  let sum: unknown;
  const tookMs = await timed(async () => (sum = await peer.request('add', { a: 19, b: 23 })));
  expect(sum === 42, `add(19, 23) was answered with ${JSON.stringify(sum)}; expected 42.`);
  return { text: 'add(19, 23) → 42', tookMs };
};

export const stream: Scene = async ({ peer }) => {
  const total = 10_000;
  let heard = 0;
  let inOrder = true;
  peer.onNotification('counted', (params) => {
    heard += 1;
    inOrder &&= (params as { n: number }).n === heard; // Our own plugin sends nothing else.
  });
  const tookMs = await timed(() => peer.request('count', { to: total }));
  expect(inOrder && heard === total, `${heard} of ${total} notifications came before the answer, in order.`);
  return { text: `${total.toLocaleString('en')} notifications in order, then answer`, tookMs };
};

export const cancel: Scene = async ({ peer }) => {
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

export const limit: Scene = async ({ peer }) => {
  const timeoutMs = 50;
  const { code } = await failureOf(peer.request('work', undefined, { timeoutMs }));
  expect(code === 'CALL_TIMEOUT', `The call failed with ${code}; expected CALL_TIMEOUT.`);
  return { text: `no answer within ${timeoutMs} ms: ${code}` };
};

export const noise: Scene = async ({ peer, running, printed, troubles }) => {
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
export const kill: Scene = async ({ peer, running }) => {
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

export const stop: Scene = async ({ peer, running }) => {
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
