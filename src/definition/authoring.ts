// What authors write: the options of `definePlugin`, `tool` and `command`. Types flow from schemas to handlers.
import type { JsonObject } from '../base/json.ts';
import type { CommandManifest, Health } from './manifest.ts';
import type {
  AnyConfig,
  CommandDefinition,
  Describe,
  ExecutorDefinition,
  HandlerContext,
  PlannerDefinition,
  SetupContext,
  ExtractorOptions,
} from './definition.ts';
import type { ContextUpdate } from './plan.ts';
import type { Result } from './outcome.ts';
import type { Schema } from './schema/checked-schema.ts';
import type { FromSchema, ObjectFromSchema } from './schema/from-schema.ts';
import type { ToolHints } from './tool.ts';

/** `Inputs` and `Outputs` are the schemas of the tools by their names, `Config` is the schema of the configuration. */
export interface PluginOptions<Inputs, Outputs, Config> {
  /** As hosts and their users know it. */
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly author?: string;
  /**
   * What a model should know before it uses the tools. A function is asked after each setup, so that it can go by the configuration;
   * before that there is no text.
   */
  readonly instructions?: string | ((config: ConfigOf<Config>) => string | undefined);
  /** What the host may configure: a JSON Schema or any Standard Schema. */
  readonly config?: Config & Schema;
  /** By name. */
  readonly tools?: {
    readonly [Name in keyof Inputs]: ToolOptions<
      Inputs[Name],
      Name extends keyof Outputs ? Outputs[Name] : unknown,
      ConfigOf<Config>
    >;
  } & { readonly [Name in keyof Outputs]: AnyTool & { readonly output?: Outputs[Name] & Schema } };
  /** What a user may call without the model, by name. */
  readonly commands?: Readonly<Record<string, CommandOptions<ConfigOf<Config>>>>;
  readonly extractor?: ExtractorOptions;
  readonly planner?: PlannerDefinition;
  readonly executor?: ExecutorDefinition;
  /** Takes input of the user while a call of this plugin keeps the session. */
  readonly onInput?: (content: string, context: HandlerContext<ConfigOf<Config>>) => unknown;
  /** Names of tools that may run without a question, where the owner of the host allows that. */
  readonly autoApprove?: readonly (keyof Inputs & string)[];
  /** Programs that have to be in PATH. */
  readonly requires?: readonly string[];
  /** Called with the checked configuration before the first call, and again each time the host sends one. */
  readonly setup?: (context: SetupContext<ConfigOf<Config>>) => unknown;
  /** Called at the end; it has 5 s. */
  readonly teardown?: () => unknown;
  /** @default always ok */
  readonly health?: () => Health | Promise<Health>;
  readonly updateContext?: (update: ContextUpdate) => unknown;
}

export interface ToolOptions<Input, Output, Config> {
  readonly title?: string;
  readonly description?: string;
  /**
   * What it takes: a JSON Schema or any Standard Schema.
   * @default any object
   */
  readonly input?: Input & Schema;
  /** What its data looks like. */
  readonly output?: Output & Schema;
  readonly tags?: readonly string[];
  readonly hints?: ToolHints;
  /** Sync, async, or an async generator whose yielded texts are streamed. */
  readonly handler: (args: ObjectFromSchema<Input>, context: HandlerContext<Config>) => Returned<Output>;
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
  /**
   * Describes a call for the person who is asked for permission: what it does, and what it would change. It must not do anything by
   * itself, and has 2 s.
   * @default the arguments are shown as they are
   */
  readonly describe?: Describe<ObjectFromSchema<Input>>;
}

/** The keys of a tool, so that none of them is taken for one too many where only the output is looked at. */
type AnyTool = { readonly [Key in keyof ToolOptions<unknown, unknown, unknown>]?: unknown };

/** Without an output schema a handler may return anything: a text is text, anything else is data. */
type Returned<Output> = unknown extends Output
  ? unknown
  :
      | Given<FromSchema<Output>>
      | Promise<Given<FromSchema<Output>>>
      | AsyncGenerator<string, Given<FromSchema<Output>>, unknown>;

type Given<Data> = Data | Result<Data>;

type ConfigOf<Config> = unknown extends Config ? AnyConfig : ObjectFromSchema<Config>;

/** Arguments come by the names of the parameters. */
export interface CommandOptions<Config>
  extends Partial<Omit<CommandManifest, 'name'>>, Pick<CommandDefinition, 'complete' | 'timeoutMs'> {
  readonly handler: (args: JsonObject, context: HandlerContext<Config>) => unknown;
}
