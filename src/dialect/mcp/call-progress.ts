// What a call says before its end, as progress notifications: for clients that asked for them.
import type { JsonObject } from '../../base/json.ts';
import type { CallEvent } from '../../definition/outcome.ts';
import type { Notices } from '../notices.ts';
import { progressMeta, textMeta } from './progress-meta.ts';
import { notifications } from './schema.ts';

/** So little that no bar moves by it. */
const TINY = 1e-6;

/**
 * Progress has to rise with every notification. A piece of text counts as one step, unless the author counts as well; then
 * neither that nor a progress that does not rise moves it by more than a trifle, and what they say is still told. How far it is in all
 * stays with every piece of text, so that a bar keeps its end.
 */
export class CallProgress {
  readonly #token: string | number;
  readonly #notices: Pick<Notices, 'send'>;
  #last = 0;
  #total: number | undefined;
  #isCounted = false;

  constructor(token: string | number, notices: Pick<Notices, 'send'>) {
    this.#token = token;
    this.#notices = notices;
  }

  event(event: Exclude<CallEvent, { kind: 'log' }>): void {
    if (event.kind === 'text') {
      const step = this.#isCounted ? TINY : 1;
      return this.#tell(this.#last + step, this.#total, event.text, textMeta());
    }
    const { progress, total, message } = event;
    this.#isCounted = true;
    this.#total = total ?? this.#total;
    const risen = Math.max(progress, this.#last + TINY);
    this.#tell(risen, total, message, risen === progress ? {} : progressMeta(progress));
  }

  #tell(progress: number, total: number | undefined, message: string | undefined, meta: JsonObject): void {
    this.#last = progress;
    const params = {
      progressToken: this.#token,
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
      ...meta,
    };
    this.#notices.send({ method: notifications.progress, params });
  }
}
