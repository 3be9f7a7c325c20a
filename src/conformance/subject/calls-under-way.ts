// What has to go on while a call runs, and at its end, can only be tried while one runs: how long each call takes is found out first.
import type { Probe } from '../drivers/driver.ts';
import { Unmet } from '../unmet.ts';
import type { Conversation } from './conversation.ts';
import type { Subject } from './subject.ts';

/** So long that whatever is sent right after it comes while it runs, on a busy machine too. */
const LONG_MS = 300;

export interface TimedCall {
  readonly probe: Probe;
  /** Infinite when it did not end. */
  readonly durationMs: number;
}

export interface CallsUnderWay {
  readonly probe: Probe;
  /** For the report. */
  readonly words: string;
  /** Sends them. Their ids. */
  readonly start: (conversation: Conversation) => readonly number[];
}

/**
 * What to have under way when something is to happen meanwhile: a call that takes long. Where none does, so many that some of them
 * run when the plugin reads what follows them, unless it does one after the other and none ever runs then.
 */
export async function callsUnderWay(subject: Subject): Promise<CallsUnderWay> {
  const { longest, isLong } = await longestCall(subject);
  const { probe, durationMs } = longest;
  const count = isLong ? 1 : MANY;
  return {
    probe,
    words: isLong
      ? `A call of "${probe.tool}", which ${durationMs === Infinity ? 'does not end' : `takes ${durationMs} ms`}, was under way.`
      : `${MANY} calls of "${probe.tool}", each of ${durationMs} ms, were sent just before.`,
    start(conversation) {
      const ids = Array.from({ length: count }, () => conversation.nextId());
      conversation.send(...ids.map((id) => subject.driver.callMessage(id, probe)));
      return ids;
    },
  };
}

/** Whatever was named as slow, if it is; else the longest that ends. */
export async function longestCall(
  subject: Subject,
): Promise<{ readonly longest: TimedCall; readonly isLong: boolean }> {
  const calls = await timedCalls(subject);
  const [first] = calls;
  if (first === undefined) throw new Unmet('There is nothing to call.');
  const others = calls.filter(({ durationMs }) => durationMs < Infinity);
  const longest =
    first.durationMs >= LONG_MS
      ? first
      : others.reduce((a, b) => (b.durationMs > a.durationMs ? b : a), first);
  return { longest, isLong: longest.durationMs >= LONG_MS };
}

/** All calls that may be made, each made once by a process of its own. The same for all that ask. */
export function timedCalls(subject: Subject): Promise<readonly TimedCall[]> {
  return subject.shared(timeCalls);
}

const MANY = 16;
/** For finding out how long they take. */
const BUDGET_MS = 20_000;

async function timeCalls(subject: Subject): Promise<readonly TimedCall[]> {
  const first = await subject.greet();
  const startedAt = first.conversation.now();
  const timed: TimedCall[] = [];
  for (const probe of first.calls) {
    const { conversation } = timed.length === 0 ? first : await subject.greet();
    timed.push({ probe, durationMs: await durationOf(conversation, probe) });
    if (conversation.now() - startedAt > BUDGET_MS) break;
  }
  return timed;
}

/** On a busy machine a quick one may look long once. */
async function durationOf(conversation: Conversation, probe: Probe): Promise<number> {
  const durationMs = await timeOf(conversation, probe);
  const isCertain = durationMs < LONG_MS || durationMs > CERTAIN_MS;
  return isCertain ? durationMs : Math.min(durationMs, await timeOf(conversation, probe));
}

const CERTAIN_MS = 2000;

async function timeOf(conversation: Conversation, probe: Probe): Promise<number> {
  const startedAt = conversation.now();
  try {
    await conversation.call(probe);
    return Math.round(conversation.now() - startedAt);
  } catch (thrown) {
    if (thrown instanceof Unmet) return Infinity;
    throw thrown;
  }
}
