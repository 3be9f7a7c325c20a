// A rule for calls: `plugin__tool(argument=value, …)`. Plugin and tool are compared apart; arguments by their raw values, in any order,
// and further ones do not matter unless the rule ends with `!*`.
import { isJsonArray, type Json, type JsonObject } from '../../../base/json.ts';
import { jsonText, textOf } from '../../../base/shown.ts';
import { coversText } from '../covers-text.ts';
import { literalGlob, literalStart, matchesGlob } from '../glob.ts';
import type { Subject } from '../policy.ts';
import { foldedForms, type ForbiddenTexts } from './forbidden-text.ts';

export interface CallRule {
  readonly source: string;
  /** Undefined: the rule names no plugin. */
  readonly plugin: string | undefined;
  readonly tool: string;
  /** Both of them, as they are written. */
  readonly name: string;
  /** Empty: any arguments. */
  readonly arguments: readonly ArgumentPattern[];
  /** A call with arguments that the rule does not name is another one. */
  readonly isExact: boolean;
  /** It is not written as a call, so it can be nothing but the name of a tool, and allows none. */
  readonly forbidsOnly?: true;
}

interface ArgumentPattern {
  readonly key: string;
  /** One of them is enough. */
  readonly values: readonly string[];
}

/** What a plugin or a tool may be called without quotes. The first `__` ends the name of the plugin, which cannot have one in it. */
const WORDS =
  /^(?:mcp__(?=[^()"]*__))?(?:([\p{L}\p{N}*?][\p{L}\p{N}_.*?-]*?)__)?("(?:[^"\\]|\\.)*"|[^\s()"]+)(?:\((.*)\))?$/su;

/** Undefined for what is not a call, such as a command with words. */
export function callRule(source: string): CallRule | undefined {
  const [, plugin, written = '', inside] = WORDS.exec(source.trim()) ?? [];
  const tool = unquoted(written);
  if (tool === undefined || tool === '') return undefined;
  const given = inside === undefined ? { items: [], isExact: false } : argumentsIn(inside);
  if (given === undefined) return undefined;
  const name = plugin === undefined ? tool : `${plugin}__${tool}`;
  return { source, plugin, tool, name, arguments: given.items, isExact: given.isExact };
}

/** The rule for a call with these arguments and no others, or for every call of the tool. */
export function ruleFor({ plugin, ownName, args }: Subject, covers: 'call' | 'tool'): string {
  const name = `${plugin}__${isPlainName(ownName) ? literalGlob(ownName) : jsonText(literalGlob(ownName))}`;
  if (covers === 'tool') return name;
  const items = Object.entries(args).map(([key, value]) => `${written(key)}=${written(textOf(value))}`);
  return items.length === 0 ? `${name}()` : `${name}(${[...items, '!*'].join(', ')})`;
}

/** A rule that allows and names no plugin holds for the one plugin that has such a tool; `*` is every tool. */
export function allowsName({ plugin, tool, forbidsOnly }: CallRule, subject: Subject): boolean {
  if (forbidsOnly) return false;
  if (plugin !== undefined) return matchesGlob(plugin, subject.plugin) && coversName(tool, subject);
  return tool === '*' || (subject.isUnique && matchesGlob(tool, subject.ownName));
}

/** The address of a resource goes no way up that the rule does not write out. */
function coversName(tool: string, { kind, ownName }: Subject): boolean {
  return kind === 'resource' ? coversText(tool, ownName) : matchesGlob(tool, ownName);
}

export interface ForbiddenCall {
  readonly subject: Subject;
  readonly texts: ForbiddenTexts;
}

/** One that forbids and names no plugin holds for every tool of that name. */
export function forbidsName({ plugin, tool, name }: CallRule, { subject, texts }: ForbiddenCall): boolean {
  const isNamed = matchesGlob(tool, subject.ownName) || isAddress(tool, subject, texts);
  if (plugin === undefined) return isNamed || matchesGlob(tool, subject.name);
  // A tool may have `__` in its own name.
  return (isNamed && matchesGlob(plugin, subject.plugin)) || matchesGlob(name, subject.ownName);
}

/** The address of a resource, however it is written. */
function isAddress(tool: string, { kind, ownName }: Subject, texts: ForbiddenTexts): boolean {
  return (
    kind === 'resource' &&
    tool.startsWith(RESOURCE) &&
    texts.isText(tool.slice(RESOURCE.length), ownName.slice(RESOURCE.length))
  );
}

const RESOURCE = 'resource:';

/** Whether the rule names just this one or its plugin, rather than anything. */
export function isNaming({ plugin, tool }: CallRule, subject: Subject): boolean {
  return plugin === subject.plugin || (plugin === undefined && subject.isUnique && tool === subject.ownName);
}

/** Whether it names this one alone, by its plugin. */
export function isExactly({ plugin, tool }: CallRule, subject: Subject): boolean {
  const { text, isAll } = literalStart(tool);
  return plugin === subject.plugin && isAll && text === subject.ownName;
}

export function allowsArguments({ arguments: patterns, isExact }: CallRule, args: JsonObject): boolean {
  if (isExact && Object.keys(args).length !== patterns.length) return false;
  return patterns.every(({ key, values }) => {
    const { text: name, isAll } = literalStart(key);
    const value = isAll && Object.hasOwn(args, name) ? args[name] : undefined;
    return value !== undefined && values.some((one) => coversValue(one, value));
  });
}

/** Every value of a list has to be covered. What a `*` could hide in an object is not guessed: it is that object, or any. */
function coversValue(pattern: string, value: Json): boolean {
  if (isJsonArray(value) && value.length > 0)
    return value.every((one) => coversValue(pattern, one)) || isLiterally(pattern, value);
  if (typeof value !== 'object' || value === null || pattern === '*')
    return coversText(pattern, textOf(value));
  return isLiterally(pattern, value);
}

function isLiterally(pattern: string, value: Json): boolean {
  const { text, isAll } = literalStart(pattern);
  return isAll && text === jsonText(value);
}

/** Found at any depth, also in lists, and however a path or an address is written. */
export function forbidsArguments({ arguments: patterns, isExact }: CallRule, texts: ForbiddenTexts): boolean {
  if (isExact && texts.argumentCount !== patterns.length) return false;
  return patterns.every(({ key, values }) => texts.hasArgument(key, values));
}

/** What arguments of this name have, at any depth. A tool may read names as it reads values: in any case, without what is not seen. */
export function valuesOf(args: JsonObject, key: string): readonly Json[] {
  const keys = foldedForms(key);
  const isNamed = (name: string) =>
    matchesGlob(key, name) || foldedForms(name).some((form) => keys.some((one) => matchesGlob(one, form)));
  const found: Json[] = [];
  const look = (value: Json) => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (!Array.isArray(value) && isNamed(name)) found.push(inner);
      look(inner);
    }
  };
  look(args);
  return found;
}

function argumentsIn(
  inside: string,
): { readonly items: readonly ArgumentPattern[]; readonly isExact: boolean } | undefined {
  const items = new Map<string, ArgumentPattern>();
  const parts = partsOf(inside);
  let isExact = parts.length === 0;
  for (const part of parts) {
    const [, written = '', value] = /^("(?:[^"\\]|\\.)*"|[^"=][^=]*)=(.*)$/s.exec(part) ?? [];
    const [key, pattern] = [unquoted(written), unquoted(value)];
    if (part === '!*') isExact = true;
    else if (part === '*') continue;
    else if (key === undefined || pattern === undefined || items.has(key)) return undefined;
    else items.set(key, { key, values: [pattern] });
  }
  return { items: [...items.values()], isExact };
}

/** Between commas with a space behind them; not those in quotes, which belong to a value. */
function partsOf(inside: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < inside.length; at += 1) {
    const character = inside[at];
    if (isQuoted && character === '\\') at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && character === ',' && /\s/.test(inside[at + 1] ?? '')) {
      parts.push(inside.slice(start, at).trim());
      start = at + 1;
    }
  }
  const last = inside.slice(start).trim();
  return last === '' && parts.length === 0 ? [] : [...parts, last];
}

/** Text in quotes is as in JSON. */
function unquoted(text: string | undefined): string | undefined {
  if (text === undefined || !text.startsWith('"')) return text;
  try {
    // In quotes, JSON is a text or nothing.
    return JSON.parse(text) as string;
  } catch {
    return text.endsWith('"') && text.length > 1 ? undefined : text;
  }
}

function written(text: string): string {
  const literal = literalGlob(text);
  return /^[^\s",()=!][^",()=]*$/.test(literal) && literal.trim() === literal && !/\p{C}/u.test(literal)
    ? literal
    : jsonText(literal);
}

function isPlainName(name: string): boolean {
  return /^[^\s()",]+$/.test(name);
}
