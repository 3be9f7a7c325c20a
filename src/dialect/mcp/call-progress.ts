// What a call says before its end, as progress notifications: for clients that asked for them.
import type { CallEvent } from '../../definition/outcome.ts';
import type { Notices } from '../notices.ts';
import { notifications } from './schema.ts';

/** So little that no bar moves by it. */
const TINY = 1e-6;

/**
 * Progress has to rise with every notification. A piece of text counts as one step, unless the author counts as well; then
 * neither that nor a progress that does not rise moves it by more than a trifle, and what they say is still told.
 */
export class CallProgress {
  readonly #token: string | number;
  readonly #notices: Pick<Notices, 'send'>;
  #last = 0;
  #isCounted = false;

  constructor(token: string | number, notices: Pick<Notices, 'send'>) {
    this.#token = token;
    this.#notices = notices;
  }

  event(event: Exclude<CallEvent, { kind: 'log' }>): void {
    if (event.kind === 'text') {
      this.#tell(this.#isCounted ? this.#last + TINY : this.#last + 1, undefined, event.text);
      return;
    }
    this.#isCounted = true;
    this.#tell(Math.max(event.progress, this.#last + TINY), event.total, event.message);
  }

  #tell(progress: number, total: number | undefined, message: string | undefined): void {
    this.#last = progress;
    const params = {
      progressToken: this.#token,
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    };
    this.#notices.send({ method: notifications.progress, params });
  }
}
