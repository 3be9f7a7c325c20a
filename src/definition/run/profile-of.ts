// What a plugin says of itself, taken from its definition.
import type { CommandProfile, Profile } from '../backend.ts';
import type { CommandDefinition, Definition, ToolDefinition } from '../definition.ts';
import type { Tool } from '../tool.ts';

export function profileOf(definition: Definition): Profile {
  const { name, version, description, author, instructions, config, extractor, planner, executor } =
    definition;
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

function toolOf({
  input: _i,
  output: _o,
  handler: _h,
  timeoutMs: _t,
  isolate: _s,
  ...tool
}: ToolDefinition): Tool {
  return tool;
}

function commandOf({ handler: _h, complete: _c, ...command }: CommandDefinition): CommandProfile {
  return command;
}
