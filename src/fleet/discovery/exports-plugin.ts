// Whether a file of JavaScript is a module that makes a plugin, as far as its text tells: nothing is executed to find out.
import { MiB } from '../../base/limits.ts';
import { readTextFile } from '../trust/regular-file.ts';

/** What a module exports that makes a plugin, unless another name is given. */
export const FACTORY = 'createPlugin';

/** Bundles are large; what is larger still is a program of its own. */
const MODULE_LIMIT = 8 * MiB;

export async function exportsPlugin(file: string): Promise<boolean> {
  const read = await readTextFile(file, MODULE_LIMIT);
  return read.kind === 'read' && namesFactory(read.text);
}

/** How often it is looked at, and how far back: a text may be made to keep a reader busy. */
const MENTIONS_MAX = 1000;
const DECLARATION_BACK = 100;
const BRACE_BACK = 4000;

/** It is exported by a declaration, in a list, or the way of CommonJS. */
export function namesFactory(text: string): boolean {
  let at = text.indexOf(FACTORY);
  for (let count = 0; at !== -1 && count < MENTIONS_MAX; count++) {
    if (isWhole(text, at) && (isDeclared(text, at) || isListed(text, at))) return true;
    at = text.indexOf(FACTORY, at + FACTORY.length);
  }
  return false;
}

function isWhole(text: string, at: number): boolean {
  return !/[\w$]/.test(text[at - 1] ?? ' ') && !/[\w$]/.test(text[at + FACTORY.length] ?? ' ');
}

/** `export function`, `export async function`, `export const`, `exports.createPlugin =` */
function isDeclared(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - DECLARATION_BACK), at);
  if (/\bexports\.$/.test(before))
    return /^\s{0,20}=[^=]/.test(text.slice(at + FACTORY.length, at + FACTORY.length + 30));
  const words = before.trim().split(/\s+/);
  const [exported, ...kind] = words.slice(words.lastIndexOf('export'));
  return exported === 'export' && declarations.has(kind.join(' '));
}

const declarations = new Set(['function', 'async function', 'const', 'let', 'var']);

/** `export { createPlugin }`, `export { other as createPlugin }`, `module.exports = { createPlugin }` */
function isListed(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - BRACE_BACK), at);
  const brace = before.lastIndexOf('{');
  if (brace === -1 || brace < before.lastIndexOf('}')) return false;
  const opener = before.slice(Math.max(0, brace - 40), brace).trimEnd();
  // `export { createPlugin as other }` is another name.
  const isRenamed = /^\s{1,20}as\s/.test(text.slice(at + FACTORY.length, at + FACTORY.length + 30));
  return !isRenamed && /(?:\bexport|\bmodule\.exports\s{0,20}=)$/.test(opener);
}
