// What a request of 2026-07-28 repeats as headers, so that a gateway can route it without reading its body.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { sentence, shown } from '../../base/text.ts';
import { RpcError } from '../../channel/message/rpc-error.ts';
import type { JsonSchema } from '../../definition/tool.ts';
import { methods } from './schema.ts';
import { versionIn } from './stateless.ts';

export type HeaderSource = (method: string, params: unknown) => Record<string, string>;

export function statelessHeaders(version: string, method: string, params: unknown): Record<string, string> {
  const field = nameFields.get(method);
  const name = field !== undefined && isJsonObject(params) ? params[field] : undefined;
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': headerValue(name) }),
  };
}

const nameFields: ReadonlyMap<string, string> = new Map([
  [methods.callTool, 'name'],
  [methods.getPrompt, 'name'],
  [methods.readResource, 'uri'],
]);

/** An argument that is sent as a header too. */
export interface HeaderParameter {
  readonly path: readonly string[];
  readonly header: string;
}

/** Those that the input schema of a tool names with `x-mcp-header`; or why the schema must not do so. */
export function headerParameters(schema: JsonSchema | undefined): readonly HeaderParameter[] | string {
  const found: HeaderParameter[] = [];
  const problem = problemIn(schema, [], true, found);
  return problem ?? found;
}

/** The headers of a call with these arguments. Those without a value are left out. */
export function parameterHeaders(
  parameters: readonly HeaderParameter[],
  args: Json | undefined,
): Record<string, string> {
  return Object.fromEntries(
    parameters.flatMap(({ path, header }) => {
      const text = textOf(valueAt(args, path));
      return text === undefined ? [] : [[`mcp-param-${header.toLowerCase()}`, headerValue(text)]];
    }),
  );
}

const MARK = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: readonly unknown[] = ['string', 'integer', 'boolean'];
/** Schemas under these describe other values than the properties of the arguments. */
const ELSEWHERE =
  'items prefixItems contains additionalProperties unevaluatedProperties unevaluatedItems propertyNames patternProperties dependentSchemas oneOf anyOf allOf not if then else $defs definitions'.split(
    ' ',
  );
const SCHEMAS_BY_NAME: readonly string[] = ['patternProperties', 'dependentSchemas', '$defs', 'definitions'];
/** Deeper schemas are not searched: the server chooses the depth. */
const DEPTH_MAX = 64;

function problemIn(
  schema: Json | JsonSchema | undefined,
  path: readonly string[],
  isReachable: boolean,
  found: HeaderParameter[],
): string | undefined {
  if (!isJsonObject(schema) || path.length > DEPTH_MAX) return undefined;
  const problem = Object.hasOwn(schema, MARK) ? markProblem(schema, path, isReachable, found) : undefined;
  if (problem !== undefined) return problem;
  const { properties } = schema;
  for (const [name, child] of Object.entries(isJsonObject(properties) ? properties : {})) {
    const inner = problemIn(child, [...path, name], isReachable, found);
    if (inner !== undefined) return inner;
  }
  for (const keyword of ELSEWHERE)
    for (const child of schemasUnder(schema, keyword)) {
      const inner = problemIn(child, [...path, keyword], false, found);
      if (inner !== undefined) return inner;
    }
  return undefined;
}

function markProblem(
  schema: JsonObject,
  path: readonly string[],
  isReachable: boolean,
  found: HeaderParameter[],
): string | undefined {
  const header = schema[MARK];
  const where = `"${path.join('.')}" has ${MARK}`;
  if (!isReachable || path.length === 0) return `${where}, which only a property of the arguments may have`;
  if (typeof header !== 'string' || !TOKEN.test(header)) return `${where} that is not the name of a header`;
  if (!TYPES.includes(schema['type'])) return `${where} and is not a string, an integer or a boolean`;
  if (found.some((other) => other.header.toLowerCase() === header.toLowerCase()))
    return `${where} with a name that another property has`;
  found.push({ path, header });
  return undefined;
}

function schemasUnder(schema: JsonObject, keyword: string): readonly Json[] {
  const value = schema[keyword];
  if (isJsonArray(value)) return value;
  if (!isJsonObject(value)) return [];
  return SCHEMAS_BY_NAME.includes(keyword) ? Object.values(value) : [value];
}

function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  let found = value;
  for (const name of path)
    found = isJsonObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  return found;
}

function textOf(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  const isExact = typeof value === 'number' && (Number.isSafeInteger(value) || !Number.isInteger(value));
  return isExact && Number.isFinite(value) ? String(value) : undefined;
}

/** What a header cannot carry as it is goes in base64. */
function headerValue(text: string): string {
  const isPlain = /^[\t\x20-\x7e]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/**
 * Compares the headers of a request of 2026-07-28 with its body.
 * @throws RpcError -32020
 */
export function checkStatelessHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  method: string,
  params: JsonObject,
): void {
  const expected = statelessHeaders(versionIn(params) ?? '', method, params);
  for (const [name, value] of Object.entries(expected)) {
    const given = headers[name];
    if (given === undefined) throw mismatch(`the header ${name} is missing`);
    if (typeof given !== 'string' || plainValue(given.trim()) !== plainValue(value))
      throw mismatch(
        `the header ${name} says ${shown(given, 100)}, and the body ${shown(plainValue(value), 100)}`,
      );
  }
}

function mismatch(what: string): RpcError {
  return new RpcError(HEADER_MISMATCH, `Header mismatch: ${sentence(what)}`);
}

const HEADER_MISMATCH = -32020;

function plainValue(value: string): string | undefined {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(value) ?? [];
  if (encoded === undefined) return value;
  const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(encoded);
  return isBase64 ? Buffer.from(encoded, 'base64').toString('utf8') : undefined;
}
