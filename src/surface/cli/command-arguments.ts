// The arguments of a user command as people type them: words in the order of its parameters, key=value, or one JSON object.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { sentence } from '../../base/text.ts';
import type { CommandManifest } from '../../definition/manifest.ts';
import { usageError } from './context.ts';

/** @throws PluglotError INVALID_ARGUMENTS with how it is used */
export function commandArguments(command: CommandManifest, words: readonly string[]): JsonObject {
  const whole = words.length === 1 ? objectIn(words[0] ?? '') : undefined;
  if (whole !== undefined) return whole;
  const given = new Map<string, string>();
  const rest: string[] = [];
  let takesRest: string | undefined;
  for (const word of words) {
    const named = takesRest === undefined ? namedIn(command, word) : undefined;
    const { name, captureRest } = named ?? nextOf(command, given) ?? {};
    if (takesRest !== undefined) rest.push(word);
    else if (named !== undefined) given.set(named.name, named.value);
    else if (name === undefined) throw wrong(command, `no place for "${word.slice(0, 60)}"`);
    else if (captureRest === true) {
      takesRest = name;
      rest.push(word);
    } else given.set(name, word);
  }
  if (takesRest !== undefined) given.set(takesRest, rest.join(' '));
  const missing = command.parameters.find(({ name, required }) => required === true && !given.has(name));
  if (missing !== undefined) throw wrong(command, `"${missing.name}" is missing`);
  return Object.fromEntries(given);
}

/** Which parameter the next word is for; undefined when there is none. */
export function parameterOfNext(command: CommandManifest, words: readonly string[]): string | undefined {
  const given = new Map<string, string>();
  for (const word of words) {
    const named = namedIn(command, word);
    const next = nextOf(command, given);
    if (named !== undefined) given.set(named.name, named.value);
    else if (next === undefined || next.captureRest === true) return next?.name;
    else given.set(next.name, word);
  }
  return nextOf(command, given)?.name;
}

/** `plan ACTION [REST…]` */
export function usageOf({ name, parameters }: CommandManifest): string {
  const words = parameters.map((parameter) => {
    const word = `${parameter.name.toUpperCase()}${parameter.captureRest === true ? '…' : ''}`;
    return parameter.required === true ? word : `[${word}]`;
  });
  return [name, ...words].join(' ');
}

function namedIn({ parameters }: CommandManifest, word: string) {
  const at = word.indexOf('=');
  const parameter = at < 1 ? undefined : parameters.find(({ name }) => name === word.slice(0, at));
  return parameter === undefined ? undefined : { ...parameter, value: word.slice(at + 1) };
}

function nextOf({ parameters }: CommandManifest, given: ReadonlyMap<string, string>) {
  return parameters.find(({ name }) => !given.has(name));
}

function objectIn(word: string): JsonObject | undefined {
  if (!word.trimStart().startsWith('{')) return undefined;
  try {
    // What JSON.parse gives is JSON.
    const value = JSON.parse(word) as Json;
    return isJsonObject(value) ? value : undefined;
  } catch {
    // Then it is a word like any other.
    return undefined;
  }
}

function wrong(command: CommandManifest, why: string): Error {
  return usageError(`Command "${command.name}": ${sentence(why)} It is used like this: ${usageOf(command)}`);
}
