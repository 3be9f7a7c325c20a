// What has to go on while a call runs.
import { shortened } from '../../base/shown.ts';
import { sentence } from '../../base/sentence.ts';
import { failed, passed, verdict, type Check } from '../check.ts';
import type { Probe } from '../drivers/driver.ts';
import { callsUnderWay, longestCall, timedCalls } from '../subject/calls-under-way.ts';
import type { Conversation } from '../subject/conversation.ts';
import type { Subject } from '../subject/subject.ts';
import type { Heard } from '../subject/transcript.ts';

const theme = 'While a call runs';

/** Not every good plugin has a call that takes long, so this is no reproach: it tells what the other checks could not try. */
export const longCallFaults: readonly Check[] = [
  {
    id: 'fault:long-call',
    title: 'There is a call that takes long, to try what goes on meanwhile',
    severity: 'info',
    theme,
    fix: 'Name a call that takes a second or longer: --slow-tool NAME ARGS, or the option `slowTool`. Until then signs of life, cancellations and endings are tried with quick calls alone, and of those tools alone that say that they change nothing.',
    async run(subject) {
      const [calls, { longest, isLong }] = [await timedCalls(subject), await longestCall(subject)];
      const { tools } = (await subject.session()).introduction;
      const called = new Set(calls.map(({ probe }) => probe.tool));
      const others = tools.map(({ name }) => name).filter((name) => !called.has(name));
      const { probe, durationMs } = longest;
      const took = durationMs === Infinity ? 'did not end' : `took ${durationMs} ms`;
      const words = `The longest call that was made, of "${probe.tool}", ${took}.`;
      const rest = others.length === 0 ? '' : ` Not called: ${sentence(shortened(others.join(', '), 200))}`;
      return verdict(isLong, `${words}${rest}`);
    },
  },
];

/** For dialects with a question that is answered at any time. */
export const livenessFaults: readonly Check[] = [
  {
    id: 'fault:ping-during-call',
    title: 'A sign of life comes while a call runs: no handler blocks',
    severity: 'warning',
    theme,
    fix: 'Make the handler asynchronous, or give heavy work to a worker thread or a process of its own.',
    async run(subject) {
      const { calls } = await subject.greet();
      let longest = 0;
      for (const call of calls) {
        const delay = await delayDuring(subject, call);
        if (delay.isBlocking)
          return failed(
            `The handler of "${call.tool}" blocks: while it ran, a sign of life took ${delay.ms} ms or longer${delay.isAfter ? ', and came when the call was over' : ''}.`,
          );
        longest = Math.max(longest, delay.ms);
      }
      return passed(
        `It came after ${longest} ms at most, while these ran: ${calls.map(({ tool }) => tool).join(', ')}.`,
      );
    },
  },
];

export const cancelFaults: readonly Check[] = [
  {
    id: 'fault:cancel',
    title: 'A call that is cancelled breaks nothing',
    severity: 'error',
    theme,
    fix: 'Stop the work at notifications/cancelled, send no answer for it, and ignore cancellations of what is over.',
    async run(subject) {
      const { conversation, probe } = await subject.greet();
      const { start, words } = await callsUnderWay(subject);
      const cancellations = start(conversation).map(cancellation);
      conversation.send(...cancellations, ...cancellations, cancellation(4711));
      await conversation.livesOn(probe, 'a cancellation');
      const end = await conversation.call(probe);
      return verdict(
        'result' in end.message || 'error' in end.message,
        `${words} The next call was answered.`,
      );
    },
  },
];

export const inputFaults: readonly Check[] = [
  {
    id: 'fault:input-without-session',
    title: 'An input that nobody waits for is acknowledged or refused',
    severity: 'warning',
    theme,
    fix: 'Acknowledge every input, then end it with complete or error, whether or not a session is open.',
    async run(subject) {
      const { conversation, probe } = await subject.greet();
      const id = conversation.nextId();
      const params = { content: 'Hello?', timestamp: 0 };
      conversation.send({ jsonrpc: '2.0', id, method: 'input', params });
      const answer = await conversation.answered(id, 'an acknowledgement, or an error');
      await conversation.livesOn(probe, 'an input without a session');
      return passed(`It answered ${JSON.stringify(answer.message)}`);
    },
  },
];

/** What waits no longer than that waits for no handler, or for one that nobody notices. */
const BLOCKED_MS = 250;
/** Where a machine is busy, a sign of life takes its time while nothing runs, too. */
const SLOWER = 4;
const ATTEMPTS = 3;

interface Delay {
  /** How long a sign of life waited for the call. */
  readonly ms: number;
  readonly isBlocking: boolean;
  /** It came when the call was over. */
  readonly isAfter: boolean;
}

/** A busy machine may delay one, and a first call may have to load something; a handler that blocks delays all. */
async function delayDuring(subject: Subject, call: Probe): Promise<Delay> {
  const { conversation } = await subject.greet();
  let best: Delay = { ms: Infinity, isBlocking: true, isAfter: false };
  for (let attempt = 0; attempt < ATTEMPTS && best.isBlocking; attempt += 1) {
    const idleAt = conversation.now();
    const idle = await signOfLife(subject, conversation, call);
    const id = conversation.startCall(call);
    const askedAt = conversation.now();
    const pong = await signOfLife(subject, conversation, call);
    const end = conversation.endOf(id);
    const isAfter = end !== undefined && end.index < pong.index;
    // What it waited for when the call was over is the machine.
    const ms = Math.max(0, Math.round((isAfter ? end : pong).at - askedAt));
    const isBlocking = ms > Math.max(BLOCKED_MS, SLOWER * (idle.at - idleAt));
    if (ms < best.ms) best = { ms, isBlocking, isAfter };
    if (best.isBlocking) await conversation.endOfCall(id, call);
  }
  return best;
}

function signOfLife(subject: Subject, conversation: Conversation, call: Probe): Promise<Heard> {
  const id = conversation.nextId();
  conversation.send(subject.driver.signOfLife(id, call));
  return conversation.answered(id, 'a sign of life while a call runs', subject.limits.callMs);
}

function cancellation(requestId: number) {
  return {
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId, reason: 'The user has changed their mind.' },
  };
}
