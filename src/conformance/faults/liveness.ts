// What has to go on while a call runs.
import { failed, passed, verdict, type Check } from '../check.ts';

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
      let shortest = Infinity;
      // A busy machine may delay one; a handler that blocks delays all.
      for (let attempt = 0; attempt < ATTEMPTS && shortest > BLOCKED_MS; attempt += 1) {
        const call = conversation.startCall(slow);
        const ping = conversation.nextId();
        const askedAt = conversation.now();
        conversation.send(subject.driver.signOfLife(ping, slow));
        const { callMs } = subject.limits;
        const pong = await conversation.answered(ping, 'a sign of life while a call runs', callMs);
        shortest = Math.min(shortest, Math.round(pong.at - askedAt));
        await conversation.endOfCall(call, slow);
      }
      if (shortest <= BLOCKED_MS) return passed(`The sign of life came after ${shortest} ms.`);
      return failed(
        `The handler of "${slow.tool}" blocks: while it ran, a sign of life took ${shortest} ms or longer.`,
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
const ATTEMPTS = 3;

function cancellation(requestId: number) {
  return {
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId, reason: 'The user has changed their mind.' },
  };
}
