// Puts one member into a JSON object or one item into a list, or takes a member out, and leaves every other character as it is.
import { PluglotError } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import { type JsonNode, memberOf, readJson } from './json-reader.ts';

/** The text must be readable, and the path must lead through objects; what is missing on the way is made. */
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

/** Puts one value at the end of a list, which is made when there is none. */
export function addItem(text: string, path: readonly [string, ...string[]], value: Json): string {
  let node: JsonNode | undefined = rootOf(text);
  for (const key of path) node = node && memberOf(node, key)?.node;
  if (node === undefined) return setMember(text, path, [value]);
  const last = node.items?.at(-1);
  if (!last) return replace(text, node, [value]);
  const style = styleOf(text);
  const [comma] = /^(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*,/.exec(text.slice(last.end, node.end)) ?? [];
  const end = last.end + (comma?.length ?? 0);
  // As in an object.
  const tail = endOfComment(text, end);
  const isOneLine = tail === end && !text.slice(node.start, last.start).includes('\n');
  const inner = indentAt(text, last.start);
  const gap = isOneLine ? ' ' : `${style.newline}${inner}`;
  const written = laidOut(value, inner, style);
  return `${text.slice(0, end)}${comma === undefined ? ',' : ''}${text.slice(end, tail)}${gap}${written}${comma === undefined ? '' : ','}${text.slice(tail)}`;
}

/** The text as it was when there is no such member. One that stands there twice goes twice: else the first would count from now on. */
export function removeMember(text: string, path: readonly [string, ...string[]]): string {
  let rest = text;
  for (let times = 0; times <= TIMES_MAX; times += 1) {
    const without = removeLast(rest, path);
    if (without === rest) return rest;
    rest = without;
  }
  throw new PluglotError(
    'CONFIG_INVALID',
    `"${path.at(-1)}" stands there more than ${TIMES_MAX} times. Remove it by hand.`,
  );
}

/** Each time the whole text is read again. */
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
  const before = members[index - 1];
  if (member.comma !== undefined || before?.comma === undefined) {
    return cut(text, member.start, member.comma === undefined ? member.node.end : member.comma + 1);
  }
  // It is the last one, so the comma before it goes too.
  const without = cut(text, member.start, member.node.end);
  return without.slice(0, before.comma) + without.slice(before.comma + 1);
}

function rootOf(text: string): JsonNode {
  const reading = readJson(text, { syntax: 'jsonc' });
  if (!reading.ok) throw new Error(`The text cannot be edited: ${reading.reason}`);
  return reading.root;
}

function insert(text: string, object: JsonNode, key: string, value: Json): string {
  const style = styleOf(text);
  const last = object.members?.at(-1);
  const inner = last ? indentAt(text, last.start) : indentAt(text, object.start) + style.indent;
  const written = `${JSON.stringify(key)}: ${laidOut(value, inner, style)}`;
  if (!last) {
    const outer = indentAt(text, object.start);
    // A comment may be all that is in it.
    const content = text.slice(object.start + 1, object.end - 1).trimEnd();
    const space = content === '' ? '' : content;
    return `${text.slice(0, object.start + 1)}${space}${style.newline}${inner}${written}${style.newline}${outer}${text.slice(object.end - 1)}`;
  }
  const end = last.comma === undefined ? last.node.end : last.comma + 1;
  const comma = last.comma === undefined ? ',' : '';
  // A comment at the end of the last line belongs to that line, unless a comma has to stand before it.
  const tail = endOfComment(text, end);
  const isOneLine = tail === end && !text.slice(object.start, last.start).includes('\n');
  const gap = isOneLine ? ' ' : `${style.newline}${inner}`;
  return `${text.slice(0, end)}${comma}${text.slice(end, tail)}${gap}${written}${last.comma === undefined ? '' : ','}${text.slice(tail)}`;
}

function replace(text: string, node: JsonNode, value: Json): string {
  const style = styleOf(text);
  return text.slice(0, node.start) + laidOut(value, indentAt(text, node.start), style) + text.slice(node.end);
}

/** Takes a range out, with its line when nothing else is on it. */
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
