// What every plugin has to survive: requests during calls, and each way to end.
import { sentence, shortened } from '../base/text.ts';
import type { Exit } from '../fleet/supervisor/spawn.ts';
import {
  callsUnderWay,
  failed,
  group,
  longestCall,
  passed,
  timedCalls,
  verdict,
  type Check,
  type Finding,
} from './check.ts';
import { describeExit, type Conversation, type Probe } from './conversation.ts';
import type { Driver } from './driver.ts';
import { argumentFaults, framingFaults, lineFaults, requestFaults } from './faults.ts';
import type { Subject } from './subject.ts';
import type { ReceivedMessage } from './transcript.ts';

/** Information only, since not every plugin has a long call: it says what the other checks could not test. */
const longCallFaults = group('While a call runs', [
  {
    id: 'fault:long-call',
    title: 'There is a call that takes long, to try what goes on meanwhile',
    severity: 'info',
    fix: 'Name a call that takes a second or longer: --slow-tool NAME ARGS, or the option `slowTool`. Until then signs of life, cancellations and endings are tried with quick calls alone, and of those tools alone that say that they change nothing.',
    async run(subject) {
      const [calls, { longest, isLong }] = [await timedCalls(subject), await longestCall(subject)];
      const { tools } = (await subject.session()).handshake;
      const called = new Set(calls.map(({ probe }) => probe.tool));
      const others = tools.map(({ name }) => name).filter((name) => !called.has(name));
      const { probe, durationMs } = longest;
      const took = durationMs === Infinity ? 'did not end' : `took ${durationMs} ms`;
      const words = `The longest call that was made, of "${probe.tool}", ${took}.`;
      const rest = others.length === 0 ? '' : ` Not called: ${sentence(shortened(others.join(', '), 200))}`;
      return verdict(isLong, `${words}${rest}`);
    },
  },
]);

/** For dialects with a request that is answered at any time. */
const livenessFaults = group('While a call runs', [
  {
    id: 'fault:ping-during-call',
    title: 'A sign of life comes while a call runs: no handler blocks',
    severity: 'warning',
    fix: 'Make the handler asynchronous, or move heavy work to a worker thread or another process.',
    async run(subject) {
      const { calls } = await subject.connect();
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
]);

const cancelFaults = group('While a call runs', [
  {
    id: 'fault:cancel',
    title: 'A call that is cancelled breaks nothing',
    fix: 'Stop the work at notifications/cancelled, send no answer for it, and ignore cancellations of what is over.',
    async run(subject) {
      const { conversation, probe } = await subject.connect();
      const { start, words } = await callsUnderWay(subject);
      const cancellations = start(conversation).map(cancellation);
      conversation.send(...cancellations, ...cancellations, cancellation(4711));
      await conversation.staysAlive(probe, 'a cancellation');
      const end = await conversation.call(probe);
      return verdict(
        'result' in end.message || 'error' in end.message,
        `${words} The next call was answered.`,
      );
    },
  },
]);

const inputFaults = group('While a call runs', [
  {
    id: 'fault:input-without-session',
    title: 'An input without a session is acknowledged or refused',
    severity: 'warning',
    fix: 'Acknowledge every input, then end it with complete or error, whether or not a session is open.',
    async run(subject) {
      const { conversation, probe } = await subject.connect();
      const id = conversation.nextId();
      const params = { content: 'Hello?', timestamp: 0 };
      conversation.send({ jsonrpc: '2.0', id, method: 'input', params });
      const answer = await conversation.answered(id, 'an acknowledgement, or an error');
      await conversation.staysAlive(probe, 'an input without a session');
      return passed(`It answered ${JSON.stringify(answer.message)}`);
    },
  },
]);

/** A shorter delay is not caused by a blocking handler, or is not noticeable. */
const BLOCKED_MS = 250;
/** On a busy machine the answer is slow even when nothing runs. */
const SLOWER = 4;
const ATTEMPTS = 3;

interface Delay {
  /** How long the answer waited for the call. */
  readonly ms: number;
  readonly isBlocking: boolean;
  /** It arrived after the call had ended. */
  readonly isAfter: boolean;
}

/** A busy machine or a first call may delay one attempt; a blocking handler delays all. */
async function delayDuring(subject: Subject, call: Probe): Promise<Delay> {
  const { conversation } = await subject.connect();
  let best: Delay = { ms: Infinity, isBlocking: true, isAfter: false };
  for (let attempt = 0; attempt < ATTEMPTS && best.isBlocking; attempt += 1) {
    const idleAt = conversation.now();
    const idle = await livenessRequest(subject, conversation, call);
    const id = conversation.startCall(call);
    const askedAt = conversation.now();
    const pong = await livenessRequest(subject, conversation, call);
    const end = conversation.endOf(id);
    const isAfter = end !== undefined && end.index < pong.index;
    // The delay after the end of the call is caused by the machine.
    const ms = Math.max(0, Math.round((isAfter ? end : pong).at - askedAt));
    const isBlocking = ms > Math.max(BLOCKED_MS, SLOWER * (idle.at - idleAt));
    if (ms < best.ms) best = { ms, isBlocking, isAfter };
    if (best.isBlocking) await conversation.endOfCall(id, call);
  }
  return best;
}

function livenessRequest(
  subject: Subject,
  conversation: Conversation,
  call: Probe,
): Promise<ReceivedMessage> {
  const id = conversation.nextId();
  conversation.send(subject.driver.livenessRequest(id, call));
  return conversation.answered(id, 'a sign of life while a call runs', subject.limits.callMs);
}

function cancellation(requestId: number) {
  return {
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId, reason: 'The user has changed their mind.' },
  };
}

const endingFaults = group('The end', [
  {
    id: 'fault:eof-idle',
    title: 'It exits with code 0 when its input is over',
    fix: 'Leave the reading loop at the end of stdin; let no timer, socket or thread keep the process alive.',
    async run(subject) {
      const { conversation } = await subject.connect();
      conversation.endInput();
      return cleanExit(await conversation.exit('at the end of its input'));
    },
  },
  {
    id: 'fault:eof-in-call',
    title: 'At the end of input a call under way is finished, then it exits',
    fix: 'At the end of stdin wait for the calls that run and for their answers to be written, then exit.',
    async run(subject) {
      const { conversation } = await subject.connect();
      const { start, probe, words } = await callsUnderWay(subject);
      const ids = start(conversation);
      conversation.endInput();
      for (const id of ids) await conversation.endOfCall(id, probe);
      return cleanExit(await conversation.exit('once its work was done'), words);
    },
  },
]);

/** For dialects with a shutdown request; in the others a plugin exits at the end of its input. */
const shutdownFaults = group('The end', [
  {
    id: 'fault:shutdown-in-call',
    title: 'A shutdown request during a call ends the plugin cleanly',
    fix: 'Finish or abandon running calls at the shutdown request, then exit with code 0.',
    async run(subject) {
      const { conversation } = await subject.connect();
      const { start, words } = await callsUnderWay(subject);
      start(conversation);
      conversation.requestShutdown();
      return cleanExit(await conversation.exit('after the shutdown request', subject.limits.callMs), words);
    },
  },
]);

const lossFaults = group('The end', [
  {
    id: 'fault:sigterm',
    title: 'It ends at SIGTERM',
    severity: 'warning',
    fix: 'Leave SIGTERM alone, or exit in its handler.',
    async run(subject) {
      const { conversation } = await subject.connect();
      conversation.signal('SIGTERM');
      return passed(exitSentence(await conversation.exit('at SIGTERM')));
    },
  },
  {
    id: 'fault:host-gone',
    title: 'It ends by itself when its host is gone',
    fix: 'Exit at the end of stdin, and when stdout cannot be written to any more.',
    async run(subject) {
      const { conversation } = await subject.connect();
      const { start, words } = await callsUnderWay(subject);
      start(conversation);
      // The calls have to be sent before the pipes are closed.
      await conversation.flushed();
      conversation.hangUp();
      const exit = await conversation.exit('after both pipes were closed', subject.limits.callMs);
      return passed(`${words} ${exitSentence(exit)}`);
    },
  },
]);

function cleanExit(exit: Exit, before = ''): Finding {
  return verdict(exit.kind === 'exited' && exit.exitCode === 0, `${before} ${exitSentence(exit)}`.trim());
}

function exitSentence(exit: Exit): string {
  const text = describeExit(exit);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

export function faultChecks({ dialect, framing, argumentsIn, shutdown }: Driver): readonly Check[] {
  return [
    ...framingFaults,
    ...(framing === 'lines' ? lineFaults : []),
    ...requestFaults.map((check) => (dialect === 'gassist' ? forGAssist(check) : check)),
    ...(argumentsIn === undefined ? [] : argumentFaults),
    ...longCallFaults,
    // gevals and planner have no request that is answered at any time.
    ...(dialect === 'gevals' || dialect === 'planner' ? [] : livenessFaults),
    ...(dialect === 'mcp' ? cancelFaults : []),
    ...(dialect === 'gassist' ? inputFaults : []),
    ...endingFaults,
    ...(shutdown === undefined ? [] : shutdownFaults),
    ...lossFaults,
  ];
}

/** Its official SDKs ignore unknown methods. */
function forGAssist(check: Check): Check {
  return check.id === 'fault:unknown-method' ? { ...check, severity: 'warning' } : check;
}
