// The few words of a dialect that a check needs to get anywhere. A driver forgives whatever it can: judging is for the checks.
import type { JsonObject } from '../../base/json.ts';
import type { DialectName } from '../../definition/plugin-spec.ts';
import type { Tool } from '../../definition/tool.ts';
import type { Conversation } from '../subject/conversation.ts';
import type { Probe, Words } from './words.ts';

export type { CallEnd, Probe } from './words.ts';

export interface Driver extends Words {
  readonly dialect: DialectName;
  /** How large a message every plugin has to take, in bytes. */
  readonly largestMessage: number;
  /** More than that: a plugin may refuse it, but has to live on. */
  readonly oversizeMessage: number;
  /** Says hello as a good host does; a manifest from disk knows more in some dialects. */
  greet(conversation: Conversation, manifest?: JsonObject): Promise<Introduction>;
  /** What to call when nobody has said it: something that does no harm. Undefined where the plugin names nothing. */
  probe(introduction: Introduction): Probe | undefined;
}

/** What a plugin said of itself. */
export interface Introduction {
  /** As it came, whatever it is. */
  readonly raw: unknown;
  readonly tools: readonly Tool[];
}
