// The arguments of a tool as people type them: key=value pairs, one JSON object, or `-` for an object on stdin.
import { PluglotError } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { JsonSchema } from '../../definition/tool.ts';

/**
 * A value is JSON where it parses, else a string; what the schema calls a string stays the text that was typed.
 * @throws PluglotError INVALID_ARGUMENTS
 */
export async function readArguments(
  words: readonly string[],
  readInput: () => Promise<string>,
): Promise<TypedArguments> {
  const [first] = words;
  if (words.length === 1 && first === '-') return whole(await readInput(), 'on stdin');
  if (words.length === 1 && first?.trimStart().startsWith('{')) return whole(first, 'given');
  const pairs = words.map(pair);
  return (schema) => {
    const properties = propertiesOf(schema);
    return Object.fromEntries(pairs.map(({ key, text }) => [key, valueOf(text, properties[key])]));
  };
}

/** The arguments, once it is known what the tool takes. */
export type TypedArguments = (schema: JsonSchema | undefined) => JsonObject;

function whole(text: string, where: string): TypedArguments {
  const value = parsed(text);
  if (!isJsonObject(value)) {
    throw new PluglotError(
      'INVALID_ARGUMENTS',
      `The arguments ${where} are no JSON object: ${excerpt(text)}. Give key=value pairs, or an object such as '{"city":"Oslo"}'.`,
    );
  }
  return () => value;
}

function pair(word: string): { key: string; text: string } {
  const at = word.indexOf('=');
  if (at > 0) return { key: word.slice(0, at), text: word.slice(at + 1) };
  throw new PluglotError(
    'INVALID_ARGUMENTS',
    `${excerpt(word)} is no argument. Give key=value pairs such as city=Oslo, one JSON object, or - to read an object from stdin; the command of a plugin goes behind --.`,
  );
}

function valueOf(text: string, schema: Json | undefined): Json {
  if (isJsonObject(schema) && schema['type'] === 'string') {
    // A quoted string is JSON all the same: it says more exactly what is meant.
    const quoted = text.startsWith('"') ? parsed(text) : undefined;
    return typeof quoted === 'string' ? quoted : text;
  }
  return parsed(text) ?? (text === 'null' ? null : text);
}

function propertiesOf(schema: JsonSchema | undefined): JsonObject {
  const properties = isJsonObject(schema) ? schema['properties'] : undefined;
  return isJsonObject(properties) ? properties : {};
}

/** Undefined when it is no JSON. */
function parsed(text: string): Json | undefined {
  try {
    // What JSON.parse gives is JSON.
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function excerpt(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
