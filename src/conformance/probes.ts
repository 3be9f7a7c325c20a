// The calls that checks make: the least harmful tool with the smallest arguments that its schema takes.
import { isJsonArray, isJsonObject, textsIn, type Json, type JsonObject } from '../base/json.ts';
import type { JsonSchema, Tool } from '../definition/tool.ts';
import { type Probe } from './conversation.ts';

export function chooseProbe(tools: readonly Tool[]): Probe | undefined {
  const [best] = tools.toSorted((a, b) => riskOf(a) - riskOf(b));
  return best === undefined ? undefined : probeOf(best);
}

/** The read-only tools, by their hint or their name. */
export function harmlessProbes(tools: readonly Tool[]): readonly Probe[] {
  return tools.filter(isHarmless).map(probeOf);
}

function isHarmless({ hints, name }: Tool): boolean {
  if (hints?.destructive === true) return false;
  return hints?.readOnly ?? (HARMLESS.test(name) && !HARMFUL.test(name));
}

function probeOf({ name, inputSchema }: Tool): Probe {
  return { tool: name, args: minimalArguments(inputSchema) };
}

function riskOf({ hints, inputSchema, name }: Tool): number {
  const required = isJsonObject(inputSchema) ? textsIn(inputSchema['required']).length : 0;
  return (
    (hints?.readOnly === true ? -1000 : 0) +
    (hints?.destructive === true ? 1000 : 0) +
    (HARMLESS.test(name) ? -100 : 0) +
    (HARMFUL.test(name) ? 100 : 0) +
    required
  );
}

const HARMLESS = /^(?:get|list|read|show|echo|search|find|describe|status|check|exists|contains)(?![a-z])/i;
const HARMFUL = /delete|remove|clear|drop|kill|stop|write|create|send|install|update|exec|wait|sleep|fail/i;

/** Undefined when all can. */
export function demandingTool(tools: readonly Tool[]): Tool | undefined {
  return tools.find(
    ({ inputSchema }) => isJsonObject(inputSchema) && textsIn(inputSchema['required']).length > 0,
  );
}

/** A guess: not every schema can be satisfied by a small generator. */
export function minimalArguments(schema: JsonSchema | undefined): JsonObject {
  if (!isJsonObject(schema)) return {};
  const value = valueFor(schema, { root: schema, left: MOST_VALUES }, 0);
  return isJsonObject(value) ? value : {};
}

const DEEPEST = 12;
/** Nested lists grow exponentially, so the number of values is limited. */
const MOST_VALUES = 2000;

interface Making {
  readonly root: JsonObject;
  /** How many values may still be generated. */
  left: number;
}

function valueFor(schema: Json | undefined, making: Making, depth: number): Json {
  making.left -= 1;
  if (!isJsonObject(schema) || depth > DEEPEST || making.left < 0) return null;
  const declared = declaredValue(schema);
  if (declared !== undefined) return declared;
  if (typeof schema['$ref'] === 'string')
    return valueFor(resolve(schema['$ref'], making.root), making, depth + 1);
  const parts = schema['allOf'];
  if (isJsonArray(parts) && parts.length > 0) return merged(schema, parts, making, depth);
  const choice = firstOf(schema['anyOf']) ?? firstOf(schema['oneOf']);
  if (choice !== undefined && schema['properties'] === undefined) return valueFor(choice, making, depth + 1);
  switch (typeOf(schema)) {
    case 'string':
      return textFor(schema);
    case 'integer':
    case 'number':
      return numberFor(schema);
    case 'boolean':
      return false;
    case 'array':
      return itemsFor(schema, making, depth);
    case 'object':
      return objectFor(schema, making, depth);
    default:
      return null;
  }
}

/** The value that the schema names. */
function declaredValue(schema: JsonObject): Json | undefined {
  if ('const' in schema) return schema['const'];
  return firstOf(schema['enum']) ?? schema['default'] ?? firstOf(schema['examples']);
}

function firstOf(list: Json | undefined): Json | undefined {
  return isJsonArray(list) ? list[0] : undefined;
}

function resolve(reference: string, root: JsonObject): Json | undefined {
  if (!reference.startsWith('#')) return undefined;
  return reference
    .slice(1)
    .split('/')
    .filter((step) => step !== '')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<Json | undefined>((at, step) => (isJsonObject(at) ? at[step] : undefined), root);
}

function merged(schema: JsonObject, parts: readonly Json[], making: Making, depth: number): Json {
  const { allOf: _, ...own } = schema;
  const values = [own, ...parts].map((part) => valueFor(part, making, depth + 1));
  const objects = values.filter(isJsonObject);
  if (objects.length > 0) return Object.assign({}, ...objects) as JsonObject; // of JSON objects
  return values.find((value) => value !== null) ?? null;
}

function typeOf(schema: JsonObject): string {
  const { type } = schema;
  if (typeof type === 'string') return type;
  const named = textsIn(type).find((each) => each !== 'null');
  if (named !== undefined) return named;
  if ('properties' in schema || 'required' in schema) return 'object';
  // Most parameters without a type are texts.
  return 'items' in schema ? 'array' : 'string';
}

const formats: Readonly<Record<string, string>> = {
  date: '2026-01-01',
  'date-time': '2026-01-01T00:00:00Z',
  time: '00:00:00Z',
  duration: 'PT1S',
  email: 'user@example.org',
  hostname: 'localhost',
  ipv4: '127.0.0.1',
  ipv6: '::1',
  uri: 'https://example.org/',
  url: 'https://example.org/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

function textFor(schema: JsonObject): string {
  const { format, minLength, maxLength } = schema;
  const text = (typeof format === 'string' ? formats[format] : undefined) ?? 'probe';
  const long = typeof minLength === 'number' ? text.padEnd(Math.min(minLength, LONGEST_TEXT), 'x') : text;
  return typeof maxLength === 'number' ? long.slice(0, maxLength) : long;
}

const LONGEST_TEXT = 10_000;

function numberFor(schema: JsonObject): number {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = schema;
  const step = typeof multipleOf === 'number' && multipleOf > 0 ? multipleOf : 1;
  const least =
    typeof minimum === 'number'
      ? minimum
      : typeof exclusiveMinimum === 'number'
        ? exclusiveMinimum + Math.min(step, 1)
        : -Infinity;
  const most =
    typeof maximum === 'number'
      ? maximum
      : typeof exclusiveMaximum === 'number'
        ? exclusiveMaximum - Math.min(step, 1)
        : Infinity;
  const wanted = Math.min(Math.max(step, least), most);
  return Math.ceil(wanted / step) * step <= most ? Math.ceil(wanted / step) * step : wanted;
}

const MOST_ITEMS = 100;

function itemsFor(schema: JsonObject, making: Making, depth: number): Json {
  const { minItems, items, prefixItems } = schema;
  const count = Math.min(typeof minItems === 'number' ? minItems : 0, MOST_ITEMS);
  const prefix = isJsonArray(prefixItems) ? prefixItems : [];
  return Array.from({ length: count }, (_, index) =>
    valueFor(prefix[index] ?? items ?? {}, making, depth + 1),
  );
}

function objectFor(schema: JsonObject, making: Making, depth: number): Json {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  return Object.fromEntries(
    textsIn(schema['required']).map((name) => [name, valueFor(properties[name] ?? {}, making, depth + 1)]),
  );
}
