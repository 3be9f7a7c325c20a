// Adds or removes one member of a JSON object, or adds one item to a list; every other character of the text stays.
// jsonc-parser's own editing moves comments to other lines and removes those between members.
import { PluglotError } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import { type JsonMember, type JsonNode, memberOf, readJson } from './json-reader.ts';

/** The text must be readable, and the path must lead through objects; what is missing on the way is created. */
export function setMember(text: string, path: readonly [string, ...string[]], value: Json): string {
  let node = rootOf(text);
  for (const [index, key] of path.entries()) {
    const member = memberOf(node, key);
    const rest = path.slice(index + 1);
    const made = rest.reduceRight<Json>((inner, step) => ({ [step]: inner }), value);
    if (!member) return insert(text, node, key, made);
    if (rest.length === 0) return replace(text, member.node, made);
    node = member.node;
  }
  return text;
}

/** Adds one value at the end of a list, which is created if it is missing. */
export function addItem(text: string, path: readonly [string, ...string[]], value: Json): string {
  let node: JsonNode | undefined = rootOf(text);
  for (const key of path) node = node && memberOf(node, key)?.node;
  if (node === undefined) return setMember(text, path, [value]);
  const last = node.items?.at(-1);
  if (!last) return replace(text, node, [value]);
  const inner = indentAt(text, last.start);
  return append(text, node, { start: last.start, node: last }, inner, laidOut(value, inner, styleOf(text)));
}

/** Returns the text unchanged if there is no such member. A duplicate key is removed as often as it occurs: otherwise an earlier one would count. */
export function removeMember(text: string, path: readonly [string, ...string[]]): string {
  let rest = text;
  for (let times = 0; times <= TIMES_MAX; times += 1) {
    const without = removeLast(rest, path);
    if (without === rest) return rest;
    rest = without;
  }
  throw new PluglotError(
    'CONFIG_INVALID',
    `"${path.at(-1)}" occurs more than ${TIMES_MAX} times. Remove it by hand.`,
  );
}

/** The whole text is read again for each. */
const TIMES_MAX = 100;

function removeLast(text: string, path: readonly [string, ...string[]]): string {
  let node = rootOf(text);
  for (const key of path.slice(0, -1)) {
    const member = memberOf(node, key);
    if (!member) return text;
    node = member.node;
  }
  const members = node.members ?? [];
  const key = path.at(-1) ?? '';
  const index = members.findLastIndex((member) => member.key === key);
  const member = members[index];
  if (!member) return text;
  const { comma, end } = member.node;
  const commaBefore = members[index - 1]?.node.comma;
  if (comma !== undefined) return cut(text, member.start, comma + 1);
  const without = cut(text, member.start, end);
  // After the last member the comma before it goes too.
  return commaBefore === undefined ? without : without.slice(0, commaBefore) + without.slice(commaBefore + 1);
}

function rootOf(text: string): JsonNode {
  const reading = readJson(text, { syntax: 'jsonc' });
  if (!reading.ok) throw new Error(`The text cannot be edited: ${reading.reason}`);
  return reading.root;
}

function insert(text: string, object: JsonNode, key: string, value: Json): string {
  const style = styleOf(text);
  const last = object.members?.at(-1);
  const outer = indentAt(text, object.start);
  const inner = last ? indentAt(text, last.start) : outer + style.indent;
  const written = `${JSON.stringify(key)}: ${laidOut(value, inner, style)}`;
  if (last) return append(text, object, last, inner, written);
  // A comment may be all that is in it.
  const content = text.slice(object.start + 1, object.end - 1).trimEnd();
  return `${text.slice(0, object.start + 1)}${content}${style.newline}${inner}${written}${style.newline}${outer}${text.slice(object.end - 1)}`;
}

/** Puts `written` after the last member or item. A comma stands after it if one stood after the last. */
function append(
  text: string,
  container: JsonNode,
  last: Pick<JsonMember, 'start' | 'node'>,
  indent: string,
  written: string,
): string {
  const { comma } = last.node;
  const end = comma === undefined ? last.node.end : comma + 1;
  // A comment at the end of the last line belongs to that line.
  const tail = endOfComment(text, end);
  const isOneLine = tail === end && !text.slice(container.start, last.start).includes('\n');
  const gap = isOneLine ? ' ' : `${styleOf(text).newline}${indent}`;
  const [before, after] = comma === undefined ? [',', ''] : ['', ','];
  return `${text.slice(0, end)}${before}${text.slice(end, tail)}${gap}${written}${after}${text.slice(tail)}`;
}

function replace(text: string, node: JsonNode, value: Json): string {
  const style = styleOf(text);
  return text.slice(0, node.start) + laidOut(value, indentAt(text, node.start), style) + text.slice(node.end);
}

/** Removes a range, with its line if nothing else is on it. */
function cut(text: string, start: number, end: number): string {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const [rest = ''] = /^[ \t]*(\r?\n)?/.exec(text.slice(end)) ?? [];
  const isAlone = text.slice(lineStart, start).trim() === '' && rest.includes('\n');
  return isAlone
    ? text.slice(0, lineStart) + text.slice(end + rest.length)
    : text.slice(0, start) + text.slice(end).replace(/^[ \t]+/, '');
}

interface Style {
  readonly indent: string;
  readonly newline: string;
}

function styleOf(text: string): Style {
  const [, indent] = /\n([ \t]+)\S/.exec(text) ?? [];
  return { indent: indent ?? '  ', newline: text.includes('\r\n') ? '\r\n' : '\n' };
}

/** The blanks at the beginning of the line. */
function indentAt(text: string, offset: number): string {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(lineStart, offset))?.[0] ?? '';
}

function laidOut(value: Json, indent: string, style: Style): string {
  return JSON.stringify(value, undefined, style.indent).replaceAll('\n', `${style.newline}${indent}`);
}

function endOfComment(text: string, offset: number): number {
  const [comment = ''] = /^[ \t]*\/\/[^\r\n]*/.exec(text.slice(offset, offset + 4096)) ?? [];
  return offset + comment.length;
}
