// What `permissions check` is asked about: the name of a tool, then its arguments as JSON, as key=value, or as a command.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';

export type SubjectWords =
  | { readonly tool: string; readonly args: JsonObject }
  | { readonly problem: string };

/** The tool whose arguments people know as a command. */
const COMMAND_TOOL = 'cli_based_tool';

export function subjectIn(value: string): SubjectWords {
  const end = value.search(/\s/);
  const tool = end === -1 ? value : value.slice(0, end);
  const rest = end === -1 ? '' : value.slice(end).trim();
  if (tool === '') return { problem: 'Which tool is it about?' };
  if (rest === '') return { tool, args: {} };
  if (rest.startsWith('{')) {
    const args = parsed(rest);
    return isJsonObject(args)
      ? { tool, args }
      : { problem: 'The arguments begin like a JSON object and are none.' };
  }
  const pairs = pairsIn(rest);
  if (pairs !== undefined) return { tool, args: pairs };
  if (tool === COMMAND_TOOL) return { tool, args: { command: rest } };
  return { problem: 'The arguments are neither key=value nor a JSON object.' };
}

/** Undefined unless every word is one. */
function pairsIn(text: string): JsonObject | undefined {
  const entries: [string, Json][] = [];
  for (const word of text.split(/\s+/)) {
    const at = word.indexOf('=');
    // A command that begins with a variable, `A=1 make`, has another word behind it and is no list of pairs.
    if (at < 1 || !/^[\w.-]+$/.test(word.slice(0, at))) return undefined;
    entries.push([word.slice(0, at), parsed(word.slice(at + 1)) ?? word.slice(at + 1)]);
  }
  return Object.fromEntries(entries);
}

function parsed(text: string): Json | undefined {
  try {
    // JSON gives Json.
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
