// Who lets a call happen. The gate implements it; the registry hands out nothing that goes around it.
import type { JsonObject } from '../../base/json.ts';
import type { Outcome } from '../../definition/outcome.ts';
import type { Tool } from '../../definition/tool.ts';

export interface Gatekeeper {
  /** Performs the call if it may happen. Never rejects: a refusal is an outcome too, with PERMISSION_DENIED and the reason. */
  run(call: GatedCall, perform: Perform): Promise<Outcome>;
}

/** With the arguments as they were checked, and perhaps edited by whoever approved them. */
export type Perform = (args: JsonObject, signal: AbortSignal) => PromiseLike<Outcome>;

export interface GatedCall {
  readonly kind: 'tool' | 'command';
  readonly plugin: string;
  /** As it is exposed; `tool.name` is what its plugin calls it. */
  readonly name: string;
  readonly tool: Tool;
  readonly args: unknown;
  readonly caller: Caller;
  readonly origin: PluginOrigin;
  /** The plugin asks that it be run without a question. Whether that counts is for the gate to say. */
  readonly autoApprove: boolean;
  /** Follows the call through logs and audit. */
  readonly traceId: string;
  readonly signal?: AbortSignal;
  /** How the plugin itself would put the question to a person. */
  readonly describe?: (args: JsonObject) => CallDescription | undefined;
}

/** Who asks: a person who typed it, a model, a job, or another program. */
export interface Caller {
  readonly kind: 'user' | 'model' | 'job' | 'client';
  /** Limits are counted by it. */
  readonly id: string;
}

/** Where a plugin comes from, and so how far its own word counts. */
export type PluginOrigin = 'built-in' | 'in-process' | 'process';

export interface CallDescription {
  /** One line. */
  readonly summary: string;
  readonly details?: string;
  /** A unified diff of what would change. */
  readonly diff?: string;
}
