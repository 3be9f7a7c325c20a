// What an end says of itself when it is asked with rpc.discover: roles, methods, tools, and which parts of the wire it knows.
import { isJsonArray, isJsonObject, textsIn, type Json, type JsonObject } from '../../base/json.ts';
import type { Tool } from '../../definition/tool.ts';
import { methods, type Role } from './schema.ts';

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

const methodsOfRole: Readonly<Record<Role, readonly string[]>> = {
  planner: [methods.createPlan],
  executor: [methods.executeTask, methods.validateCode],
};

/** An end that does not know rpc.discover: what it is said to be, and nothing beyond the specification. */
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

/** Undefined when it is not what an end of this protocol would say. */
export function readDiscovery(value: unknown): Discovery | undefined {
  if (!isJsonObject(value)) return undefined;
  const named = namesIn(value['methods']);
  const told = rolesIn(value['roles']);
  const roles = told.length > 0 ? told : rolesOf(named);
  if (roles.length === 0 && !named.includes(methods.updateContext)) return undefined;
  return {
    ...textsOf(value, ['name', 'version', 'description', 'instructions']),
    roles,
    methods: named.length > 0 ? named : plainDiscovery(roles).methods,
    tools: isJsonArray(value['tools']) ? value['tools'].flatMap((tool) => readTool(tool) ?? []) : [],
    gzip: value['gzip'] === true,
    batch: value['batch'] === true,
    auth: value['auth'] === true,
  };
}

/** Texts, or the objects with a name that OpenRPC has there. */
function namesIn(value: Json | undefined): string[] {
  if (!isJsonArray(value)) return [];
  return textsIn(value.map((item) => (isJsonObject(item) ? (item['name'] ?? null) : item)));
}

export function rolesIn(value: Json | undefined): Role[] {
  return textsIn(value).filter((role): role is Role => role === 'planner' || role === 'executor');
}

function rolesOf(named: readonly string[]): Role[] {
  const roles: readonly Role[] = ['planner', 'executor'];
  return roles.filter((role) => methodsOfRole[role].some((method) => named.includes(method)));
}

function readTool(value: Json): Tool | undefined {
  if (!isJsonObject(value)) return undefined;
  const { name, input_schema: inputSchema, output_schema: outputSchema, tags, facet } = value;
  if (typeof name !== 'string' || name === '') return undefined;
  return {
    name,
    ...textsOf(value, ['title', 'description']),
    ...(isSchema(inputSchema) ? { inputSchema } : {}),
    ...(isSchema(outputSchema) ? { outputSchema } : {}),
    ...(isJsonArray(tags) ? { tags: textsIn(tags) } : {}),
    ...(facet === 'talk' ? { facet } : {}),
  };
}

export function writeTool(tool: Tool): JsonObject {
  const { name, title, description, inputSchema, outputSchema, tags, facet } = tool;
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(inputSchema === undefined ? {} : { input_schema: inputSchema }),
    ...(outputSchema === undefined ? {} : { output_schema: outputSchema }),
    ...(tags === undefined ? {} : { tags }),
    ...(facet === 'talk' ? { facet } : {}),
  };
}

function isSchema(value: Json | undefined): value is boolean | JsonObject {
  return typeof value === 'boolean' || isJsonObject(value);
}

/** Those of these members that are texts. */
function textsOf<Key extends string>(value: JsonObject, keys: readonly Key[]): Partial<Record<Key, string>> {
  const found: Partial<Record<Key, string>> = {};
  for (const key of keys) {
    const text = value[key];
    if (typeof text === 'string') found[key] = text;
  }
  return found;
}
