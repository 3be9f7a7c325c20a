// An extraction that begins once the plugin has said that it takes such files.
import type { CallFailure, CallSink } from '../../definition/outcome.ts';
import { unanswered } from '../failure.ts';
import type { WireCall } from '../host-dialect.ts';

export class CheckedExtraction implements WireCall {
  #begun: WireCall | undefined;
  #isOver = false;
  #isGivenUp = false;

  /** @param checked undefined: it takes them; else why not */
  constructor(checked: Promise<CallFailure | undefined>, begin: () => WireCall, sink: CallSink) {
    const end = (error: CallFailure) => {
      this.#isOver = true;
      sink.end({ ok: false, error });
    };
    checked.then(
      (refusal) => {
        if (refusal !== undefined) end(refusal);
        // Whoever gave it up hears by this that the plugin is free.
        else if (this.#isGivenUp) end({ code: 'CALL_CANCELLED', message: 'The caller gave the call up.' });
        else this.#begun = begin();
      },
      (thrown: unknown) => end(unanswered(thrown)),
    );
  }

  cancel(reason: string): 'free' | 'occupied' {
    this.#isGivenUp = true;
    if (this.#isOver) return 'free';
    return this.#begun?.cancel(reason) ?? 'occupied';
  }
}
