// An executor made of tools, for plugins that have no executor of their own: a task is one call of one tool.
import { isJsonObject, textsIn, type Json, type JsonObject } from '../../base/json.ts';
import { parseJson } from '../../channel/message/json.ts';
import type { Around, Backend } from '../../definition/backend.ts';
import type { CallFailure } from '../../definition/outcome.ts';
import type { TaskRequest } from '../../definition/plan.ts';
import type { Tool } from '../../definition/tool.ts';
import { endingWith } from '../ending-with.ts';
import type { Offer } from '../facet-tools.ts';
import { refusedCall } from '../refused-call.ts';
import { resultOfTool } from './task-result.ts';

/** Undefined where there is nothing that could do a task. */
export function defaultExecutor(
  backend: Pick<Offer, 'profile' | 'call' | 'say'>,
): NonNullable<Backend['executor']> | undefined {
  if (backend.profile.tools.length === 0) return undefined;
  return {
    executeTask(request, around, sink) {
      const { tools } = backend.profile;
      const tool = toolFor(request, tools);
      if (tool === undefined) return refusedCall(noTool(request, tools), sink);
      return backend.call(
        {
          tool,
          args: argumentsFor(
            request,
            tools.find(({ name }) => name === tool),
          ),
          ...surroundings(request, around),
        },
        endingWith(sink, (answer) => {
          if (!answer.ok) return sink.end(answer);
          sink.end({ ...answer, data: resultOfTool(tool, answer, backend.say) as JsonObject }); // it is JSON
        }),
      );
    },
  };
}

/** A folder to work in is what tools of other dialects are told as well. */
function surroundings({ context }: TaskRequest, around: Around) {
  const workdir = context?.currentDirectory;
  return { ...around, ...(workdir === undefined ? {} : { context: { workdir } }) };
}

function toolFor({ type, options }: TaskRequest, tools: readonly Tool[]): string | undefined {
  const named = options?.more?.['tool'];
  if (typeof named === 'string') return named;
  const typed = tools.find(({ name }) => name === type);
  if (typed !== undefined) return typed.name;
  const [first, ...others] = toolsForTasks(tools);
  return others.length > 0 ? undefined : first?.name;
}

/** What the user says is no task, unless it is named as one. */
function toolsForTasks(tools: readonly Tool[]): readonly Tool[] {
  return tools.filter(({ facet }) => facet !== 'talk');
}

function argumentsFor({ prompt, options }: TaskRequest, tool: Tool | undefined): JsonObject {
  const given = options?.more?.['arguments'];
  if (isJsonObject(given)) return given;
  const written = objectIn(prompt);
  if (written !== undefined) return written;
  const [property, ...others] = requiredTexts(tool);
  return property === undefined || others.length > 0 ? {} : { [property]: prompt };
}

function objectIn(prompt: string): JsonObject | undefined {
  if (!prompt.trimStart().startsWith('{')) return undefined;
  try {
    const value = parseJson(prompt);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function requiredTexts(tool: Tool | undefined): string[] {
  const schema = tool?.inputSchema;
  if (!isJsonObject(schema)) return [];
  const { properties, required } = schema;
  return textsIn(required).filter((name) => isText(isJsonObject(properties) ? properties[name] : undefined));
}

function isText(schema: Json | undefined): boolean {
  return isJsonObject(schema) && schema['type'] === 'string';
}

function noTool({ type }: TaskRequest, tools: readonly Tool[]): CallFailure {
  const names = toolsForTasks(tools).map(({ name }) => name);
  return {
    code: 'INVALID_ARGUMENTS',
    message: `A task of type "${type.slice(0, 100)}" does not say which tool shall do it. Name it in options.tool, and its arguments in options.arguments.`,
    details: { tools: names },
    suggestions: names.slice(0, 20).map((name) => `options.tool: "${name}"`),
  };
}
