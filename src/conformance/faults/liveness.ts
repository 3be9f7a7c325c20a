// What has to go on while a call runs.
import { failed, passed, verdict, type Check } from '../check.ts';
import type { Heard } from '../subject/transcript.ts';

const theme = 'While a call runs';

/** For dialects with a question that is answered at any time. */
export const livenessFaults: readonly Check[] = [
  {
    id: 'fault:ping-during-call',
    title: 'A sign of life comes while a call runs: no handler blocks',
    severity: 'warning',
    theme,
    mend: 'Make the handler asynchronous, or give heavy work to a worker thread or a process of its own.',
    async run(subject) {
      const { conversation, slow } = await subject.greet();
      const { driver } = subject;
      const call = conversation.nextId();
      const ping = conversation.nextId();
      conversation.send(driver.callMessage(call, slow));
      const askedAt = conversation.now();
      conversation.send(driver.signOfLife(ping, slow));
      const pong = await conversation.answered(
        ping,
        'a sign of life while a call runs',
        subject.limits.callMs,
      );
      await conversation.endOfCall(call, slow);
      const end = conversation.transcript.heard.find(
        ({ message }) => driver.endOfCall(call, message) !== undefined,
      );
      const waited = Math.round(pong.at - askedAt);
      if (waited <= BLOCKED_MS || !isAfter(pong, end))
        return passed(`The sign of life came after ${waited} ms.`);
      return failed(
        `The handler of "${slow.tool}" blocks: a sign of life was asked for while it ran and came after ${waited} ms, when the call was over.`,
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
    mend: 'Stop the work at notifications/cancelled, send no answer for it, and ignore cancellations of what is over.',
    async run(subject) {
      const { conversation, slow, probe } = await subject.greet();
      const id = conversation.startCall(slow);
      conversation.send(cancellation(id), cancellation(id), cancellation(4711));
      await conversation.livesOn(probe, 'a cancellation');
      const end = await conversation.call(probe);
      return verdict('result' in end.message || 'error' in end.message, 'The next call was answered.');
    },
  },
];

export const inputFaults: readonly Check[] = [
  {
    id: 'fault:input-without-session',
    title: 'An input that nobody waits for is acknowledged or refused',
    severity: 'warning',
    theme,
    mend: 'Acknowledge every input, then end it with complete or error, whether or not a session is open.',
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

/** Longer than a sign of life takes on a busy machine, and the limit of the strictest dialect. */
const BLOCKED_MS = 1000;

function isAfter(pong: Heard, end: Heard | undefined): boolean {
  return end !== undefined && pong.index > end.index;
}

function cancellation(requestId: number) {
  return {
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId, reason: 'The user has changed their mind.' },
  };
}
