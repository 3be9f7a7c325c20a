// The session that a tool keeps, as author ends know it whose dialect has no words for one. There is one at a time: that of the call that
// began last. Whatever else is asked ends it.
import type { Answer, CallFailure, CallSink } from '../definition/outcome.ts';
import { endingWith } from './ending-with.ts';

export class KeptSession {
  /** Counts what was asked: the session is that of the last one. */
  #turn = 0;
  #state: 'none' | 'kept' | 'answering' = 'none';

  /** Something else was asked. What is under way goes on, and keeps no session any more. */
  leave(): void {
    this.#turn += 1;
    this.#state = 'none';
  }

  /** For a call that may keep it. */
  begin(sink: CallSink): CallSink {
    this.leave();
    return this.#follow(sink, () => false);
  }

  /** For what the user says; or why nobody hears that. */
  say(sink: CallSink): CallSink | CallFailure {
    switch (this.#state) {
      case 'none':
        return {
          code: 'NOT_TALKING',
          message: 'No tool waits for what the user says: call one first that does.',
        };
      case 'answering':
        return {
          code: 'RATE_LIMITED',
          message: 'What was said before is still being answered: await that answer first.',
        };
      case 'kept':
        this.#turn += 1;
        this.#state = 'answering';
        // What was taken back was no end of the session.
        return this.#follow(sink, (answer) => !answer.ok && answer.error.code === 'CALL_CANCELLED');
    }
  }

  #follow(sink: CallSink, keepsAnyway: (answer: Answer) => boolean): CallSink {
    const turn = this.#turn;
    return endingWith(sink, (answer) => {
      if (turn !== this.#turn) return sink.end(leftBehind(answer));
      this.#state = answer.keepSession === true || keepsAnyway(answer) ? 'kept' : 'none';
      sink.end(answer);
    });
  }
}

/** The answer to what was overtaken: nobody could go on with it. */
export function leftBehind(answer: Answer): Answer {
  if (answer.keepSession !== true) return answer;
  const { keepSession: _, ...rest } = answer;
  return rest;
}
