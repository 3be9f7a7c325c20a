// Sends notices one after the other in the background. A notice that cannot be delivered is lost, with a warning.
import type { Clock } from '../base/clock.ts';
import { sentence } from '../base/text.ts';
import { within } from '../base/async.ts';
import type { Notice, Outside } from './outside.ts';

export interface NoticeQueue {
  /** Never throws. */
  send(notice: Notice): void;
  /** Resolves when all are delivered, or after a few seconds. Never rejects. */
  close(): Promise<void>;
}

/** When more notices wait, the oldest are lost: later ones are more useful. */
const WAITING_MAX = 100;
const CLOSE_MS = 3000;

/** @param what a notice is called in warnings, such as "plan events" */
export function noticeQueue(
  outside: Outside,
  what: string,
  { clock, warn }: { readonly clock: Clock; readonly warn: (message: string) => void },
): NoticeQueue {
  const closed = new AbortController();
  const waiting: Notice[] = [];
  let sending: Promise<void> | undefined;
  /** Since the last delivered one. */
  let lost = 0;
  const lose = (reason: string) => {
    lost += 1;
    // Failures in a row have the same cause, so only the first is reported.
    if (lost === 1) warn(`Some ${what} were not delivered to ${outside.name}: ${sentence(reason)}`);
  };
  const sendAll = async () => {
    for (let notice = waiting.shift(); notice !== undefined; notice = waiting.shift()) {
      const sent = await outside.notify(notice, closed.signal);
      if (sent.kind === 'failed') lose(sent.reason);
      else if (sent.kind === 'late') lose('it took too long');
      else if (sent.kind === 'withdrawn') lost += 1;
      else {
        if (lost > 0) warn(`The ${what} are delivered to ${outside.name} again; ${lost} were lost.`);
        lost = 0;
      }
    }
  };
  const work = () => {
    sending ??= sendAll().finally(() => {
      sending = undefined;
      if (waiting.length > 0) work();
    });
  };
  return {
    send(notice) {
      if (closed.signal.aborted) return;
      if (waiting.length >= WAITING_MAX) {
        waiting.shift();
        lose(`more than ${WAITING_MAX} wait`);
      }
      waiting.push(notice);
      work();
    },
    async close() {
      if (sending !== undefined) await within(sending, CLOSE_MS, clock);
      lost += waiting.splice(0).length;
      closed.abort();
      await sending;
      if (lost > 0) warn(`${lost} ${what} were never delivered to ${outside.name}.`);
    },
  };
}
