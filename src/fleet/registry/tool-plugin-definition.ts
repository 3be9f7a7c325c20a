// A plugin that is an object of the specification's shape, as a definition.
import { PluglotError, toError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import { shown } from '../../base/shown.ts';
import { sentence } from '../../base/sentence.ts';
import { definePlugin } from '../../definition/define-plugin.ts';
import type { Definition } from '../../definition/definition.ts';
import type { FunctionDeclaration, ToolExecutor, ToolPlugin, UserCommand } from './tool-plugin.ts';

/**
 * What it says of itself now: to be asked once it is initialised, since it may go by its configuration.
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
    throw invalid(name, `asked what it is, it failed: ${toError(thrown).message}`);
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
    if (made.has(one.name)) throw invalid(plugin, `it declares ${shown(one.name)} twice`);
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
    throw invalid(plugin, `it declares ${shown(name)}, but has no executor for it`);
  // A function is all that can be asked of it before it is called.
  return executor as ToolExecutor;
}

function invalid(plugin: string, why: string): PluglotError {
  return new PluglotError('DEFINITION_INVALID', `Plugin "${plugin}" makes no plugin: ${sentence(why)}`);
}
