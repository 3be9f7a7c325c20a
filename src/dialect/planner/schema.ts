// The methods and objects of the planner protocol. rpc.discover is our own: the specification has no handshake.
import { isJsonArray, isJsonObject, textsIn, type Json, type JsonObject } from '../../base/json.ts';
import type {
  CodeVerdict,
  ContextUpdate,
  Finding,
  Plan,
  PlanTask,
  TaskMetadata,
  TaskResult,
} from '../../definition/plan.ts';
import type { Tool } from '../../definition/tool.ts';
import { codeRequest, planRequest, taskRequest } from '../facet-requests.ts';
import { fromWire, listedTexts, schemaOf, shape, toWire } from '../shape.ts';

export { codeRequest, planRequest, taskRequest };

export const methods = {
  discover: 'rpc.discover',
  executeTask: 'execute_task',
  createPlan: 'create_plan',
  validateCode: 'validate_code',
  updateContext: 'update_context',
} as const;

export const streamMethods = {
  start: 'stream_start',
  data: 'stream_data',
  end: 'stream_end',
} as const;

const reserved: ReadonlySet<string> = new Set(Object.values(methods));

/** Whether a method of this name belongs to the protocol, or to JSON-RPC itself. */
export function isReserved(method: string): boolean {
  return reserved.has(method) || method.startsWith('rpc.');
}

/** The part of a TaskResult that the wire calls `output`. */
type TaskOutput = Omit<TaskResult, 'status' | 'metadata'>;

export const taskOutput = shape<TaskOutput>({
  code: 'text',
  explanation: 'text',
  filesModified: { wire: 'files_modified', type: 'texts' },
  filesCreated: { wire: 'files_created', type: 'texts' },
  more: 'rest',
});

export const taskMetadata = shape<TaskMetadata>({
  executionTimeMs: { wire: 'execution_time_ms', type: 'number' },
  tokensUsed: { wire: 'tokens_used', type: 'number' },
  model: 'text',
  more: 'rest',
});

const planTask = shape<PlanTask>({
  id: { type: 'text', required: true },
  type: { type: 'text', required: true },
  description: { type: 'text', required: true },
  dependencies: 'texts',
  priority: 'number',
  estimatedTimeSeconds: { wire: 'estimated_time_seconds', type: 'number' },
  explanation: 'text',
  more: 'rest',
});

export const plan = shape<Plan>({
  tasks: { type: { listOf: planTask }, required: true },
  estimatedTimeSeconds: { wire: 'estimated_time_seconds', type: 'number' },
  explanation: 'text',
  more: 'rest',
});

const finding = shape<Finding>({
  rule: { type: 'text', required: true },
  line: 'number',
  column: 'number',
  severity: { type: { oneOf: ['error', 'warning', 'info'] }, required: true },
  message: { type: 'text', required: true },
  fix: 'text',
  more: 'rest',
});

export const codeVerdict = shape<CodeVerdict>({
  valid: { type: 'flag', required: true },
  findings: { type: { listOf: finding }, required: true },
  more: 'rest',
});

export const contextUpdate = shape<ContextUpdate>({
  action: { type: { oneOf: ['add', 'remove', 'modify'] }, required: true },
  type: { wire: 'context_type', type: { oneOf: ['file', 'dependency', 'state'] }, required: true },
  data: { type: 'object', required: true },
  more: 'rest',
});

export type Role = 'planner' | 'executor';

/** The result of rpc.discover. */
export interface Discovery {
  readonly name?: string;
  readonly version?: string;
  readonly description?: string;
  readonly instructions?: string;
  readonly roles: readonly Role[];
  readonly methods: readonly string[];
  readonly tools: readonly Tool[];
  readonly gzip: boolean;
  readonly batch: boolean;
  readonly auth: boolean;
}

export const DISCOVERY_FORM =
  '{ roles: ("planner" | "executor")[], methods: string[], gzip?, batch?, auth?, name?, version?, tools? } with a role or a method of the planner protocol';

type DiscoveredTool = Pick<
  Tool,
  'name' | 'title' | 'description' | 'inputSchema' | 'outputSchema' | 'tags' | 'facet'
>;

const discoveredTool = shape<DiscoveredTool>({
  name: { type: 'name', required: true },
  title: 'text',
  description: 'text',
  inputSchema: { wire: 'input_schema', type: 'schema' },
  outputSchema: { wire: 'output_schema', type: 'schema' },
  tags: { type: listedTexts },
  facet: { type: { oneOf: ['talk'] } },
});

const discovery = shape<Discovery>({
  name: 'text',
  version: 'text',
  description: 'text',
  instructions: 'text',
  roles: { type: { read: rolesIn, expected: 'an array of roles' }, default: [] },
  methods: { type: { read: methodNames, expected: 'an array of names' }, default: [] },
  tools: { type: { listOf: discoveredTool, dropInvalid: true }, default: [] },
  gzip: { type: 'flag', default: false },
  batch: { type: 'flag', default: false },
  auth: { type: 'flag', default: false },
});

/** Undefined when it is not a result of rpc.discover. */
export function readDiscovery(value: unknown): Discovery | undefined {
  const read = fromWire(discovery, value, 'the result', 'lenient');
  if ('problem' in read) return undefined;
  const { methods: named } = read.value;
  const roles = read.value.roles.length > 0 ? read.value.roles : rolesOf(named);
  if (roles.length === 0 && !named.includes(methods.updateContext)) return undefined;
  return { ...read.value, roles, methods: named.length > 0 ? named : plainDiscovery(roles).methods };
}

export function writeDiscovery(own: Discovery): JsonObject {
  const tools = own.tools.map(({ name, title, description, inputSchema, outputSchema, tags, facet }) =>
    toWire(discoveredTool, {
      name,
      title,
      description,
      inputSchema,
      outputSchema,
      tags,
      facet: facet === 'talk' ? facet : undefined,
    }),
  );
  return { ...toWire(discovery, own), tools };
}

/** For an end that does not know rpc.discover: the configured roles, and nothing beyond the specification. */
export function plainDiscovery(roles: readonly Role[]): Discovery {
  return {
    roles,
    methods: [...roles.flatMap((role) => methodsOfRole[role]), methods.updateContext],
    tools: [],
    gzip: false,
    batch: false,
    auth: false,
  };
}

const methodsOfRole: Readonly<Record<Role, readonly string[]>> = {
  planner: [methods.createPlan],
  executor: [methods.executeTask, methods.validateCode],
};

function rolesOf(named: readonly string[]): Role[] {
  const roles: readonly Role[] = ['planner', 'executor'];
  return roles.filter((role) => methodsOfRole[role].some((method) => named.includes(method)));
}

export function rolesIn(value: Json | undefined): Role[] {
  return textsIn(value).filter((role): role is Role => role === 'planner' || role === 'executor');
}

/** Names, or the objects with a name that OpenRPC has there. */
function methodNames(value: Json): string[] | undefined {
  if (!isJsonArray(value)) return undefined;
  return textsIn(value.map((item) => (isJsonObject(item) ? (item['name'] ?? null) : item)));
}

/** The methods of the protocol as tools, and those that the plugin adds. */
export function toolsOf({ methods: known, tools }: Discovery): readonly Tool[] {
  const own = tools.filter(({ name }) => !isReserved(name));
  const named = new Set(own.map(({ name }) => name));
  const unlisted = known.filter((name) => !isReserved(name) && !named.has(name));
  return [
    ...protocolTools.filter(({ name }) => known.includes(name)),
    ...own,
    ...unlisted.map((name) => ({ name })),
  ];
}

const protocolTools: readonly Tool[] = [
  {
    name: methods.executeTask,
    facet: 'executor',
    description: 'Let the executor do one task.',
    inputSchema: schemaOf(taskRequest),
  },
  {
    name: methods.createPlan,
    facet: 'planner',
    description: 'Let the planner break a request down into tasks.',
    inputSchema: schemaOf(planRequest),
  },
  {
    name: methods.validateCode,
    facet: 'executor',
    description: 'Let the executor check code against rules.',
    inputSchema: schemaOf(codeRequest),
    hints: { readOnly: true },
  },
  {
    name: methods.updateContext,
    description: 'Report a file, dependency or state that was added, removed or modified.',
    inputSchema: schemaOf(contextUpdate),
  },
];
