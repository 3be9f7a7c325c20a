// The few words of a dialect that a check needs to get anywhere. A driver forgives whatever it can: judging is for the checks.
import type { JsonObject } from '../../base/json.ts';
import type { DialectName } from '../../definition/plugin-spec.ts';
import type { Tool } from '../../definition/tool.ts';
import type { Conversation } from '../subject/conversation.ts';

export interface Driver {
  readonly dialect: DialectName;
  readonly framing: 'lines' | 'length-prefix';
  /** How large a message every plugin has to take, in bytes. */
  readonly largestMessage: number;
  /** More than that: a plugin may refuse it, but has to live on. */
  readonly oversizeMessage: number;
  /** Says hello as a good host does; a manifest from disk knows more in some dialects. */
  greet(conversation: Conversation, manifest?: JsonObject): Promise<Introduction>;
  /** What to call when nobody has said it: something that does no harm. Undefined where the plugin names nothing. */
  probe(introduction: Introduction): Probe | undefined;
  /** What a session asks beside the call, each under a name: nothing that a good host would not ask. */
  readonly questions?: (introduction: Introduction) => Readonly<Record<string, Question>>;
  callMessage(id: number, probe: Probe): JsonObject;
  /** How a message ends the call of this id; undefined when it does not. */
  endOfCall(id: number, message: JsonObject): CallEnd | undefined;
  /** A request that costs no work where the dialect has one, else the call itself. The padding goes where it does no harm. */
  signOfLife(id: number, probe: Probe, padding?: string): JsonObject;
  /** Undefined where the end of its input is what tells a plugin to go. */
  readonly goodbye?: (id: number) => JsonObject;
  /** Whether the plugin answers the goodbye before it exits. */
  readonly isGoodbyeAnswered: boolean;
}

/** What a plugin said of itself. */
export interface Introduction {
  /** As it came, whatever it is. */
  readonly raw: unknown;
  readonly tools: readonly Tool[];
}

export interface Question {
  readonly method: string;
  readonly params?: JsonObject;
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
