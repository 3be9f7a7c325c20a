// The tools of a plugin, from the two places that name them: the functions of its manifest.json and the commands it introduces itself with.
import { isJsonObject, textsIn, type Json, type JsonObject } from '../../base/json.ts';
import type { JsonSchema, Tool } from '../../definition/tool.ts';
import type { Facet } from '../facet-tools.ts';
import { listIn, wordsIn } from './schema.ts';

/** What the protocol has no methods for. */
export const wordlessFacets: readonly Facet[] = ['extractor', 'planner', 'executor'];

/** A manifest.json knows the parameters, so what it says of a tool counts first. */
export function toolsOf(commands: readonly Json[], manifest: JsonObject | undefined): readonly Tool[] {
  const tools = new Map<string, Tool>();
  for (const told of [...listIn(manifest?.['functions']), ...commands]) {
    const tool = parseTool(told);
    if (tool !== undefined) tools.set(tool.name, { ...tool, ...tools.get(tool.name) });
  }
  return [...tools.values()];
}

/** The handler of what the user says in a session: SDKs list it beside the functions. */
export const INPUT_HANDLER = 'on_input';

function parseTool(told: Json): Tool | undefined {
  const entry = typeof told === 'string' ? { name: told } : told;
  if (!isJsonObject(entry)) return undefined;
  const { name, description } = wordsIn(entry, ['name', 'description']);
  if (name === undefined || name === INPUT_HANDLER) return undefined;
  const inputSchema = schemaOf(entry);
  const tags = textsIn(entry['tags']);
  return {
    name,
    ...(description !== undefined && { description }),
    ...(inputSchema !== undefined && { inputSchema }),
    ...(tags.length > 0 && { tags }),
  };
}

/** Either a JSON Schema in `parameters`, or `properties` and `required` beside the name. */
function schemaOf(entry: JsonObject): JsonSchema | undefined {
  const { parameters, properties, required } = entry;
  if (isJsonObject(parameters)) return parameters;
  if (!isJsonObject(properties)) return undefined;
  const names = textsIn(required);
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [name, propertyOf(schema)]),
    ),
    ...(names.length > 0 && { required: names }),
  };
}

/** Somebody who wrote a text there described the parameter; other values describe nothing. */
function propertyOf(schema: Json): JsonSchema {
  if (isJsonObject(schema) || typeof schema === 'boolean') return schema;
  return typeof schema === 'string' ? { description: schema } : {};
}
