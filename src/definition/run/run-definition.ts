// A definition at work in this process: checks what it is asked, runs the author's code, and sees that every question ends.
import { late, within } from '../../base/async.ts';
import { isJsonObject, type JsonObject, textsIn } from '../../base/json.ts';
import { didYouMean, nearest } from '../../base/names.ts';
import { sentence } from '../../base/text.ts';
import type { CheckedSchema, CommandDefinition, Definition, ToolDefinition } from '../definition.ts';
import { fail, failureOf } from '../failure.ts';
import type { AnswerContent, CallDescription, CallFailure, CallRequest, CallSink } from '../outcome.ts';
import type { CommandsPort, PluginPort, RunningCall, ServedPort } from '../plugin-port.ts';
import type { LogLevel } from '../tool.ts';
import { executorOf, extractorOf, healthOf, plannerOf } from './facets.ts';
import { contentOf, jsonOf } from './handler-context.ts';
import { Jobs, type RunJob } from './jobs.ts';
import { CurrentInstructions, manifestOf } from './manifest.ts';
import { plainJson } from './plain-json.ts';
import type { PluginHost } from './plugin-host.ts';
import { Readiness, stopped } from './readiness.ts';

export function runDefinition(definition: Definition, host: PluginHost): ServedPort {
  const { name, onInput, commands, extractor, planner, executor, updateContext } = definition;
  const life = new AbortController();
  const instructions = new CurrentInstructions(definition);
  const readiness = new Readiness(definition, host, life.signal, instructions);
  let manifest = manifestOf(definition, instructions.text);
  instructions.onChanged(() => {
    manifest = manifestOf(definition, instructions.text);
  });
  const jobs = new Jobs({ readiness, host, canTalk: onInput !== undefined });
  const run: RunJob = (job, sink) => jobs.run(job, sink);
  let end: Promise<void> | undefined;
  return {
    get manifest() {
      return manifest;
    },
    onManifestChanged: (listener) => instructions.onChanged(listener),
    setup: (config) => readiness.setup(config),
    call: toolCalls(definition, host, jobs),
    describe: describeCall(definition, host),
    ...(onInput !== undefined && {
      talk: {
        input: (content, sink, info) =>
          run({ what: `Plugin "${name}"`, info, start: (context) => onInput(content, context) }, sink),
      },
    }),
    ...(commands.length > 0 && { commands: commandsOf(name, commands, run) }),
    ...(extractor !== undefined && { extractor: extractorOf(name, extractor, host, run) }),
    ...(planner !== undefined && { planner: plannerOf(name, planner, run) }),
    ...(executor !== undefined && { executor: executorOf(name, executor, run) }),
    ...(updateContext !== undefined && {
      updateContext: (update, sink, info) =>
        run({ what: `Plugin "${name}"`, info, start: () => updateContext(update), read: () => ({}) }, sink),
    }),
    health: () => healthOf(definition, readiness, host),
    teardown: (why) => {
      end ??= takeDown(definition, { life, jobs, readiness, host }, why);
      return end;
    },
  };
}

const TEARDOWN_MS = 5000;

interface Parts {
  readonly life: AbortController;
  readonly jobs: Jobs;
  readonly readiness: Readiness;
  readonly host: PluginHost;
}

/** Never rejects, and ends within 5 s. */
async function takeDown(
  { name, teardown }: Definition,
  parts: Parts,
  why: CallFailure = failureOf(stopped(name)),
): Promise<void> {
  const { life, jobs, readiness, host } = parts;
  life.abort();
  jobs.stopAll(why);
  if (teardown !== undefined && readiness.wasBegun) await tidyUp(name, teardown, host);
  host.flushPrints?.();
}

async function tidyUp(
  name: string,
  teardown: NonNullable<Definition['teardown']>,
  host: PluginHost,
): Promise<void> {
  const log = (level: LogLevel, message: string) => host.log({ level, message });
  try {
    const down = await within((async () => teardown())(), TEARDOWN_MS, host.clock);
    if (down === late) log('warn', `The teardown of plugin "${name}" takes longer than ${TEARDOWN_MS} ms.`);
  } catch (thrown) {
    log('error', `The teardown of plugin "${name}" failed: ${failureOf(thrown).message}`);
  }
}

function toolCalls(
  { name: plugin, tools }: Pick<Definition, 'name' | 'tools'>,
  { isolate }: Pick<PluginHost, 'isolate'>,
  jobs: Jobs,
): PluginPort['call'] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return (request, sink) => {
    const tool = byName.get(request.tool);
    const what = `Tool "${request.tool}" of plugin "${plugin}"`;
    if (tool === undefined) {
      const start = () => refuse(plugin, request.tool, byName.keys());
      return jobs.run({ what, info: request, start }, sink);
    }
    if (tool.isolate === true && isolate !== undefined)
      return isolatedCall({ tool, what, request, isolate, jobs }, sink);
    const { timeoutMs, handler, input } = tool;
    return jobs.run(
      {
        what,
        info: request,
        timeoutMs,
        start: async (context) => handler(await checkedArgs(input, request, what), context),
        read: (returned) => checkedContent(tool, returned, what),
      },
      sink,
    );
  };
}

interface IsolatedCall {
  readonly tool: ToolDefinition;
  readonly what: string;
  readonly request: CallRequest;
  readonly isolate: NonNullable<PluginHost['isolate']>;
  readonly jobs: Jobs;
}

/** Its time limit runs here, where nothing blocks. */
function isolatedCall({ tool, what, request, isolate, jobs }: IsolatedCall, sink: CallSink): RunningCall {
  const job = { what, info: request, timeoutMs: tool.timeoutMs };
  return jobs.open(job, sink, async (work, { given }) => {
    await checkedArgs(tool.input, request, what);
    if (work.isOver) return;
    const inner = isolate(request, given, {
      event: (event) => void work.event(event),
      drained: () => work.drained(),
      end: (answer) => work.end(answer),
    });
    const { signal } = work;
    signal.addEventListener('abort', () => inner.cancel(String(signal.reason)), { once: true });
  });
}

async function checkedArgs(
  schema: CheckedSchema,
  { args, validatedAgainst }: CallRequest,
  what: string,
): Promise<JsonObject> {
  if (schema.isJsonSchema === true && validatedAgainst === schema.jsonSchema) return args;
  const checked = isJsonObject(args) ? await schema.check(args) : { problems: ['they: must be an object'] };
  // What comes of a check is what the handler was typed for.
  if ('value' in checked) return checked.value as JsonObject;
  return fail({
    code: 'INVALID_ARGUMENTS',
    message: `${what} does not take these arguments: ${checked.problems.join('; ')}`,
    data: { problems: [...checked.problems] },
  });
}

/** Where data is promised, a text alone is data too. */
async function checkedContent(
  { output }: ToolDefinition,
  returned: unknown,
  what: string,
): Promise<AnswerContent> {
  const content = contentOf(returned, what);
  if (output === undefined) return content;
  const checked = await output.check(content.data ?? content.text ?? null);
  if ('value' in checked) return { ...content, data: jsonOf(checked.value, 'its result', what) };
  return fail({
    code: 'INTERNAL',
    message: `${what} answered with something that its own output schema does not allow: ${checked.problems.join('; ')}`,
    partial: content,
  });
}

function refuse(plugin: string, name: string, names: Iterable<string>): never {
  const suggestions = nearest(name, names).map((near) => `Did you mean "${near}"?`);
  return fail({
    code: 'UNKNOWN_TOOL',
    message: `Plugin "${plugin}" has no tool "${name}".`,
    ...(suggestions.length === 0 ? {} : { suggestions }),
  });
}

/** The question is shown only after it. */
const DESCRIBE_MS = 2000;

/** In characters. */
const longest = { summary: 1000, details: 64 * 1024, diff: 256 * 1024 } as const;

/** A description that fails is left out: the arguments can always be shown. */
function describeCall(
  { name: plugin, tools }: Pick<Definition, 'name' | 'tools'>,
  { clock, log }: Pick<PluginHost, 'clock' | 'log'>,
): NonNullable<PluginPort['describe']> {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return async (name, args) => {
    const tool = byName.get(name);
    if (tool?.describe === undefined) return undefined;
    const missed = (why: string) =>
      log({
        level: 'warn',
        message: `The description of a call by tool "${name}" of plugin "${plugin}" was left out: ${sentence(why)}`,
      });
    try {
      const description: unknown = await within(describedBy(tool, args), DESCRIBE_MS, clock);
      if (description !== late) return descriptionOf(description);
      missed(`it took longer than ${DESCRIBE_MS} ms`);
    } catch (thrown) {
      missed(failureOf(thrown).message);
    }
    return undefined;
  };
}

/** With a copy of the arguments, so that describing does not change them. */
async function describedBy({ input, describe }: ToolDefinition, args: JsonObject): Promise<unknown> {
  const plain = plainJson(args, 'they');
  const checked = 'json' in plain ? await input.check(plain.json) : { problems: [] };
  // What comes of a check is what it was typed for. Arguments that do not fit are refused elsewhere, in words.
  return 'value' in checked ? describe?.(checked.value as JsonObject) : undefined;
}

function descriptionOf(value: unknown): CallDescription | undefined {
  if (!isJsonObject(value)) return undefined;
  const texts = Object.entries(longest).flatMap(([key, most]) => {
    const text = value[key];
    return typeof text === 'string' && text !== '' ? [[key, cut(text, most)] as const] : [];
  });
  return texts.length === 0 ? undefined : Object.fromEntries(texts);
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length - most} characters more)`;
}

function commandsOf(plugin: string, commands: readonly CommandDefinition[], run: RunJob): CommandsPort {
  const byName = new Map(commands.map((command) => [command.name, command]));
  return {
    run: (request, sink) => {
      const what = `Command "${request.tool}" of plugin "${plugin}"`;
      const command = byName.get(request.tool);
      return run(
        {
          what,
          info: request,
          timeoutMs: command?.timeoutMs,
          start: (context) => {
            if (command === undefined) return unknown(plugin, request.tool, byName.keys());
            const args = isJsonObject(request.args) ? request.args : {};
            const missing = command.parameters.find(
              ({ name, required }) => required && !Object.hasOwn(args, name),
            );
            if (missing)
              fail({ code: 'INVALID_ARGUMENTS', message: `${what} needs the parameter "${missing.name}".` });
            return command.handler(args, context);
          },
        },
        sink,
      );
    },
    complete: async (name, parameter, typed) => {
      try {
        return textsIn(await byName.get(name)?.complete?.(parameter, typed));
      } catch {
        // An error would only disturb a person who types.
        return [];
      }
    },
  };
}

function unknown(plugin: string, name: string, names: Iterable<string>): never {
  return fail({
    code: 'UNKNOWN_TOOL',
    message: `Plugin "${plugin}" has no command "${name}".${didYouMean(name, names)}`,
  });
}
