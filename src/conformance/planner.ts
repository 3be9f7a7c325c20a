// Planner and executor: driver, and checks of the handshake, plans and errors.
import { isJsonArray, isJsonObject, textsIn, type Json, type JsonObject } from '../base/json.ts';
import { KiB, MiB } from '../base/units.ts';
import { shown } from '../base/text.ts';
import type { Tool } from '../definition/tool.ts';
import {
  group,
  passed,
  failed,
  doesNotApply,
  verdict,
  NotApplicable,
  field,
  answersWith,
  answersBatches,
  refusesNoMethod,
  refusesNonJson,
} from './check.ts';
import type { Conversation, Probe } from './conversation.ts';
import {
  type Driver,
  type HandshakeResult,
  driver,
  endByResponse,
  codeOf,
  request,
  padded,
} from './driver.ts';
import { methodResult } from './planner-tasks.ts';
import { chooseProbe } from './probes.ts';
import type { Subject } from './subject.ts';

export const plannerDriver: Driver = driver({
  dialect: 'planner',
  largestMessage: 1024 * KiB,
  // The protocol allows less than 1 MB.
  oversizeMessage: 4 * MiB,
  connect: handshake,
  probe: ({ tools }) => chooseTask(tools),
  callMessage: (id, { tool, args }) => request(id, tool, args),
  endOfCall: (id, message) =>
    endByResponse(
      id,
      message,
      (result) => isJsonObject(result) && (result['status'] ?? 'success') === 'success',
    ),
  livenessRequest: (id, { tool, args }, padding) => request(id, tool, { ...args, ...padded(padding) }),
});

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

/** Names a tool of the plugin, where it lists some: an executor of tools needs it. */
function chooseTask(tools: readonly Tool[]): Probe | undefined {
  const known = probes.find(({ tool }) => tools.some(({ name }) => name === tool));
  const own = chooseProbe(tools.filter(({ inputSchema }) => inputSchema !== undefined));
  if (known?.tool !== 'execute_task' || own === undefined) return known ?? own;
  return { ...known, args: { ...known.args, options: { tool: own.tool, arguments: own.args } } };
}

/** Without rpc.discover, the methods are found by calling them. */
async function handshake(conversation: Conversation): Promise<HandshakeResult> {
  const { result } = await conversation.request('rpc.discover');
  const listed = methodsIn(result);
  if (listed !== undefined)
    return { raw: result, tools: listed.map((name) => ({ name, ...schemaIn(result, name) })) };
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

/** The schema of a method that is listed as a tool. */
function schemaIn(result: unknown, method: string): { readonly inputSchema?: JsonObject } {
  const tools = isJsonObject(result) ? result['tools'] : undefined;
  const tool = isJsonArray(tools)
    ? tools.find((one) => isJsonObject(one) && one['name'] === method)
    : undefined;
  const schema = isJsonObject(tool) ? tool['input_schema'] : undefined;
  return isJsonObject(schema) ? { inputSchema: schema } : {};
}

export const plannerHandshakeChecks = group('Handshake', [
  {
    id: 'planner:discover:question',
    title: 'rpc.discover is answered with roles and methods, or with -32601',
    fix: 'Answer rpc.discover with { roles, methods, gzip, batch, auth }, or with -32601 as any unknown method.',
    async run(subject) {
      const conversation = await subject.start();
      const answer = await conversation.request('rpc.discover', { gzip: true, batch: true });
      if (codeOf(answer) === -32601) return passed('It is a plain end.');
      const { result } = answer;
      return verdict(isJsonObject(result) && isDiscovery(result), `It answered ${shown(answer, 300)}`);
    },
  },
  {
    id: 'planner:discover:tools',
    title: 'Every tool that it lists is one of its methods and has a schema',
    severity: 'warning',
    fix: 'List a tool as { name, description, input_schema }, and its name in "methods".',
    async run(subject) {
      const { handshake } = await subject.session();
      const { raw } = handshake;
      const tools: Json | undefined = isJsonObject(raw) ? raw['tools'] : undefined;
      if (!isJsonObject(raw) || tools === undefined) return doesNotApply('It lists no tools.');
      if (!isJsonArray(tools)) return failed(`tools is ${shown(tools)}`);
      const named = textsIn(raw['methods']);
      const wrong = tools.find((tool) => !isTool(tool, named));
      return verdict(wrong === undefined, wrong === undefined ? `${tools.length} tools.` : shown(wrong));
    },
  },
]);

function isDiscovery({ roles, methods, gzip, batch, auth }: JsonObject): boolean {
  const areFlags = [gzip, batch, auth].every((flag) => flag === undefined || typeof flag === 'boolean');
  return (
    areFlags && isJsonArray(roles) && roles.every(isRole) && isJsonArray(methods) && methods.every(isName)
  );
}

function isRole(role: Json): boolean {
  return role === 'planner' || role === 'executor';
}

function isName(name: Json): boolean {
  return typeof name === 'string';
}

function isTool(tool: Json, named: readonly string[]): boolean {
  if (!isJsonObject(tool)) return false;
  const { name, input_schema: schema } = tool;
  return typeof name === 'string' && named.includes(name) && isJsonObject(schema);
}

export const plannerPlanChecks = group('Plans', [
  {
    id: 'planner:plan:response-example',
    title: 'A request is answered with a plan, which is a list of tasks',
    fix: 'Answer create_plan with { plan: { tasks: [{ id, type, description, dependencies, priority }] } }.',
    async run(subject) {
      const { plan } = await createPlan(subject);
      const isGood = isJsonObject(plan) && isJsonArray(plan['tasks']);
      return verdict(isGood, `The plan is ${shown(plan, 300)}`);
    },
  },
  {
    id: 'planner:plan:task-id',
    title: 'Every task of a plan has its own id, a type and a description',
    fix: 'Give every task an "id" that no other has, a "type" and a "description".',
    async run(subject) {
      const tasks = await plannedTasks(subject);
      const ids = new Set(tasks.map((task) => (isTask(task) ? task['id'] : undefined)));
      const isGood = tasks.every(isTask) && ids.size === tasks.length;
      return verdict(isGood, `The tasks are ${shown(tasks, 300)}`);
    },
  },
  {
    id: 'planner:plan:task-dependencies',
    title: 'Tasks depend on tasks of the same plan',
    fix: 'Name only ids of the plan in "dependencies".',
    async run(subject) {
      const tasks = await plannedTasks(subject);
      const ids = tasks.flatMap((task) => (isJsonObject(task) ? [task['id']] : []));
      const wanted = tasks.flatMap((task) => (isJsonObject(task) ? textsIn(task['dependencies']) : []));
      const missing = wanted.filter((id) => !ids.includes(id));
      return verdict(
        missing.length === 0,
        missing.length === 0 ? 'All are there.' : `No task is ${shown(missing)}`,
      );
    },
  },
  {
    id: 'planner:plan:task-priority',
    title: 'Every task of a plan has a priority',
    severity: 'warning',
    fix: 'Give every task a "priority", a number.',
    async run(subject) {
      const tasks = await plannedTasks(subject);
      const without = tasks.find((task) => !isJsonObject(task) || typeof task['priority'] !== 'number');
      return verdict(
        without === undefined,
        without === undefined ? 'All have one.' : `A task is ${shown(without, 200)}`,
      );
    },
  },
  {
    id: 'planner:plan:explanation',
    title: 'A plan says why it is as it is',
    severity: 'warning',
    fix: 'Put "explanation", a string, beside the tasks of the plan.',
    run: field(planObject, 'explanation', (explanation) => typeof explanation === 'string'),
  },
  {
    id: 'planner:plan:estimated-time-seconds',
    title: 'A plan has an estimate of its duration',
    severity: 'info',
    fix: 'Put "estimated_time_seconds", a number, beside the tasks of the plan.',
    run: field(
      planObject,
      'estimated_time_seconds',
      (seconds) => typeof seconds === 'number' && seconds >= 0,
    ),
  },
  {
    id: 'planner:plan:constraints-max-tasks',
    title: 'A plan has no more tasks than it may have',
    severity: 'warning',
    fix: 'Make no more tasks than constraints.max_tasks.',
    async run(subject) {
      const { length } = await plannedTasks(subject, 1);
      return verdict(length <= 1, `max_tasks was 1, and there are ${length} tasks.`);
    },
  },
]);

/** @throws NotApplicable when the plugin makes no plans */
function createPlan(subject: Subject, maxTasks = 5): Promise<JsonObject> {
  return methodResult(subject, 'create_plan', {
    user_request: 'Count the words of a text, then tell the longest one.',
    current_state: { completed_tasks: [], pending_tasks: [], context: {} },
    constraints: { max_tasks: maxTasks, time_limit_seconds: 60 },
  });
}

async function planObject(subject: Subject): Promise<JsonObject> {
  const { plan } = await createPlan(subject);
  if (isJsonObject(plan)) return plan;
  throw new NotApplicable('There is no plan.');
}

async function plannedTasks(subject: Subject, maxTasks?: number): Promise<readonly Json[]> {
  const { plan } = await createPlan(subject, maxTasks);
  const tasks = isJsonObject(plan) ? plan['tasks'] : undefined;
  return isJsonArray(tasks) ? tasks : [];
}

function isTask(task: Json): task is JsonObject {
  return isJsonObject(task) && ['id', 'type', 'description'].every((key) => typeof task[key] === 'string');
}

export const plannerErrorChecks = group('Errors and batches', [
  {
    id: 'planner:errors:invalid-request',
    ...refusesNoMethod,
    // The server in the specification answers with -32601.
    severity: 'warning',
  },
  {
    id: 'planner:batch:array',
    title: 'Several requests in an array are answered in an array',
    // Hosts such as ours send batches only to an end that declares "batch": true.
    severity: 'warning',
    fix: 'Where a line is an array, answer each request in it, and send the responses as one array; say "batch": true in rpc.discover.',
    run: answersBatches,
  },
  {
    id: 'planner:errors:method-not-found',
    title: 'A method that does not exist is answered with -32601',
    fix: 'Answer requests of methods that you do not know with the error -32601.',
    run: answersWith(-32601, ({ conversation }) => conversation.request('no_such_method', {})),
  },
  {
    id: 'planner:errors:invalid-params',
    title: 'Params that lack something are answered with -32602',
    severity: 'warning',
    fix: 'Check the params and answer with the error -32602 when something required is missing or of the wrong type.',
    async run(subject) {
      const message = await withoutParams(subject);
      return verdict(codeOf(message) === -32602, `Without params it answered ${shown(message, 200)}`);
    },
  },
  {
    id: 'planner:errors:details',
    title: 'An error says its type, details and suggestions',
    severity: 'info',
    fix: 'Put "data": { "type": "TIMEOUT" | "PARSE_ERROR" | "EXECUTION_ERROR", "details", "recovery_suggestions" } into errors.',
    async run(subject) {
      const { error } = await withoutParams(subject);
      if (!isJsonObject(error)) return doesNotApply('It answered with no error.');
      const { data } = error;
      return verdict(isJsonObject(data) && isDetailed(data), `data is ${shown(data, 200)}`);
    },
  },
  {
    id: 'planner:errors:parse-error',
    ...refusesNonJson,
  },
]);

async function withoutParams(subject: Subject): Promise<JsonObject> {
  const { conversation, probe } = await subject.connect();
  const { message } = await conversation.call({ ...probe, args: {} });
  return message;
}

const TYPES: readonly unknown[] = ['TIMEOUT', 'PARSE_ERROR', 'EXECUTION_ERROR'];

function isDetailed({ type, details, recovery_suggestions: suggestions }: JsonObject): boolean {
  return TYPES.includes(type) && details !== undefined && isJsonArray(suggestions);
}
