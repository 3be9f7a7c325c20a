// Planner and executor: no hello, so the first question is `rpc.discover`, which a plain end does not know.
import { isJsonArray, isJsonObject, textsIn, type JsonObject } from '../../base/json.ts';
import { KiB, MiB } from '../../base/limits.ts';
import type { Tool } from '../../definition/tool.ts';
import { chooseProbe } from '../subject/choose-probe.ts';
import type { Conversation } from '../subject/conversation.ts';
import type { Driver, Introduction, Probe } from './driver.ts';
import { codeOf, endByResponse, padded, request } from './responses.ts';

export const plannerDriver: Driver = {
  dialect: 'planner',
  framing: 'lines',
  largestMessage: 1024 * KiB,
  // The protocol asks for less than 1 MB.
  oversizeMessage: 4 * MiB,
  greet: introduce,
  probe: ({ tools }) => chooseTask(tools),
  callMessage: (id, { tool, args }) => request(id, tool, args),
  endOfCall: (id, message) =>
    endByResponse(
      id,
      message,
      (result) => isJsonObject(result) && (result['status'] ?? 'success') === 'success',
    ),
  signOfLife: (id, { tool, args }, padding) => request(id, tool, { ...args, ...padded(padding) }),
  isGoodbyeAnswered: false,
};

const probes: readonly Probe[] = [
  {
    tool: 'execute_task',
    args: {
      task_type: 'analysis',
      prompt: 'Say what this is.',
      context: { files: [], current_directory: '/', dependencies: [], constraints: [] },
      options: { language: 'javascript' },
    },
  },
  {
    tool: 'create_plan',
    args: {
      user_request: 'Say hello.',
      current_state: { completed_tasks: [], pending_tasks: [], context: {} },
      constraints: { max_tasks: 3, time_limit_seconds: 30 },
    },
  },
];

/** A task that names a tool of the plugin, where it lists some: an executor of tools has to be told which. */
function chooseTask(tools: readonly Tool[]): Probe | undefined {
  const known = probes.find(({ tool }) => tools.some(({ name }) => name === tool));
  const own = chooseProbe(tools.filter(({ inputSchema }) => inputSchema !== undefined));
  if (known?.tool !== 'execute_task' || own === undefined) return known ?? own;
  return { ...known, args: { ...known.args, options: { tool: own.tool, arguments: own.args } } };
}

/** What it answers tells what it is: an end that does not know a method says so. */
async function introduce(conversation: Conversation): Promise<Introduction> {
  const { result } = await conversation.request('rpc.discover');
  const told = methodsIn(result);
  if (told !== undefined)
    return { raw: result, tools: told.map((name) => ({ name, ...schemaIn(result, name) })) };
  const tools: { name: string }[] = [];
  for (const probe of probes) {
    const { message } = await conversation.call(probe);
    if (codeOf(message) !== -32601) tools.push({ name: probe.tool });
  }
  return { raw: undefined, tools };
}

const methodsOfRoles: Readonly<Record<string, string>> = { executor: 'execute_task', planner: 'create_plan' };

function methodsIn(result: unknown): string[] | undefined {
  if (!isJsonObject(result)) return undefined;
  const { methods, roles }: JsonObject = result;
  const named = [...textsIn(methods), ...textsIn(roles).flatMap((role) => methodsOfRoles[role] ?? [])];
  return named.length === 0 ? undefined : [...new Set(named)];
}

/** Of a method that is listed as a tool. */
function schemaIn(result: unknown, method: string): { readonly inputSchema?: JsonObject } {
  const tools = isJsonObject(result) ? result['tools'] : undefined;
  const tool = isJsonArray(tools)
    ? tools.find((one) => isJsonObject(one) && one['name'] === method)
    : undefined;
  const schema = isJsonObject(tool) ? tool['input_schema'] : undefined;
  return isJsonObject(schema) ? { inputSchema: schema } : {};
}
