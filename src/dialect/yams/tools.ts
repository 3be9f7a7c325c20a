// YAMS has no list of tools: every RPC method is one. Here they are found, wherever a plugin or its owner names them.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Tool } from '../../definition/tool.ts';
import type { Facet } from '../facet-tools.ts';
import { hostOnlyMethods, methods } from './schema.ts';

/** What YAMS has no methods for. */
export const wordlessFacets: readonly Facet[] = ['planner', 'executor', 'talk'];

/** In the order of how much is known of them; a method that is named twice is one tool. */
export function toolsOf(
  capabilities: Json | undefined,
  configured: readonly string[],
  isExtractor: boolean,
): readonly Tool[] {
  const tools = new Map<string, Tool>();
  const found = [
    ...declaredTools(capabilities),
    ...(isExtractor ? [extractTool] : []),
    ...rpcMethods(capabilities, 0),
    ...configured.map((name) => ({ name })),
  ];
  for (const tool of found) {
    if (tool.name !== '' && !hostOnlyMethods.has(tool.name) && !tools.has(tool.name)) {
      tools.set(tool.name, tool);
    }
  }
  return [...tools.values()];
}

/** `capabilities.tools`, which our own SDK writes. */
function declaredTools(capabilities: Json | undefined): Tool[] {
  const declared = isJsonObject(capabilities) ? capabilities['tools'] : undefined;
  if (!isJsonArray(declared)) return [];
  return declared.flatMap((tool) => {
    if (typeof tool === 'string') return [{ name: tool }];
    if (!isJsonObject(tool) || typeof tool['name'] !== 'string') return [];
    const schema = tool['input_schema'];
    const isSchema = isJsonObject(schema) || typeof schema === 'boolean';
    return [
      {
        ...described(tool['name'], tool),
        ...(isSchema ? { inputSchema: schema } : {}),
        ...(tool['auto_approve'] === true ? { autoApprove: true } : {}),
        ...(tool['facet'] === 'talk' ? { facet: 'talk' } : {}),
      },
    ];
  });
}

/** Deeper than this nobody declares anything, and a hostile manifest must not exhaust the stack. */
const DEPTH_MAX = 16;

/** Every `rpc_method` in the capabilities, such as that of `kg_entities`. */
function rpcMethods(value: Json | undefined, depth: number): Tool[] {
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return [];
  const name = isJsonObject(value) ? value['rpc_method'] : undefined;
  return [
    ...(isJsonObject(value) && typeof name === 'string' ? [described(name, value)] : []),
    ...Object.values(value).flatMap((inner) => rpcMethods(inner, depth + 1)),
  ];
}

function described(name: string, { description }: JsonObject): Tool {
  return { name, ...(typeof description === 'string' ? { description } : {}) };
}

const extractTool: Tool = {
  name: methods.extract,
  facet: 'extractor',
  description: 'Extracts text and metadata from a file, given by its path or as base64.',
  inputSchema: {
    type: 'object',
    required: ['source'],
    properties: {
      source: {
        description: 'A path, or where the content is.',
        anyOf: [
          { type: 'string', minLength: 1 },
          {
            type: 'object',
            required: ['type', 'path'],
            properties: { type: { const: 'path' }, path: { type: 'string' } },
          },
          {
            type: 'object',
            required: ['type', 'data'],
            properties: { type: { const: 'bytes' }, data: { type: 'string', contentEncoding: 'base64' } },
          },
        ],
      },
      options: {
        type: 'object',
        description: 'What is left out is for the plugin to choose.',
        properties: {
          max_functions: { type: 'integer', description: 'At most so many functions; usually 100.' },
          decompile: { type: 'boolean', description: 'Whether decompiled code is included; usually true.' },
          include_metadata: { type: 'boolean', description: 'Whether metadata is included; usually true.' },
          timeout_sec: { type: 'integer', description: 'Seconds for one function; usually 10.' },
        },
      },
    },
  },
};
