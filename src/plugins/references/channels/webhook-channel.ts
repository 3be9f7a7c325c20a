// A program elsewhere that chooses, or asks somebody.
import type { Clock } from '../../../base/clock.ts';
import { sentence } from '../../../base/sentence.ts';
import { postJson, shownEndpoint, type Webhook } from '../../../base/post-json.ts';
import { requestJson, type SelectionChannel } from './channel.ts';
import { readAnswer } from './read-answer.ts';

const TELL_MS = 10_000;

interface WebhookParts {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly warn: (message: string) => void;
}

export function webhookChannel(webhook: Webhook, { fetch, clock, warn }: WebhookParts): SelectionChannel {
  const who = `The webhook that chooses references (${shownEndpoint(webhook.endpoint)})`;
  return {
    choose: async (request, signal) => {
      const posted = await postJson(webhook, requestJson(request), { fetch, clock, signal });
      switch (posted.kind) {
        case 'answered': {
          const ids = readAnswer(posted.text, request.request_id);
          if (ids !== undefined) return ids.length === 0 ? { kind: 'none' } : { kind: 'selected', ids };
          const reason = `${who} answered with something else than { "selected_ids": [] }.`;
          warn(reason);
          return { kind: 'unavailable', reason };
        }
        case 'failed': {
          const reason = `${who} could not be asked: ${sentence(posted.reason)}`;
          warn(reason);
          return { kind: 'unavailable', reason };
        }
        case 'late':
          return { kind: 'late' };
        case 'given-up':
          return { kind: 'none' };
      }
    },
    tell: async (message, signal) => {
      const body = { type: 'selection_result', message };
      await postJson({ ...webhook, timeoutMs: Math.min(TELL_MS, webhook.timeoutMs) }, body, {
        fetch,
        clock,
        signal,
      });
    },
  };
}
