// What authors write: the options of `definePlugin` and `tool`.
import type { CommandProfile } from './backend.ts';
import type {
  CommandDefinition,
  ExecutorDefinition,
  ExtractorDefinition,
  Handler,
  PlannerDefinition,
  SetupContext,
} from './definition.ts';
import type { Health } from './manifest.ts';
import type { ContextUpdate } from './plan.ts';
import type { Schema } from './schema/checked-schema.ts';
import type { ToolHints } from './tool.ts';

export interface PluginOptions {
  /** As hosts and their users know it. */
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly author?: string;
  /** What a model should know before it uses the tools. */
  readonly instructions?: string;
  /** What the host may configure: a JSON Schema or any Standard Schema. */
  readonly config?: Schema;
  /** By name. */
  readonly tools?: Readonly<Record<string, ToolOptions>>;
  /** What a user may call without the model, by name. */
  readonly commands?: Readonly<Record<string, CommandOptions>>;
  readonly extractor?: ExtractorDefinition;
  readonly planner?: PlannerDefinition;
  readonly executor?: ExecutorDefinition;
  /** What the user says while a call of this plugin keeps the session. */
  readonly onInput?: Handler<string>;
  /** Names of tools that may run without a question, where the owner of the host allows that. */
  readonly autoApprove?: readonly string[];
  /** Programs that have to be in PATH. */
  readonly requires?: readonly string[];
  /** Called with the checked configuration before the first call, and again when the host configures anew. */
  readonly setup?: (context: SetupContext) => unknown;
  /** Called at the end; it has 5 s. */
  readonly teardown?: () => unknown;
  /** @default always ok */
  readonly health?: () => Health | Promise<Health>;
  readonly updateContext?: (update: ContextUpdate) => unknown;
}

export interface ToolOptions {
  readonly title?: string;
  readonly description?: string;
  /**
   * What it takes: a JSON Schema or any Standard Schema.
   * @default any object
   */
  readonly input?: Schema;
  /** What its data looks like. */
  readonly output?: Schema;
  readonly tags?: readonly string[];
  readonly hints?: ToolHints;
  // Each tool has arguments of its own; what they are was checked where it was written.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly handler: Handler<any>;
  /**
   * How long one call may take.
   * @default as long as the host waits
   */
  readonly timeoutMs?: number;
  /**
   * Runs in a worker thread, so that it may block.
   * @default false
   */
  readonly isolate?: boolean;
}

export interface CommandOptions
  extends Partial<Omit<CommandProfile, 'name'>>, Pick<CommandDefinition, 'handler' | 'complete'> {}
