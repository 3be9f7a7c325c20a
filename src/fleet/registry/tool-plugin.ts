// A plugin as an object, as the specification of the registry shapes it; for those who do not use definePlugin.
import { PluglotError, toError } from '../../base/error.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { sentence, shown } from '../../base/text.ts';
import { definePlugin } from '../../definition/define-plugin.ts';
import type { Definition } from '../../definition/definition.ts';
import type { CallDescription } from '../../definition/outcome.ts';
import { isPluginName, PLUGIN_NAME } from '../../definition/plugin-spec.ts';
import { isRecord } from '../../definition/fields.ts';

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
  /** Describes a call for the person who is asked for permission. It has 2 s, and must not do anything by itself. */
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
  /** Only the owner of the host runs it. @default false */
  readonly forUsersOnly?: boolean;
  readonly parameters?: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required?: boolean;
    readonly captureRest?: boolean;
  }[];
  complete?(parameter: string, typed: string): readonly string[] | Promise<readonly string[]>;
}

export type Conforming =
  | { readonly kind: 'definition'; readonly definition: Definition }
  | { readonly kind: 'object'; readonly object: ToolPlugin };

/**
 * @param who to begin a sentence with
 * @throws PluglotError DEFINITION_INVALID
 */
export function conforming(value: unknown, who: string): Conforming {
  // An instance of a class has its methods elsewhere than a plain object, so nothing is asked but whether they can be called.
  if (!isRecord(value)) throw invalid(who, `${shown(value)} is not an object`);
  const { name } = value;
  if (typeof name !== 'string' || !isPluginName(name))
    throw invalid(who, `its name is ${shown(name)}; expected ${PLUGIN_NAME}`);
  if (isToolPlugin(value)) return { kind: 'object', object: value };
  if (isDefinition(value)) return { kind: 'definition', definition: value };
  throw invalid(
    who,
    'it is neither made by definePlugin nor has getFunctionDeclarations() and getExecutors()',
  );
}

function isToolPlugin(value: object): value is ToolPlugin {
  return ['getFunctionDeclarations', 'getExecutors'].every(
    (method) => typeof Reflect.get(value, method) === 'function',
  );
}

/** As `definePlugin` makes it. */
function isDefinition(
  value: Readonly<Record<string, unknown>>,
): value is Definition & Record<string, unknown> {
  const { version, tools, commands, autoApprove, requires } = value;
  return (
    typeof version === 'string' &&
    [tools, commands, autoApprove, requires].every(Array.isArray) &&
    (tools as readonly unknown[]).every(isToolDefinition) &&
    (commands as readonly unknown[]).every(hasHandler)
  );
}

function isToolDefinition(tool: unknown): boolean {
  return (
    hasHandler(tool) &&
    isRecord(tool) &&
    isRecord(tool['input']) &&
    typeof tool['input']['check'] === 'function'
  );
}

function hasHandler(value: unknown): boolean {
  return isRecord(value) && typeof value['name'] === 'string' && typeof value['handler'] === 'function';
}

function invalid(who: string, why: string): PluglotError {
  return new PluglotError('DEFINITION_INVALID', `${who} makes no plugin: ${sentence(why)}`);
}

/**
 * Its definition now. To be called once it is initialised, since it may depend on the configuration.
 * @throws PluglotError DEFINITION_INVALID
 */
export function definitionOfToolPlugin(plugin: ToolPlugin, name: string): Definition {
  try {
    const executors = new Map(Object.entries(plugin.getExecutors()));
    const instructions = plugin.getSystemInstructions?.() ?? undefined;
    return definePlugin({
      name,
      version: '0.0.0',
      ...(instructions === undefined ? {} : { instructions }),
      tools: byName(plugin.getFunctionDeclarations(), name, (declaration) =>
        toolOf(plugin, declaration, executorOf(executors, declaration.name, name)),
      ),
      commands: byName(plugin.getUserCommands?.() ?? [], name, (command) =>
        commandOf(command, executorOf(executors, command.name, name)),
      ),
      autoApprove: [...(plugin.getAutoApprovedTools?.() ?? [])],
      teardown: () => plugin.shutdown?.(),
    });
  } catch (thrown) {
    if (thrown instanceof PluglotError) throw thrown;
    throw invalid(`Plugin "${name}"`, `asked what it is, it failed: ${toError(thrown).message}`);
  }
}

function toolOf(
  plugin: ToolPlugin,
  { name, description, parametersJsonSchema }: FunctionDeclaration,
  executor: ToolExecutor,
) {
  return {
    ...(description === undefined ? {} : { description }),
    ...(parametersJsonSchema === undefined ? {} : { input: parametersJsonSchema }),
    handler: (args: JsonObject) => executor(args),
    ...(plugin.describeCall === undefined
      ? {}
      : { describe: (args: JsonObject) => plugin.describeCall?.(name, args) }),
  };
}

function commandOf(command: UserCommand, executor: ToolExecutor) {
  const { description, parameters, shareWithModel = false, forUsersOnly } = command;
  return {
    description,
    ...(parameters === undefined ? {} : { parameters }),
    shareWithModel,
    ...(forUsersOnly === undefined ? {} : { forUsersOnly }),
    handler: (args: JsonObject) => executor(args),
    ...(command.complete === undefined
      ? {}
      : {
          complete: async (parameter: string, typed: string) =>
            (await command.complete?.(parameter, typed)) ?? [],
        }),
  };
}

function byName<Declared extends { readonly name: string }, Made>(
  declared: readonly Declared[],
  plugin: string,
  make: (one: Declared) => Made,
): Record<string, Made> {
  const made = new Map<string, Made>();
  for (const one of declared) {
    if (made.has(one.name)) throw invalid(`Plugin "${plugin}"`, `it declares ${shown(one.name)} twice`);
    made.set(one.name, make(one));
  }
  return Object.fromEntries(made);
}

function executorOf(
  executors: ReadonlyMap<string, ToolExecutor>,
  name: string,
  plugin: string,
): ToolExecutor {
  const executor: unknown = executors.get(name);
  if (typeof executor !== 'function')
    throw invalid(`Plugin "${plugin}"`, `it declares ${shown(name)}, but has no executor for it`);
  // A function is all that can be asked of it before it is called.
  return executor as ToolExecutor;
}
