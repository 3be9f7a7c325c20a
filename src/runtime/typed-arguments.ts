// The arguments of a tool as people type them: key=value pairs, one JSON object, or `-` for an object on stdin.
import { PluglotError } from '../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { JsonSchema } from '../definition/tool.ts';

/** An object, or the texts of key=value pairs: their types depend on the schema of the tool. */
export type TypedArguments =
  | { readonly args: JsonObject }
  | { readonly pairs: Readonly<Record<string, string>> };

/** @throws PluglotError INVALID_ARGUMENTS */
export async function readArguments(
  words: readonly string[],
  readInput: () => Promise<string>,
): Promise<TypedArguments> {
  const [first] = words;
  if (words.length === 1 && first === '-') return whole(await readInput(), 'on stdin');
  if (words.length === 1 && first?.trimStart().startsWith('{')) return whole(first, 'given');
  return { pairs: Object.fromEntries(words.map(pair)) };
}

/** A value is JSON where it parses, else a string; what the schema calls a string stays the text that was typed. */
export function argumentsOf(typed: TypedArguments, schema: JsonSchema | undefined): JsonObject {
  if ('args' in typed) return typed.args;
  const properties = propertiesOf(schema);
  const entries = Object.entries(typed.pairs).map(([key, text]) => [key, valueOf(text, properties[key])]);
  return Object.fromEntries(entries) as JsonObject;
}

function whole(text: string, where: string): TypedArguments {
  const value = parsed(text);
  if (!isJsonObject(value)) {
    throw new PluglotError(
      'INVALID_ARGUMENTS',
      `The arguments ${where} are not a JSON object: ${excerpt(text)}. Give key=value pairs, or an object such as '{"city":"Oslo"}'.`,
    );
  }
  return { args: value };
}

function pair(word: string): [key: string, text: string] {
  const at = word.indexOf('=');
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)];
  throw new PluglotError(
    'INVALID_ARGUMENTS',
    `${excerpt(word)} is not an argument. Give key=value pairs such as city=Oslo, one JSON object, or - to read an object from stdin; the command of a plugin goes behind --.`,
  );
}

function valueOf(text: string, schema: Json | undefined): Json {
  if (isJsonObject(schema) && schema['type'] === 'string') {
    // A quoted string is JSON: it is more exact.
    const quoted = text.startsWith('"') ? parsed(text) : undefined;
    return typeof quoted === 'string' ? quoted : text;
  }
  return parsed(text) ?? (text === 'null' ? null : text);
}

function propertiesOf(schema: JsonSchema | undefined): JsonObject {
  const properties = isJsonObject(schema) ? schema['properties'] : undefined;
  return isJsonObject(properties) ? properties : {};
}

/** Undefined when it is not JSON. */
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
