// Whether what an author defines makes sense: names, handlers, keys that nobody knows. TypeScript sees most of it; JavaScript sees nothing.
import { PluglotError } from '../base/error.ts';
import { shown } from '../base/shown.ts';
import { didYouMean } from '../base/suggest.ts';
import { isPluginName, PLUGIN_NAME } from './plugin-name.ts';
import {
  aFunction,
  anObject,
  isRecord,
  problemsOfShape,
  required,
  text,
  texts,
  yesOrNo,
  type Kind,
  type Shape,
} from './shape.ts';

/** @throws PluglotError DEFINITION_INVALID */
export function checkDefinition(options: unknown): void {
  const problems = problemsOfShape(options, pluginShape, '');
  if (isRecord(options)) {
    problems.push(...problemsOfTools(options['tools']), ...problemsOfCommands(options['commands']));
    problems.push(...problemsOfFacets(options), ...problemsOfApprovals(options));
  }
  refuse(options, problems);
}

/** @throws PluglotError DEFINITION_INVALID when there are any */
export function refuse(options: unknown, problems: readonly string[]): void {
  if (problems.length === 0) return;
  const name = isRecord(options) ? options['name'] : undefined;
  const who = typeof name === 'string' ? `Plugin ${shown(name)}` : 'A plugin';
  const more = problems.length > PROBLEMS_MAX ? ` And ${problems.length - PROBLEMS_MAX} more.` : '';
  const told = problems
    .slice(0, PROBLEMS_MAX)
    .map((problem) => `${problem}${/[?.]$/.test(problem) ? '' : '.'}`);
  throw new PluglotError('DEFINITION_INVALID', `${who} cannot be defined: ${told.join(' ')}${more}`);
}

const PROBLEMS_MAX = 5;

const schema: Kind = {
  expected: 'a JSON Schema or a Standard Schema',
  fits: (value) => isRecord(value) || typeof value === 'function',
};

const pluginShape: Shape = {
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
  tools: anObject,
  commands: anObject,
  extractor: anObject,
  planner: anObject,
  executor: anObject,
  onInput: aFunction,
  autoApprove: texts,
  requires: texts,
  setup: aFunction,
  teardown: aFunction,
  health: aFunction,
  updateContext: aFunction,
};

const timeLimit: Shape[string] = {
  expected: 'milliseconds, more than 0',
  fits: (value) => typeof value === 'number' && value > 0,
};

const toolShape: Shape = {
  title: text,
  description: text,
  input: schema,
  output: schema,
  tags: texts,
  hints: anObject,
  handler: required(aFunction),
  timeoutMs: timeLimit,
  isolate: yesOrNo,
  describe: aFunction,
};

const hintShape: Shape = { readOnly: yesOrNo, destructive: yesOrNo, idempotent: yesOrNo, openWorld: yesOrNo };

const commandShape: Shape = {
  description: text,
  parameters: { expected: 'an array', fits: Array.isArray },
  shareWithModel: yesOrNo,
  forUsersOnly: yesOrNo,
  handler: required(aFunction),
  complete: aFunction,
  timeoutMs: timeLimit,
};

const parameterShape: Shape = {
  name: required(text),
  description: text,
  required: yesOrNo,
  captureRest: yesOrNo,
};

const facetShapes: Readonly<Record<string, Shape>> = {
  extractor: { formats: texts, extensions: texts, supports: aFunction, extract: required(aFunction) },
  planner: { createPlan: required(aFunction) },
  executor: { executeTask: required(aFunction), validateCode: aFunction },
};

/** What every dialect can say, and every model can call. */
const toolName = /^[\w.-]{1,64}$/;

function problemsOfTools(tools: unknown): string[] {
  return entriesOf(tools).flatMap(([name, tool]) => {
    const where = `tools.${name}`;
    const hints = isRecord(tool) ? tool['hints'] : undefined;
    return [
      ...problemsOfName(name, where),
      ...problemsOfShape(tool, toolShape, where),
      ...(isRecord(hints) ? problemsOfShape(hints, hintShape, `${where}.hints`) : []),
    ];
  });
}

function problemsOfCommands(commands: unknown): string[] {
  return entriesOf(commands).flatMap(([name, command]) => {
    const where = `commands.${name}`;
    const parameters: unknown = isRecord(command) ? command['parameters'] : undefined;
    return [
      ...problemsOfName(name, where),
      ...problemsOfShape(command, commandShape, where),
      ...(Array.isArray(parameters) ? problemsOfParameters(parameters, `${where}.parameters`) : []),
    ];
  });
}

function problemsOfParameters(parameters: readonly unknown[], where: string): string[] {
  const seen = new Set<unknown>();
  return parameters.flatMap((parameter, index) => {
    const at = `${where}[${index}]`;
    const problems = problemsOfShape(parameter, parameterShape, at);
    if (!isRecord(parameter)) return problems;
    const { name, captureRest } = parameter;
    if (seen.has(name))
      problems.push(`${at}.name is ${shown(name)}, which another parameter is called already`);
    seen.add(name);
    if (captureRest === true && index < parameters.length - 1)
      problems.push(`${at}.captureRest is true, which leaves nothing for the parameters after it`);
    return problems;
  });
}

function problemsOfName(name: string, where: string): string[] {
  if (toolName.test(name)) return [];
  return [
    `${where} has a name that not every host can say; expected up to 64 letters, digits, "_", "-" and "."`,
  ];
}

function problemsOfFacets(options: Readonly<Record<string, unknown>>): string[] {
  const problems = Object.entries(facetShapes).flatMap(([facet, shape]) =>
    isRecord(options[facet]) ? problemsOfShape(options[facet], shape, facet) : [],
  );
  const { extractor } = options;
  if (isRecord(extractor) && !['formats', 'extensions', 'supports'].some((key) => key in extractor))
    problems.push('extractor takes no file at all; expected formats, extensions or supports');
  return problems;
}

function problemsOfApprovals({ autoApprove, tools, commands }: Readonly<Record<string, unknown>>): string[] {
  if (!Array.isArray(autoApprove)) return [];
  const known = [...entriesOf(tools), ...entriesOf(commands)].map(([name]) => name);
  return autoApprove
    .filter((name) => typeof name === 'string' && !known.includes(name))
    .map((name) => `autoApprove names ${shown(name)}, which is no tool.${didYouMean(String(name), known)}`);
}

function entriesOf(value: unknown): [string, unknown][] {
  return isRecord(value) ? Object.entries(value) : [];
}
