// The one neutral definition of a plugin: it runs in this process, or is served over stdio in any dialect.
import type { CommandOptions, PluginOptions, ToolOptions } from './authoring.ts';
import { extractor, type ExtractorOptions } from './define-facets.ts';
import type { AnyConfig, CommandDefinition, Definition, ToolDefinition } from './definition.ts';
import { checkedSchema, type Schema } from './schema/checked-schema.ts';

/** What the plugin is, once and for every host. Its parts are checked here and now. */
export function definePlugin<
  const Inputs extends Readonly<Record<string, unknown>>,
  const Outputs extends Readonly<Record<string, unknown>>,
  const Config = unknown,
>(options: PluginOptions<Inputs, Outputs, Config>): Definition {
  // Each handler fits the schemas beside it, and is only ever given what its schema let through: so types can be left behind.
  return definitionOf(options as unknown as AnyPlugin);
}

/** A tool apart from its plugin, for a file of its own. */
export function tool<const Input = unknown, const Output = unknown>(
  options: ToolOptions<Input, Output, AnyConfig>,
): ToolOptions<Input, Output, AnyConfig> {
  return options;
}

/** A command apart from its plugin, for a file of its own. */
export function command(options: CommandOptions<AnyConfig>): CommandOptions<AnyConfig> {
  return options;
}

type AnyPlugin = Omit<Definition, 'config' | 'tools' | 'commands' | 'extractor'> & {
  readonly config?: Schema;
  readonly tools?: Readonly<Record<string, AnyTool>>;
  readonly commands?: Readonly<Record<string, CommandOptions<AnyConfig>>>;
  readonly extractor?: ExtractorOptions;
};

type AnyTool = Omit<ToolDefinition, 'name' | 'input' | 'output'> & {
  readonly input?: Schema;
  readonly output?: Schema;
};

function definitionOf({
  config,
  tools = {},
  commands = {},
  extractor: files,
  ...rest
}: AnyPlugin): Definition {
  return {
    ...rest,
    ...(config === undefined ? {} : { config: checkedSchema(config, 'input') }),
    tools: Object.entries(tools).map(([name, options]) => toolOf(name, options)),
    ...(files === undefined ? {} : { extractor: extractor(files) }),
    commands: Object.entries(commands).map(([name, options]) => commandOf(name, options)),
    autoApprove: rest.autoApprove ?? [],
    requires: rest.requires ?? [],
  };
}

function toolOf(name: string, { input, output, ...rest }: AnyTool): ToolDefinition {
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
  { parameters = [], shareWithModel = true, ...rest }: CommandOptions<AnyConfig>,
): CommandDefinition {
  return { ...rest, name, parameters, shareWithModel };
}
