// Plugins in folders: subfolders with a manifest, and programs and modules. Nothing is started.
import { constants } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { canonical } from '../trust/paths.ts';
import { type Candidate, type Candidates, type ModuleCandidate, pluginName } from './candidate.ts';
import { entryProgram } from './entry-program.ts';
import { gassistFolder, yamsFolder } from './manifest-folders.ts';
import { moduleAt } from './module-files.ts';
import type { Problem } from './problem.ts';
import { startFiles } from './start-files.ts';

/** `named` is where the folder was named, for the error that it is missing. */
export async function pluginFolders(
  folder: string,
  platform: NodeJS.Platform,
  named: { readonly file: string; readonly line?: number },
): Promise<Candidates> {
  const itself = await withManifest(folder, platform);
  if (itself) return itself;
  const trouble = (reason: string, wayOut: string): Problem => ({
    ...named,
    severity: 'error',
    reason,
    wayOut,
  });
  const listing = await list(folder);
  if (typeof listing === 'string') {
    return {
      candidates: [],
      problems: [trouble(`the folder "${folder}" ${listing}`, 'Correct the path, or create it.')],
    };
  }
  const candidates: Candidate[] = [];
  const modules: ModuleCandidate[] = [];
  const problems: Problem[] = [];
  if (listing.length > ENTRIES_LIMIT) {
    const reason = `the folder "${folder}" has ${listing.length} entries; only ${ENTRIES_LIMIT} are looked at`;
    problems.push({ ...trouble(reason, 'Give the plugins a folder of their own.'), severity: 'warning' });
  }
  for (const name of listing.slice(0, ENTRIES_LIMIT)) {
    const found = await pluginAt(path.join(folder, name), platform);
    candidates.push(...(found?.candidates ?? []));
    modules.push(...(found?.modules ?? []));
    problems.push(...(found?.problems ?? []));
  }
  return { candidates, modules, problems };
}

const ENTRIES_LIMIT = 1000;

/** Sorted, so that the order is the same everywhere; or why not. */
async function list(folder: string): Promise<string[] | string> {
  try {
    const names = await readdir(folder);
    return names.filter((name) => !name.startsWith('.') && !ignored.has(name)).sort();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return 'does not exist';
    if (code === 'ENOTDIR') return 'is not a folder';
    return code === 'EACCES' ? 'may not be read by this user' : `cannot be read (${String(code)})`;
  }
}

const ignored = new Set(['node_modules', '__pycache__']);

async function pluginAt(place: string, platform: NodeJS.Platform): Promise<Candidates | undefined> {
  const stats = await stat(place).catch(() => undefined);
  if (stats?.isDirectory()) return (await withManifest(place, platform)) ?? withoutManifest(place, platform);
  if (!stats?.isFile()) return undefined;
  const module = await moduleAt(place);
  if (module !== undefined) return { candidates: [], modules: [module], problems: [] };
  if (!(await isProgram(place, platform))) return undefined;
  // A link counts as the program that it leads to, with the folder of that program: others may control the folder of the link.
  return single(place, path.dirname((await canonical(place)) ?? place));
}

async function withManifest(folder: string, platform: NodeJS.Platform): Promise<Candidates | undefined> {
  return (await yamsFolder(folder, platform)) ?? gassistFolder(folder, platform);
}

/** Usual names of programs in a folder of their own. */
async function withoutManifest(folder: string, platform: NodeJS.Platform): Promise<Candidates | undefined> {
  for (const name of platform === 'win32' ? ['plugin.exe', ...usual] : ['plugin', ...usual]) {
    const program = await entryProgram(folder, [`./${name}`], platform);
    if (program.ok) return single(path.join(folder, name), folder, path.basename(folder));
  }
  return undefined;
}

const usual = ['plugin.py', 'plugin.mjs', 'plugin.js'];

/** Its dialect is detected when it is trusted. */
async function single(file: string, folder: string, title = path.parse(file).name): Promise<Candidates> {
  const name = pluginName(title);
  if (name === undefined) {
    const reason = 'its name has no letter or digit that could name a plugin';
    return { candidates: [], problems: [{ file, severity: 'error', reason, wayOut: 'Rename it.' }] };
  }
  const others = (await startFiles(folder, [file])).filter((one) => one.file !== file);
  const isOwnFolder = title !== path.parse(file).name || others.length > 0;
  return {
    candidates: [
      {
        spec: { name, start: { kind: 'program', command: file, cwd: folder, folder } },
        origin: { kind: 'folder', file },
        claim: {
          root: isOwnFolder ? folder : file,
          subjects: [],
          evidence: [{ file }, ...others],
        },
      },
    ],
    problems: [],
  };
}

async function isProgram(file: string, platform: NodeJS.Platform): Promise<boolean> {
  const { ext } = path.parse(file);
  if (scripts.has(ext)) return true;
  if (platform === 'win32') return ['.exe', '.bat', '.cmd'].includes(ext.toLowerCase());
  // Some file systems mark every file as executable, so the name has to look like a program too.
  if (!programs.has(ext)) return false;
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

const scripts = new Set(['.py', '.js', '.mjs', '.cjs']);
const programs = new Set(['', '.sh', '.bash', '.rb', '.pl', '.bin']);
