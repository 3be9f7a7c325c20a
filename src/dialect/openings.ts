// How the hosts of each dialect begin, so that a plugin that was not told can answer in the right one and load that one alone.
import { isJsonObject } from '../base/json.ts';
import type { DialectName } from '../definition/plugin-spec.ts';

/** A byte that no text begins with, or a line of JSON. */
export type FirstWords =
  | { readonly kind: 'length-prefix' }
  | { readonly kind: 'message'; readonly method: string; readonly params: unknown };

/** Undefined: no host of any dialect begins like this. */
export function dialectOfOpening(first: FirstWords): DialectName | undefined {
  if (first.kind === 'length-prefix') return 'gassist';
  return byMessage.find(([, begins]) => begins(first.method, first.params))?.[0];
}

type Begins = (method: string, params: unknown) => boolean;

/** In this order: gevals and MCP both begin with `initialize`, and gevals is told by its version. */
const byMessage: readonly (readonly [DialectName, Begins])[] = [
  ['gevals', (method, params) => (method === 'initialize' ? isGevalsVersion(params) : isGevalsWord(method))],
  // A ping may come before all else; every other method of MCP but these two has a slash.
  ['mcp', (method) => method === 'initialize' || method === 'ping' || method.includes('/')],
  ['yams', (method) => /^(?:handshake|plugin|extractor)\./.test(method)],
  ['planner', (method) => plannerWords.has(method)],
];

const plannerWords = new Set([
  'create_plan',
  'execute_task',
  'validate_code',
  'update_context',
  'rpc.discover',
]);

function isGevalsWord(method: string): boolean {
  return method === 'execute' || method === 'shutdown';
}

function isGevalsVersion(params: unknown): boolean {
  return isJsonObject(params) && params['protocolVersion'] === '0.0.1';
}
