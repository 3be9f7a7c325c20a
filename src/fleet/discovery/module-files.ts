// Plugins that are modules in a folder: files that export a function which makes one. They run inside of the host, once they are trusted.
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Claim } from '../trust/trust-store.ts';
import type { Candidates, ModuleCandidate } from './candidate.ts';
import { exportsPlugin, FACTORY } from './exports-plugin.ts';
import { openToEverybody } from './mcp-json.ts';
import { pluginName } from './plugin-name.ts';
import type { Problem } from './problem.ts';

/** The folders `plugins` that nobody has to name: of them modules alone count, since other folders of that name hold anything. */
export async function moduleFiles(folder: string, owner: 'user' | 'project'): Promise<Candidates> {
  const names = await readdir(folder).catch(() => []);
  const modules: ModuleCandidate[] = [];
  const problems: Problem[] = [];
  const files = names.filter((name) => !name.startsWith('.') && isModuleName(name)).sort();
  for (const name of files.slice(0, ENTRIES_LIMIT)) {
    const file = path.join(folder, name);
    const module = await moduleAt(file);
    if (module === undefined) continue;
    const open = owner === 'user' ? await openPlace(file) : undefined;
    if (open !== undefined) problems.push(openToEverybody(open));
    modules.push(owner === 'user' && open === undefined ? { ...module, claim: 'own' } : module);
  }
  return { candidates: [], modules, problems };
}

const ENTRIES_LIMIT = 1000;

/** Undefined when it is something else; what it needs to be trusted is the file itself. */
export async function moduleAt(file: string): Promise<ModuleCandidate | undefined> {
  const name = pluginName(path.parse(file).name);
  if (name === undefined || !isModuleName(file) || !(await exportsPlugin(file))) return undefined;
  const claim: Claim = { root: file, subjects: [], evidence: [{ file }] };
  return { module: { name, file, factory: FACTORY }, origin: { kind: 'folder', file }, claim };
}

function isModuleName(file: string): boolean {
  return /\.m?js$/.test(file);
}

/** The file or its folder, when everybody may write it: whoever may write a folder may put another file there. */
async function openPlace(file: string): Promise<string | undefined> {
  for (const place of [file, path.dirname(file)]) {
    const stats = await stat(place).catch(() => undefined);
    if (stats === undefined || (stats.mode & 0o002) !== 0) return place;
  }
  return undefined;
}
