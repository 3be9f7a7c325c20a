// Who is asked whether a call may happen, and what they answer.
import type { JsonObject } from '../base/json.ts';
import type { CallDescription, Caller } from '../fleet/registry/gatekeeper.ts';

export interface Approver {
  /** Rejections, time limits and the end of input count as a denial: whoever asks sees to that. */
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<Approval>;
}

export interface ApprovalRequest {
  readonly id: string;
  readonly plugin: string;
  /** As it is exposed. */
  readonly tool: string;
  readonly args: JsonObject;
  readonly caller: Caller;
  /** Why nobody has decided yet, such as `no rule matches` or `its definition has changed`. */
  readonly reason: string;
  readonly description?: CallDescription;
  /** The definition of the tool as it was approved and as it is now, where it changed. */
  readonly definitionDiff?: string;
  readonly traceId: string;
}

export interface Approval {
  readonly decision: 'allow' | 'deny';
  readonly scope: ApprovalScope;
  /** For the one who asked; a model reads it. */
  readonly comment?: string;
  /** In the place of those that were asked about. */
  readonly args?: JsonObject;
}

/** For how long an answer holds: this call, this turn of a conversation, until the host is idle, this session, or all calls of this session. */
export type ApprovalScope = 'once' | 'turn' | 'idle' | 'session' | 'all';
