// How a dialect puts things on the wire, as far as a conversation with a plugin has to know it.
import type { JsonObject } from '../../base/json.ts';

export interface Words {
  readonly framing: 'lines' | 'length-prefix';
  callMessage(id: number, probe: Probe): JsonObject;
  /** Which of its params holds the arguments; undefined where the params are the arguments. */
  readonly argumentsIn?: string;
  /** How a message ends the call of this id; undefined when it does not. */
  endOfCall(id: number, message: JsonObject): CallEnd | undefined;
  /** A request that costs no work where the dialect has one, else the call itself. The padding goes where it does no harm. */
  signOfLife(id: number, probe: Probe, padding?: string): JsonObject;
  /** Undefined where the end of its input is what tells a plugin to go. */
  readonly goodbye?: (id: number) => JsonObject;
  /** Whether the plugin answers the goodbye before it exits. */
  readonly isGoodbyeAnswered: boolean;
}

/** A call that checks make. */
export interface Probe {
  readonly tool: string;
  readonly args: JsonObject;
  /** Where it may leave files, in the dialects that tell a tool where to work. */
  readonly workdir?: string;
}

export interface CallEnd {
  readonly ok: boolean;
  /** The number of the error, where there is one. */
  readonly code?: number;
  /** What ended it, as it came. */
  readonly message: JsonObject;
}
