// What a model may call.
import type { Json, JsonObject } from '../base/json.ts';

export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** Undefined when nothing is known of the arguments: then any object is taken. */
  readonly inputSchema?: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly tags?: readonly string[];
  readonly hints?: ToolHints;
  /** A plugin in a process says that it needs no question; that counts only where the owner of the host says so. */
  readonly autoApprove?: boolean;
  /** It is how its dialect asks for this facet of the plugin, which can also be asked for in neutral words. */
  readonly facet?: 'extractor' | 'planner' | 'executor' | 'talk';
}

/** A schema of any draft; `true` takes everything. */
export type JsonSchema = boolean | JsonObject;

/** What the plugin says of its tool; a hint is no promise. */
export interface ToolHints {
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly openWorld?: boolean;
}

export interface LogEntry {
  readonly level: LogLevel;
  readonly message: string;
  readonly data?: Json;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
