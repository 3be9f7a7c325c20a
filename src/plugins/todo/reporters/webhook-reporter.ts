// Tells a program elsewhere, one event after the other. Nobody waits for it: what it does not take in time is lost, with a word.
import type { Clock } from '../../../base/clock.ts';
import { within } from '../../../base/within.ts';
import { sentence } from '../../../base/sentence.ts';
import { postJson, shownEndpoint, type Webhook } from '../../../base/post-json.ts';
import type { Warn } from '../stores/store.ts';
import type { PlanEvent, Reporter } from './reporter.ts';

/** How many events wait; then the oldest are lost, since the later ones say more. */
const QUEUE_MAX = 100;

/** Whoever closes it waits no longer. */
const CLOSE_MS = 3000;

export interface WebhookParts {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly warn: Warn;
}

export function webhookReporter(webhook: Webhook, { fetch, clock, warn }: WebhookParts): Reporter {
  const life = new AbortController();
  const waiting: PlanEvent[] = [];
  let sending: Promise<void> | undefined;
  /** Since the last one that was taken. */
  let lost = 0;
  const who = `The webhook of the plans (${shownEndpoint(webhook.endpoint)})`;
  const lose = (reason: string) => {
    lost += 1;
    // Once for a row of failures: they have the same cause.
    if (lost === 1) warn(`${who} did not take an event: ${sentence(reason)}`);
  };
  const sendAll = async () => {
    for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) {
      const posted = await postJson(
        webhook,
        { ...event, step: event.step && { ...event.step }, progress: { ...event.progress } },
        { fetch, clock, signal: life.signal },
      );
      switch (posted.kind) {
        case 'answered':
          if (lost > 0) warn(`${who} takes events again; ${lost} are lost.`);
          lost = 0;
          break;
        case 'late':
          lose(`it took longer than ${webhook.timeoutMs / 1000} s`);
          break;
        case 'failed':
          lose(posted.reason);
          break;
        case 'given-up':
          lost += 1;
          break;
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
    report: (event) => {
      if (life.signal.aborted) return;
      if (waiting.length >= QUEUE_MAX) {
        waiting.shift();
        lose(`more than ${QUEUE_MAX} wait`);
      }
      waiting.push(event);
      work();
    },
    close: async () => {
      if (sending !== undefined) await within(sending, CLOSE_MS, clock);
      const left = waiting.splice(0).length;
      life.abort();
      await sending;
      if (lost + left > 0) warn(`${who} was left with ${lost + left} events that it never took.`);
    },
  };
}
