// The one neutral definition of a plugin: it runs in this process, or is served over stdio in any dialect.
import { toError } from '../base/error.ts';
import type { CommandOptions, PluginOptions, ToolOptions } from './authoring.ts';
import { checkDefinition, refuse } from './check-definition.ts';
import { extractor, type ExtractorOptions } from './define-facets.ts';
import type {
  AnyConfig,
  CheckedSchema,
  CommandDefinition,
  Definition,
  ToolDefinition,
} from './definition.ts';
import { inputSchema, outputSchema, type Schema } from './schema/checked-schema.ts';

/**
 * What the plugin is, once and for every host.
 * @throws PluglotError DEFINITION_INVALID with all that makes no sense
 */
export function definePlugin<
  const Inputs extends Readonly<Record<string, unknown>>,
  const Outputs extends Readonly<Record<string, unknown>>,
  const Config = unknown,
>(options: PluginOptions<Inputs, Outputs, Config>): Definition {
  checkDefinition(options);
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

function definitionOf(options: AnyPlugin): Definition {
  const { config, tools = {}, commands = {}, extractor: files, ...rest } = options;
  const problems: string[] = [];
  const checked = (schema: Schema | undefined, make: typeof inputSchema, where: string) => {
    try {
      return schema === undefined ? undefined : make(schema);
    } catch (thrown) {
      problems.push(`${where} is no schema that can be used: ${toError(thrown).message}`);
      return undefined;
    }
  };
  const checkedConfig = checked(config, inputSchema, 'config');
  const definition: Definition = {
    ...rest,
    ...(checkedConfig === undefined ? {} : { config: checkedConfig }),
    ...(files === undefined ? {} : { extractor: extractor(files) }),
    tools: Object.entries(tools).map(([name, { input, output, ...tool }]) =>
      toolOf(
        { ...tool, name },
        checked(input ?? {}, inputSchema, `tools.${name}.input`),
        checked(output, outputSchema, `tools.${name}.output`),
      ),
    ),
    commands: Object.entries(commands).map(([name, command]) => commandOf(name, command)),
    autoApprove: rest.autoApprove ?? [],
    requires: rest.requires ?? [],
  };
  refuse(options, problems);
  return definition;
}

function toolOf(
  tool: Omit<ToolDefinition, 'input' | 'output'>,
  input: CheckedSchema = inputSchema({}),
  output?: CheckedSchema,
): ToolDefinition {
  return {
    ...tool,
    input,
    inputSchema: input.jsonSchema,
    ...(output === undefined ? {} : { output, outputSchema: output.jsonSchema }),
  };
}

function commandOf(
  name: string,
  { parameters = [], shareWithModel = false, ...rest }: CommandOptions<AnyConfig>,
): CommandDefinition {
  return { ...rest, name, parameters, shareWithModel };
}
