// The one neutral definition of a plugin: it runs in this process, or is served over stdio in any dialect.
import type { CommandOptions, PluginOptions, ToolOptions } from './authoring.ts';
import type { CommandDefinition, Definition, ToolDefinition } from './definition.ts';
import { checkedSchema } from './schema/checked-schema.ts';

export function definePlugin({ config, tools = {}, commands = {}, ...rest }: PluginOptions): Definition {
  return {
    autoApprove: [],
    requires: [],
    ...rest,
    ...(config === undefined ? {} : { config: checkedSchema(config, 'input') }),
    tools: Object.entries(tools).map(([name, options]) => toolOf(name, options)),
    commands: Object.entries(commands).map(([name, options]) => commandOf(name, options)),
  };
}

function toolOf(name: string, { input, output, ...rest }: ToolOptions): ToolDefinition {
  const checkedInput = checkedSchema(input ?? { type: 'object' }, 'input');
  const checkedOutput = output === undefined ? undefined : checkedSchema(output, 'output');
  return {
    ...rest,
    name,
    input: checkedInput,
    inputSchema: checkedInput.jsonSchema,
    ...(checkedOutput === undefined ? {} : { output: checkedOutput, outputSchema: checkedOutput.jsonSchema }),
  };
}

function commandOf(
  name: string,
  { parameters = [], shareWithModel = true, ...rest }: CommandOptions,
): CommandDefinition {
  return { ...rest, name, parameters, shareWithModel };
}
