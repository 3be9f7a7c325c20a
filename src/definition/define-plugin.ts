// The one neutral definition of a plugin: it runs in this process, or is served over stdio in any dialect.
import { toError, PluglotError } from '../base/error.ts';
import { shown } from '../base/text.ts';
import { didYouMean } from '../base/names.ts';
import type { CommandOptions, PluginOptions, ToolOptions } from './authoring.ts';
import {
  extractor,
  type ExtractorOptions,
  type AnyConfig,
  type CheckedSchema,
  type CommandDefinition,
  type Definition,
  type ExecutorDefinition,
  type PlannerDefinition,
  type ToolDefinition,
} from './definition.ts';
import { isPluginName, PLUGIN_NAME } from './plugin-spec.ts';
import { inputSchema, outputSchema, type Schema } from './schema/checked-schema.ts';
import {
  aFunction,
  isRecord,
  listOf,
  mapOf,
  objectOf,
  problemsOfFields,
  required,
  text,
  texts,
  yesOrNo,
  type Field,
  type Fields,
} from './fields.ts';
import type { CommandManifest } from './manifest.ts';
import type { ToolHints } from './tool.ts';

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
      problems.push(`${where} is not a usable schema: ${toError(thrown).message}`);
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

/** @throws PluglotError DEFINITION_INVALID */
function checkDefinition(options: unknown): void {
  refuse(options, [
    ...problemsOfFields(options, pluginFields, ''),
    ...(isRecord(options) ? problemsOfApprovals(options) : []),
  ]);
}

/** @throws PluglotError DEFINITION_INVALID when there are any */
function refuse(options: unknown, problems: readonly string[]): void {
  if (problems.length === 0) return;
  const name = isRecord(options) ? options['name'] : undefined;
  const who = typeof name === 'string' ? `Plugin ${shown(name)}` : 'A plugin';
  const more = problems.length > PROBLEMS_MAX ? ` And ${problems.length - PROBLEMS_MAX} more.` : '';
  const shownProblems = problems
    .slice(0, PROBLEMS_MAX)
    .map((problem) => `${problem}${/[?.]$/.test(problem) ? '' : '.'}`);
  throw new PluglotError('DEFINITION_INVALID', `${who} cannot be defined: ${shownProblems.join(' ')}${more}`);
}

const PROBLEMS_MAX = 5;

const schema: Field = {
  expected: 'a JSON Schema or a Standard Schema',
  fits: (value) => isRecord(value) || typeof value === 'function',
};

const timeLimit: Field = {
  expected: 'milliseconds, more than 0',
  fits: (value) => typeof value === 'number' && value > 0,
};

const hintFields: Fields<ToolHints> = {
  readOnly: yesOrNo,
  destructive: yesOrNo,
  idempotent: yesOrNo,
  openWorld: yesOrNo,
};

const toolFields: Fields<ToolOptions<unknown, unknown, unknown>> = {
  title: text,
  description: text,
  input: schema,
  output: schema,
  tags: texts,
  hints: objectOf(hintFields),
  handler: required(aFunction),
  timeoutMs: timeLimit,
  isolate: yesOrNo,
  describe: aFunction,
};

const parameterFields: Fields<CommandManifest['parameters'][number]> = {
  name: required(text),
  description: text,
  required: yesOrNo,
  captureRest: yesOrNo,
};

const commandFields: Fields<CommandOptions<unknown>> = {
  description: text,
  parameters: listOf(parameterFields, problemsOfParameters),
  shareWithModel: yesOrNo,
  forUsersOnly: yesOrNo,
  handler: required(aFunction),
  complete: aFunction,
  timeoutMs: timeLimit,
};

const extractorFields: Fields<ExtractorOptions> = {
  formats: texts,
  extensions: texts,
  supports: aFunction,
  extract: required(aFunction),
};

const plannerFields: Fields<PlannerDefinition> = { createPlan: required(aFunction) };

const executorFields: Fields<ExecutorDefinition> = {
  executeTask: required(aFunction),
  validateCode: aFunction,
};

const pluginFields: Fields<PluginOptions<object, object, unknown>> = {
  name: required({
    expected: `a name: ${PLUGIN_NAME}`,
    fits: (value) => typeof value === 'string' && isPluginName(value),
  }),
  version: required({
    expected: 'a version, such as "1.0.0"',
    fits: (value) => typeof value === 'string' && value !== '',
  }),
  description: text,
  author: text,
  instructions: {
    expected: 'a text, or a function that gives one',
    fits: (value) => typeof value === 'string' || typeof value === 'function',
  },
  config: schema,
  tools: mapOf(toolFields, problemsOfName),
  commands: mapOf(commandFields, problemsOfName),
  extractor: objectOf(extractorFields, (extractor, where) =>
    ['formats', 'extensions', 'supports'].some((key) => key in extractor)
      ? []
      : [`${where} takes no file at all; expected formats, extensions or supports`],
  ),
  planner: objectOf(plannerFields),
  executor: objectOf(executorFields),
  onInput: aFunction,
  autoApprove: texts,
  requires: texts,
  setup: aFunction,
  teardown: aFunction,
  health: aFunction,
  updateContext: aFunction,
};

/** Names that every dialect can express and every model can call. */
const toolName = /^[\w.-]{1,64}$/;

function problemsOfName(name: string, where: string): string[] {
  if (toolName.test(name)) return [];
  return [
    `${where} has a name that not every host can say; expected up to 64 letters, digits, "_", "-" and "."`,
  ];
}

function problemsOfParameters(parameters: readonly unknown[], where: string): string[] {
  const seen = new Set<unknown>();
  return parameters.flatMap((parameter, index) => {
    if (!isRecord(parameter)) return [];
    const { name, captureRest } = parameter;
    const problems: string[] = [];
    if (seen.has(name))
      problems.push(`${where}[${index}].name is ${shown(name)}, which another parameter is called already`);
    seen.add(name);
    if (captureRest === true && index < parameters.length - 1)
      problems.push(
        `${where}[${index}].captureRest is true, which leaves nothing for the parameters after it`,
      );
    return problems;
  });
}

function problemsOfApprovals({ autoApprove, tools, commands }: Readonly<Record<string, unknown>>): string[] {
  if (!Array.isArray(autoApprove)) return [];
  const known = [tools, commands].flatMap((named) => (isRecord(named) ? Object.keys(named) : []));
  return autoApprove
    .filter((name) => typeof name === 'string' && !known.includes(name))
    .map(
      (name) => `autoApprove names ${shown(name)}, which is not a tool.${didYouMean(String(name), known)}`,
    );
}
