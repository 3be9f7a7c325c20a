// What of the disk belongs to a plugin that was typed: the folder of its program, without what is made, fetched or written there.
import path from 'node:path';
import { kindOf } from '../../../base/search-path.ts';
import type { WatchTargets } from '../../../runtime/watch-files.ts';
import { usageError } from '../context.ts';

export interface WatchRequest {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly home: string;
  /** What the user named beside it. */
  readonly watch?: readonly string[];
  /** Where this host writes itself. */
  readonly ownFolders?: readonly string[];
}

/** @throws PluglotError INVALID_ARGUMENTS when there is nothing to watch */
export function watchTargets(request: WatchRequest): WatchTargets {
  const { command, cwd, home, watch = [], ownFolders = [] } = request;
  const named = watch.map((word) => path.resolve(cwd, word));
  const missing = named.find((place) => kindOf(place) === undefined);
  if (missing !== undefined) throw usageError(`There is nothing to watch at ${missing}.`);
  const entries = entriesOf(command, cwd);
  const folders = [...new Set(entries.map((entry) => path.dirname(entry)))];
  if (named.length + folders.length === 0)
    throw usageError(
      'None of the words behind -- is a file, so that it is not known what to watch. Name it: --watch src',
    );
  const isWide = folders.some((folder) => folder === home || folder === path.parse(folder).root);
  // A wide folder is not the plugin's: then its program alone is.
  const roots = isWide ? entries : folders;
  return {
    paths: [...new Set([...roots, ...named])],
    depth: DEPTH_MAX,
    isIgnored(file, kind) {
      const root = [...named, ...roots].find((each) => isIn(file, each));
      if (root === undefined || kind === 'other' || ownFolders.some((own) => isIn(file, own))) return true;
      if (file === root || entries.includes(file)) return false;
      if (
        path
          .relative(root, file)
          .split(path.sep)
          .some((part) => NOT_OURS.has(part))
      )
        return true;
      // What the user named is watched as it is.
      return kind === 'file' && !named.includes(root) && !CODE.test(file);
    },
  };
}

const DEPTH_MAX = 8;

function isIn(file: string, folder: string): boolean {
  return file === folder || file.startsWith(`${folder}${path.sep}`);
}

/** The words that are files: the program itself where it is a path, or what an interpreter runs. Behind a further `--` are others' words. */
function entriesOf(command: readonly string[], cwd: string): string[] {
  const [program = '', ...args] = command;
  const at = args.indexOf('--');
  const words = [...(program.includes('/') ? [program] : []), ...(at === -1 ? args : args.slice(0, at))];
  return words
    .filter((word) => !word.startsWith('-'))
    .map((word) => path.resolve(cwd, word))
    .filter((file) => {
      const kind = kindOf(file);
      return (kind === 'file' || kind === 'executable') && !file.split(path.sep).includes('node_modules');
    });
}

/** Fetched, made, or kept by others. An entry in one of them is watched all the same: its own folder is where it begins. */
const NOT_OURS: ReadonlySet<string> = new Set([
  '.cache',
  '.git',
  '.hg',
  '.idea',
  '.mypy_cache',
  '.pytest_cache',
  '.svn',
  '.tox',
  '.venv',
  '.vscode',
  '__pycache__',
  'build',
  'coverage',
  'dist',
  'node_modules',
  'out',
  'target',
  'venv',
]);

/** What a plugin is made of; what it writes while it works is mostly something else. */
const CODE =
  /\.(?:[cm]?[jt]sx?|json|py|pyi|toml|ya?ml|rb|go|rs|sh|bash|lua|php|pl|java|kts?|cs|fs|ex|exs|wasm|so|env)$/i;
