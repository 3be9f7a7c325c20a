// The answer to arguments that a tool does not take.
import type { JsonObject } from '../../../base/json.ts';
import type { CallFailure } from '../../../definition/outcome.ts';

/** Gives the arguments as the plugin shall get them, or says why they are refused. */
export type ArgumentCheck = (args: JsonObject) => JsonObject | Refusal;

export class Refusal {
  readonly failure: CallFailure;

  constructor(failure: CallFailure) {
    this.failure = failure;
  }
}
