// A rule for calls: `plugin__tool(argument=value, …)`. Plugin and tool are compared apart; arguments by their raw values, in any order,
// and further ones do not matter unless the rule ends with `!*`.
import { inOneCase } from '../../../base/unescaped.ts';
import { isJsonArray, isJsonWithin, isSameJson, type Json, type JsonObject } from '../../../base/json.ts';
import { jsonText, textOf } from '../../../base/text.ts';
import { coversText, literalGlob, literalStart, matchesGlob } from '../glob.ts';
import type { Subject } from '../policy.ts';
import type { ForbiddenTexts } from './forbidden-text.ts';

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
  /** An argument is hardly what was meant, such as `==` without JSON: it would forbid nothing. */
  readonly allowsOnly?: true;
}

interface ArgumentPattern {
  readonly key: string;
  /** One of them is enough. */
  readonly values: readonly string[];
  /** Of `key==JSON`: to be allowed, it has to be this very value. */
  readonly exact?: { readonly value: Json };
  /** A list or an object that is written out: the order of its keys does not matter. */
  readonly whole?: { readonly value: Json };
}

/** What a plugin or a tool may be called without quotes. The first `__` ends the name of the plugin, which cannot have one in it. */
const WORDS =
  /^(?:mcp__(?=[^()"]*__))?(?:([\p{L}\p{N}*?][\p{L}\p{N}_.*?-]*?)__)?("(?:[^"\\]|\\.)*"|[^\s()"]+)(?:\((.*)\))?$/su;

/** Undefined for what is not a call, such as a command with words. */
export function callRule(source: string): CallRule | undefined {
  const [, plugin, written = '', inside] = WORDS.exec(source.trim()) ?? [];
  const tool = unquoted(written);
  if (tool === undefined || tool === '') return undefined;
  const given = inside === undefined ? { items: [], isExact: false, allowsOnly: false } : argumentsIn(inside);
  if (given === undefined) return undefined;
  const name = plugin === undefined ? tool : `${plugin}__${tool}`;
  return {
    source,
    plugin,
    tool,
    name,
    arguments: given.items,
    isExact: given.isExact,
    ...(given.allowsOnly && { allowsOnly: true }),
  };
}

/** Why a text that is meant as a call is not one, to go on a sentence; undefined for a call, and for what may be a command line. */
export function malformedCall(source: string, action: 'allow' | 'deny'): string | undefined {
  const rule = source.trim();
  const isMeant = /^[^\s()]+\(/.test(rule) || /^[^\s()"]+\s+\([^)]*=/.test(rule) || /^\S+__"/.test(rule);
  if (!isMeant) return undefined;
  const read = callRule(rule);
  if (read === undefined)
    return 'its arguments cannot be read; expected key=value, divided by a comma and a space';
  return action === 'deny' && read.allowsOnly
    ? 'an argument would forbid nothing; expected key=value, key=="TEXT" or key==JSON, with names and values in whole quotes or none'
    : undefined;
}

/** The rule for a call with these arguments and no others, or for every call of the tool; undefined where it would be too long for a file. */
export function ruleFor(
  { kind, plugin, ownName, args }: Subject,
  covers: 'call' | 'tool',
): string | undefined {
  // No rule names such a tool alone.
  if (!isOfKind(ownName, kind)) return undefined;
  const name = `${plugin}__${isPlainName(ownName) ? literalGlob(ownName) : jsonText(literalGlob(ownName))}`;
  if (covers === 'tool') return name;
  if (!isJsonWithin(args, RULE_MAX)) return undefined;
  const items = Object.entries(args).map(([key, value]) => `${written(key)}==${visibleJson(value)}`);
  return items.length === 0 ? `${name}()` : `${name}(${[...items, '!*'].join(', ')})`;
}

/** As in the schema of the file. */
export const RULE_MAX = 1000;

/** A rule that allows and names no plugin holds for the one plugin that has such a tool; `*` is every tool. */
export function allowsName({ plugin, tool, forbidsOnly }: CallRule, subject: Subject): boolean {
  if (forbidsOnly || !isOfKind(tool, subject.kind)) return false;
  if (plugin !== undefined) return matchesGlob(plugin, subject.plugin) && coversName(tool, subject);
  return tool === '*' || (subject.isUnique && matchesGlob(tool, subject.ownName));
}

/** `prompt:x` is a prompt, never a tool of that name; `p*` covers no prompts. `*` covers every kind. */
function isOfKind(tool: string, kind: Subject['kind']): boolean {
  if (/^\*+$/.test(tool)) return true;
  const [, named] = /^(prompt|resource):/.exec(tool) ?? [];
  return named === (kind === 'prompt' || kind === 'resource' ? kind : undefined);
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
  const isNamed = isName(tool, subject.ownName) || isAddress(tool, subject, texts);
  if (plugin === undefined) return isNamed || isName(tool, subject.name);
  // A tool may have `__` in its own name.
  return (isNamed && isName(plugin, subject.plugin)) || isName(name, subject.ownName);
}

function isName(pattern: string, name: string): boolean {
  return matchesGlob(pattern, name) || matchesGlob(inOneCase(pattern), inOneCase(name));
}

/** The address of a resource, however it is written. */
function isAddress(tool: string, { kind, ownName }: Subject, texts: ForbiddenTexts): boolean {
  return (
    kind === 'resource' &&
    tool.toLowerCase().startsWith(RESOURCE) &&
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
  return plugin === subject.plugin && isAll && text === subject.ownName && isOfKind(tool, subject.kind);
}

export function allowsArguments({ arguments: patterns, isExact }: CallRule, args: JsonObject): boolean {
  if (isExact && Object.keys(args).length !== patterns.length) return false;
  return patterns.every(({ key, values, exact }) => {
    const { text: name, isAll } = literalStart(key);
    const value = isAll && Object.hasOwn(args, name) ? args[name] : undefined;
    if (value === undefined) return false;
    return exact ? isSameJson(exact.value, value) : values.some((one) => coversValue(one, value));
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
  const meant = literalJson(pattern);
  return meant !== undefined && isSameJson(meant.value, value);
}

function literalJson(pattern: string): { readonly value: Json } | undefined {
  const { text, isAll } = literalStart(pattern);
  return isAll ? jsonIn(text) : undefined;
}

/** Found at any depth, also in lists, and however a path or an address is written. */
export function forbidsArguments({ arguments: patterns, isExact }: CallRule, texts: ForbiddenTexts): boolean {
  if (isExact && texts.argumentCount !== patterns.length) return false;
  return patterns.every(({ key, values, exact, whole = exact }) =>
    texts.hasArgument(key, values, whole?.value),
  );
}

function argumentsIn(
  inside: string,
):
  | { readonly items: readonly ArgumentPattern[]; readonly isExact: boolean; readonly allowsOnly: boolean }
  | undefined {
  const items = new Map<string, ArgumentPattern>();
  const parts = partsOf(inside);
  let isExact = parts.length === 0;
  let allowsOnly = false;
  for (const part of parts) {
    const [, written = '', value] = /^("(?:[^"\\]|\\.)*"|[^"=][^=]*)=(.*)$/s.exec(part) ?? [];
    const [key, pattern] = [unquoted(written), unquoted(value)];
    if (part === '!*') isExact = true;
    else if (part === '*') continue;
    else if (key === undefined || pattern === undefined || items.has(key)) return undefined;
    else {
      const exact = pattern === value && value.startsWith('=') ? jsonIn(value.slice(1)) : undefined;
      allowsOnly ||= key === written && ODD_KEY.test(key);
      allowsOnly ||= pattern === value && exact === undefined && /^["'`=]/.test(value);
      if (exact) items.set(key, { key, values: [value ?? '', literalGlob(textOf(exact.value))], exact });
      else if (pattern === value && !isBalanced(pattern)) return undefined;
      else {
        const whole = /^[[{]/.test(pattern) ? literalJson(pattern) : undefined;
        items.set(key, { key, values: [pattern], ...(whole && { whole }) });
      }
    }
  }
  return { items: [...items.values()], isExact, allowsOnly };
}

/** Of a comparison that there is not (`path!=x`), or in quotes of another kind. */
const ODD_KEY = /^['`]|["'`!<>~:+^$]\s*$/;

/** A parenthesis too many is a slip, unless it is in quotes. */
function isBalanced(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    depth += character === '(' ? 1 : character === ')' ? -1 : 0;
    if (depth < 0) return false;
  }
  return depth === 0;
}

function jsonIn(text: string): { readonly value: Json } | undefined {
  try {
    // What is JSON is a value of that type.
    return { value: JSON.parse(text) as Json };
  } catch {
    return undefined;
  }
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
  return /^[^\s",()=!][^",()=]*$/.test(literal) &&
    literal.trim() === literal &&
    !/\p{C}/u.test(literal) &&
    !ODD_KEY.test(literal)
    ? literal
    : jsonText(literal);
}

/** People read rules, so nothing in them is invisible. */
function visibleJson(value: Json): string {
  return jsonText(value).replaceAll(/[\p{C}\p{Default_Ignorable_Code_Point}]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

function isPlainName(name: string): boolean {
  return /^[^\s()",]+$/.test(name);
}
