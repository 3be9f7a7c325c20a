// Calls of tools: which one, with what arguments, and whether it answers what it promised.
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { nearest } from '../../base/suggest.ts';
import type { Backend, BackendRequest, RunningCall } from '../backend.ts';
import type { CheckedSchema, Definition, ToolDefinition } from '../definition.ts';
import { fail } from '../failure.ts';
import type { AnswerContent, CallSink } from '../outcome.ts';
import { contentOf, jsonOf } from './content-of.ts';
import type { Jobs } from './jobs.ts';
import type { Surroundings } from './surroundings.ts';

export function toolCalls(
  { name: plugin, tools }: Pick<Definition, 'name' | 'tools'>,
  { isolate }: Pick<Surroundings, 'isolate'>,
  jobs: Jobs,
): Backend['call'] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return (request, sink) => {
    const tool = byName.get(request.tool);
    const what = `Tool "${request.tool}" of plugin "${plugin}"`;
    if (tool === undefined) {
      const start = () => refuse(plugin, request.tool, byName.keys());
      return jobs.run({ what, around: request, start }, sink);
    }
    if (tool.isolate === true && isolate !== undefined)
      return isolatedCall({ tool, what, request, isolate, jobs }, sink);
    const { timeoutMs, handler, input } = tool;
    return jobs.run(
      {
        what,
        around: request,
        timeoutMs,
        start: async (context) => handler(await checkedArgs(input, request.args, what), context),
        read: (returned) => checkedContent(tool, returned, what),
      },
      sink,
    );
  };
}

interface IsolatedCall {
  readonly tool: ToolDefinition;
  readonly what: string;
  readonly request: BackendRequest;
  readonly isolate: NonNullable<Surroundings['isolate']>;
  readonly jobs: Jobs;
}

/** Its time limit runs here, where nothing blocks. */
function isolatedCall({ tool, what, request, isolate, jobs }: IsolatedCall, sink: CallSink): RunningCall {
  const job = { what, around: request, timeoutMs: tool.timeoutMs };
  return jobs.open(job, sink, async (work, { given }) => {
    await checkedArgs(tool.input, request.args, what);
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

async function checkedArgs(schema: CheckedSchema, args: unknown, what: string): Promise<JsonObject> {
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
