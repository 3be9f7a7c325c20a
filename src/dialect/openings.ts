// Recognises the dialect of a host by its first message, so that a plugin loads that dialect alone.
import { isJsonObject } from '../base/json.ts';
import type { DialectName } from '../definition/plugin-spec.ts';

/** The first input of a host: a byte that cannot begin a text, or a line of JSON. */
export type FirstInput =
  | { readonly kind: 'length-prefix' }
  | { readonly kind: 'message'; readonly method: string; readonly params: unknown };

/** Undefined: hosts of no dialect begin like this. */
export function dialectOfOpening(first: FirstInput): DialectName | undefined {
  if (first.kind === 'length-prefix') return 'gassist';
  return byMessage.find(([, begins]) => begins(first.method, first.params))?.[0];
}

type Begins = (method: string, params: unknown) => boolean;

/** In this order: gevals and MCP both begin with `initialize`, and gevals is recognised by its version. */
const byMessage: readonly (readonly [DialectName, Begins])[] = [
  [
    'gevals',
    (method, params) => (method === 'initialize' ? isGevalsVersion(params) : isGevalsMethod(method)),
  ],
  // A ping may come before all else; every other method of MCP but these two has a slash.
  ['mcp', (method) => method === 'initialize' || method === 'ping' || method.includes('/')],
  ['yams', (method) => /^(?:handshake|plugin|extractor)\./.test(method)],
  ['planner', (method) => plannerMethods.has(method)],
];

const plannerMethods = new Set([
  'create_plan',
  'execute_task',
  'validate_code',
  'update_context',
  'rpc.discover',
]);

function isGevalsMethod(method: string): boolean {
  return method === 'execute' || method === 'shutdown';
}

function isGevalsVersion(params: unknown): boolean {
  return isJsonObject(params) && params['protocolVersion'] === '0.0.1';
}
