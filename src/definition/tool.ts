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
  /** The plugin marks it as needing no approval. Plugins with a process of their own are believed only where the owner of the host trusts them. */
  readonly autoApprove?: boolean;
  /** The dialect of the plugin offers this facet as a tool. */
  readonly facet?: 'extractor' | 'planner' | 'executor' | 'talk';
}

/** A schema of any draft; `true` takes everything. */
export type JsonSchema = boolean | JsonObject;

/** Hints of the plugin about its tool; they are not promises. */
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
