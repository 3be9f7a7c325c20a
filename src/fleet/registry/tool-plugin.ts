// A plugin as an object, as the specification of the registry shapes it; for those who do not use definePlugin.
import type { Json, JsonObject } from '../../base/json.ts';
import type { CallDescription } from '../../definition/outcome.ts';

export interface ToolPlugin {
  /** Unique among plugins. */
  readonly name: string;
  /** What a model may call. */
  getFunctionDeclarations(): readonly FunctionDeclaration[];
  /** By the names of the declarations. */
  getExecutors(): Readonly<Record<string, ToolExecutor>>;
  /** Called when it is exposed. */
  initialize?(config?: JsonObject): void | Promise<void>;
  /** Called when it is not exposed any more; it has 5 s. */
  shutdown?(): void | Promise<void>;
  getSystemInstructions?(): string | undefined;
  /** Names of tools that need no question. */
  getAutoApprovedTools?(): readonly string[];
  /** What a user calls without the model; its executor has the same name. */
  getUserCommands?(): readonly UserCommand[];
  /** What to say to whoever is asked whether a call may happen; it has 2 s, and does nothing by itself. */
  describeCall?(
    tool: string,
    args: JsonObject,
  ): CallDescription | undefined | Promise<CallDescription | undefined>;
}

/** Gives what JSON can carry. */
export type ToolExecutor = (args: JsonObject) => Json | undefined | void | Promise<Json | undefined | void>;

export interface FunctionDeclaration {
  readonly name: string;
  readonly description?: string;
  readonly parametersJsonSchema?: JsonObject;
}

export interface UserCommand {
  readonly name: string;
  readonly description: string;
  /** Whether the model sees what it answered. @default false */
  readonly shareWithModel?: boolean;
  /** Nobody but the owner of the host runs it. @default false */
  readonly forUsersOnly?: boolean;
  readonly parameters?: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required?: boolean;
    readonly captureRest?: boolean;
  }[];
  complete?(parameter: string, typed: string): readonly string[] | Promise<readonly string[]>;
}
