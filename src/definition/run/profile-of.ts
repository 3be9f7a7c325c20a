// What a plugin says of itself, taken from its definition.
import type { CommandProfile, Profile } from '../backend.ts';
import type { CommandDefinition, Definition, ToolDefinition } from '../definition.ts';
import type { Tool } from '../tool.ts';

/** @param instructions as they are told now; before the first setup those that are fixed */
export function profileOf(definition: Definition, instructions = fixedInstructions(definition)): Profile {
  const { name, version, description, author, config, extractor, planner, executor } = definition;
  return {
    name,
    version,
    ...(description === undefined ? {} : { description }),
    ...(author === undefined ? {} : { author }),
    ...(instructions === undefined ? {} : { instructions }),
    ...(config === undefined ? {} : { configSchema: config.jsonSchema }),
    ...(extractor === undefined
      ? {}
      : { extractor: { formats: extractor.formats, extensions: extractor.extensions } }),
    ...(planner === undefined ? {} : { planner: true }),
    ...(executor === undefined
      ? {}
      : { executor: executor.validateCode === undefined ? {} : { validateCode: true } }),
    ...(definition.onInput === undefined ? {} : { talks: true }),
    requires: definition.requires.map((command) => ({ command })),
    tools: definition.tools.map(toolOf),
    commands: definition.commands.map(commandOf),
    autoApprove: definition.autoApprove,
  };
}

export function fixedInstructions({ instructions }: Definition): string | undefined {
  return typeof instructions === 'string' ? instructions : undefined;
}

function toolOf({
  input: _i,
  output: _o,
  handler: _h,
  timeoutMs: _t,
  isolate: _s,
  describe: _d,
  ...tool
}: ToolDefinition): Tool {
  return tool;
}

function commandOf({
  handler: _h,
  complete: _c,
  timeoutMs: _t,
  ...command
}: CommandDefinition): CommandProfile {
  return command;
}
