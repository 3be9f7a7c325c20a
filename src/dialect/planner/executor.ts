// Who executes a task: one of the plugin's tools, or for a planner, its host.
import { PluglotError } from '../../base/error.ts';
import { isJsonObject, textsIn, type Json, type JsonObject } from '../../base/json.ts';
import { sentence } from '../../base/text.ts';
import { parseJson } from '../../channel/message/json.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { ExecutorPort, TaskHost } from '../../definition/plugin-port.ts';
import type { CallFailure, CallRequest } from '../../definition/outcome.ts';
import type { TaskRequest } from '../../definition/plan.ts';
import type { Tool } from '../../definition/tool.ts';
import { endingWith } from '../talk-tool.ts';
import type { Offer } from '../facet-tools.ts';
import { refusedCall } from '../failure.ts';
import { fromWire, toWire, type Read } from '../shape.ts';
import { resultOfTool, taskResultFromWire } from './results.ts';
import { codeRequest, codeVerdict, methods, taskRequest } from './schema.ts';
import type { IncomingStreams } from './streams.ts';

/** For a plugin without its own executor, a task is one call of one tool. Undefined when it has no tools. */
export function toolExecutor(offer: Pick<Offer, 'manifest' | 'call' | 'say'>): ExecutorPort | undefined {
  if (offer.manifest.tools.length === 0) return undefined;
  return {
    executeTask(request, sink, info) {
      const { tools } = offer.manifest;
      const tool = toolFor(request, tools);
      if (tool === undefined) return refusedCall(noTool(request, tools), sink);
      return offer.call(
        {
          tool,
          args: argumentsFor(
            request,
            tools.find(({ name }) => name === tool),
          ),
          ...info,
          ...inFolder(request),
        },
        endingWith(sink, (answer) => {
          if (!answer.ok) return sink.end(answer);
          sink.end({ ...answer, data: resultOfTool(tool, answer, offer.say) as JsonObject }); // it is JSON
        }),
      );
    },
  };
}

/** Calls of tools carry the working folder in every dialect. */
function inFolder({ context }: TaskRequest): Pick<CallRequest, 'context'> {
  const workdir = context?.currentDirectory;
  return workdir === undefined ? {} : { context: { workdir } };
}

function toolFor({ type, options }: TaskRequest, tools: readonly Tool[]): string | undefined {
  const named = options?.more?.['tool'];
  if (typeof named === 'string') return named;
  const typed = tools.find(({ name }) => name === type);
  if (typed !== undefined) return typed.name;
  const [first, ...others] = toolsForTasks(tools);
  return others.length > 0 ? undefined : first?.name;
}

/** The tool `say` takes input of the user, which is not a task unless options.tool names it. */
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
    message: `A task of type "${type.slice(0, 100)}" does not name a tool. Set options.tool to its name, and options.arguments to its arguments.`,
    details: { tools: names },
    suggestions: names.slice(0, 20).map((name) => `options.tool: "${name}"`),
  };
}

/** For a planner: execute_task and validate_code go up the pipe. */
export function hostAsExecutor(peer: Peer, streams: IncomingStreams): TaskHost {
  return {
    async executeTask(request, onText = () => {}) {
      const exchange = peer.open(methods.executeTask, toWire(taskRequest, request));
      streams.follow(exchange.id, { text: onText, warn: () => {} });
      try {
        return valueOf(methods.executeTask, taskResultFromWire(await exchange.result));
      } finally {
        streams.release(exchange.id);
      }
    },
    async validateCode(request) {
      const result = await peer.request(methods.validateCode, toWire(codeRequest, request));
      return valueOf(methods.validateCode, fromWire(codeVerdict, result, 'the result', 'lenient'));
    },
  };
}

function valueOf(method: string, read: Read<object>): Json {
  if ('value' in read) return read.value as JsonObject; // the neutral types of plans are made of JSON
  throw new PluglotError('PROTOCOL_VIOLATION', `The host answered ${method}, but ${sentence(read.problem)}`);
}
