// Plugins that are modules in a folder: files that export a function which creates one. They run inside the host, once they are trusted.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { MiB } from '../../base/units.ts';
import { otherWriters } from '../trust/paths.ts';
import { readTextFile } from '../trust/files.ts';
import type { Claim } from '../trust/trust-store.ts';
import { type Candidates, type ModuleCandidate, pluginName } from './candidate.ts';
import { notOnlyTheUsers } from './mcp-json.ts';
import type { Problem } from './problem.ts';

/** The default `plugins` folders: only modules count there, since such folders may hold anything. */
export async function moduleFiles(folder: string, owner: 'user' | 'project'): Promise<Candidates> {
  const names = await readdir(folder).catch(() => []);
  const modules: ModuleCandidate[] = [];
  const problems: Problem[] = [];
  const files = names.filter((name) => !name.startsWith('.') && isModuleName(name)).sort();
  for (const name of files.slice(0, ENTRIES_LIMIT)) {
    const file = path.join(folder, name);
    const module = await moduleAt(file);
    if (module === undefined) continue;
    const open = owner === 'user' ? otherWriters(file, 'configuration') : undefined;
    if (open !== undefined) problems.push(notOnlyTheUsers(file, open));
    modules.push(owner === 'user' && open === undefined ? { ...module, claim: 'own' } : module);
  }
  return { candidates: [], modules, problems };
}

const ENTRIES_LIMIT = 1000;

/** Undefined if it is something else. The file itself has to be trusted. */
export async function moduleAt(file: string): Promise<ModuleCandidate | undefined> {
  const name = pluginName(path.parse(file).name);
  if (name === undefined || !isModuleName(file) || !(await exportsPlugin(file))) return undefined;
  const claim: Claim = { root: file, subjects: [], evidence: [{ file }] };
  return { module: { name, file, factory: FACTORY }, origin: { kind: 'folder', file }, claim };
}

function isModuleName(file: string): boolean {
  return /\.m?js$/.test(file);
}

// Whether a JavaScript file exports a function that creates a plugin, judged by its text: nothing is executed.

/** The default name of the exported function. */
export const FACTORY = 'createPlugin';

/** Bundles are large; a larger file is not a plugin. */
const MODULE_LIMIT = 8 * MiB;

async function exportsPlugin(file: string): Promise<boolean> {
  const read = await readTextFile(file, MODULE_LIMIT);
  return read.kind === 'read' && namesFactory(read.text);
}

/** Limits of the search: a hostile text could make it slow. */
const MENTIONS_MAX = 1000;
const DECLARATION_BACK = 100;
const BRACE_BACK = 4000;

/** Exported by a declaration, in a list, or as in CommonJS. */
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
