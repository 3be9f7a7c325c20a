// The manifest of an extension, made of what the plugin says of itself.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Profile } from '../../definition/backend.ts';
import type { Tool } from '../../definition/tool.ts';
import { ourWords } from '../our-words.ts';
import { firstFitting } from './fitting.ts';
import { PROTOCOL_VERSION } from './schema.ts';

/** Fits the room as far as it can: texts for people go first, then what is known of arguments. */
export function ownManifest(profile: Profile, room: number): JsonObject {
  return firstFitting(forms(profile), room) ?? {};
}

function* forms(profile: Profile): Generator<JsonObject> {
  yield manifestOf(profile, (tool) => ({ ...described(tool), params: paramsOf(tool) }));
  yield manifestOf(profile, (tool) => ({ ...described(tool), params: undescribed(paramsOf(tool)) }));
  yield manifestOf(profile, (tool) => ({ params: undescribed(paramsOf(tool)) }));
  yield manifestOf(profile, () => ({ params: { type: 'object' } }));
}

function manifestOf(profile: Profile, operationOf: (tool: Tool) => JsonObject): JsonObject {
  const { name, version, description, requires = [], tools } = profile;
  return {
    name,
    version,
    protocolVersion: PROTOCOL_VERSION,
    ...(description === undefined ? {} : { description }),
    ...(requires.length === 0 ? {} : { requires: requires.map(({ command }) => ({ command })) }),
    operations: Object.fromEntries(
      tools.map((tool) => [tool.name, { ...operationOf(tool), ...forOurs(tool) }]),
    ),
  };
}

function described({ description }: Tool): JsonObject {
  return description === undefined ? {} : { description };
}

function forOurs({ facet }: Tool): JsonObject {
  return ourWords(facet === 'talk' ? { facet } : {});
}

/** The specification wants an object, also where anything is taken. */
function paramsOf({ inputSchema }: Tool): JsonObject {
  return isJsonObject(inputSchema) ? inputSchema : { type: 'object' };
}

function undescribed(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword, value]) => keyword !== 'description' || typeof value !== 'string')
      .map(([keyword, value]) => [keyword, inside(value)]),
  );
}

function inside(value: Json): Json {
  if (isJsonArray(value)) return value.map(inside);
  return isJsonObject(value) ? undescribed(value) : value;
}
