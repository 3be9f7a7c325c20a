// Which files of a plugin's folder determine what its command starts: those that are there, and places where one would be found first.
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { isJsonObject, type Json } from '../../base/json.ts';
import { kindOf } from '../../base/search-path.ts';
import { MiB } from '../../base/units.ts';
import { readShebang } from '../supervisor/interpreters.ts';
import { readTextFile } from '../trust/files.ts';
import { canonical, isInside } from '../trust/paths.ts';
import type { Evidence } from '../trust/trust-store.ts';

/** @param words the command line, with the folder of the plugin in the place of its references; it runs in that folder */
export async function startFiles(
  folder: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Evidence[]> {
  const search = new StartSearch(folder, env);
  await search.environment();
  await search.command('', words);
  return search.evidence();
}

/** More places than this are not looked at: each costs a system call at every start. */
const PLACES_MAX = 1000;
const WORDS_MAX = 64;
/** Of scripts that name the interpreter of the next, and of scripts in package.json that run others. */
const DEPTH_MAX = 5;
const PACKAGE_LIMIT = 1 * MiB;

class StartSearch {
  readonly #folder: string;
  readonly #env: Readonly<Record<string, string>>;
  /** Folders of the plugin in its PATH, and those where its interpreter looks for modules. */
  readonly #programFolders: readonly string[];
  readonly #moduleFolders: string[] = [''];
  readonly #named = new Set<string>();
  readonly #places = new Set<string>();
  readonly #followed = new Set<string>();

  constructor(folder: string, env: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.#env = Object.fromEntries(
      Object.entries(env).map(([name, value]) => [name, value.replaceAll('${plugin_dir}', folder)]),
    );
    // A relative folder, and an empty one, is looked for in the working folder.
    const inPath = (this.#env['PATH'] ?? '').split(path.delimiter).map((part) => path.resolve(folder, part));
    this.#programFolders =
      this.#env['PATH'] === undefined ? [] : inPath.filter((part) => isInside(folder, part));
  }

  evidence(): Evidence[] {
    const places = [...this.#places].filter((file) => !this.#named.has(file)).slice(0, PLACES_MAX);
    return [
      ...[...this.#named].map((file) => ({ file })),
      ...places.map((file) => ({ file, isOptional: true })),
    ];
  }

  /** Variables that interpreters load code by, code that others name, and what lies in folders of PATH. */
  async environment(): Promise<void> {
    for (const [name, value] of Object.entries(this.#env)) {
      if (name === 'PATH') continue;
      const isLoader = LOADERS.test(name);
      for (const piece of value.split(/[\s:;,="']+/).slice(0, WORDS_MAX)) {
        const found = piece === '' ? undefined : await locate(this.#folder, piece);
        if (found?.kind === 'file' && (isLoader || isCode(found.file))) this.#places.add(found.file);
        if (!isLoader || found === undefined || found.kind === 'file') continue;
        this.#conventions('', piece.replace(/^-\w(?=.)/, ''));
        if (found.kind === 'unfit') this.#addModuleFolder(piece);
      }
    }
    for (const folder of this.#programFolders)
      for (const name of (await readdir(folder).catch(() => [])).slice(0, PLACES_MAX / 4))
        if (kindOf(path.join(folder, name)) === 'executable') await this.#program(path.join(folder, name), 0);
  }

  /** @param base the folder that it runs in, relative to that of the plugin */
  async command(base: string, words: readonly string[], depth = 0): Promise<void> {
    const [program = '', ...args] = words.slice(0, WORDS_MAX);
    const isBare = !/[/\\]/.test(program);
    if (isBare && program !== '') {
      // A program of the plugin comes before one of the system.
      for (const folder of [this.#folder, ...this.#programFolders])
        await this.#program(path.join(folder, program), depth);
    }
    if (path.basename(program).startsWith('python')) {
      this.#addModuleFolder('libs');
      await this.#interpreters();
    }
    await this.#convention(base, program, args, depth);
    let isFirst = true;
    for (const word of [program, ...args]) {
      for (const piece of piecesOf(word)) {
        const found = await locate(this.#folder, joined(base, piece));
        if (found.kind === 'file') {
          // Only the interpreter knows which of them is its script. Files after the first that are not code are data and may change.
          if (isFirst || isCode(found.file)) await this.#run(found.file, depth);
          isFirst = false;
        } else if (!(word === program && isBare)) await this.#package(base, piece);
      }
      if (/[\s"'();&|]/.test(word)) await this.#script(base, word, depth);
    }
  }

  async #run(file: string, depth: number): Promise<void> {
    (depth === 0 ? this.#named : this.#places).add(file);
    await this.#program(file, depth);
    if (file.endsWith('.py')) await this.#interpreters();
  }

  async #interpreters(): Promise<void> {
    for (const place of interpreters) {
      const found = await locate(this.#folder, place);
      if (found.kind === 'file') this.#named.add(found.file);
    }
  }

  /** A file that may be executed, with the interpreter of its first line. */
  async #program(file: string, depth: number): Promise<void> {
    this.#places.add(file);
    if (depth >= DEPTH_MAX || this.#followed.has(file)) return;
    this.#followed.add(file);
    const shebang = readShebang(file);
    if (shebang === undefined || shebang.program === '') return;
    const { program, args, viaEnv } = shebang;
    const isLookedUp = viaEnv && !program.includes('/');
    const places = isLookedUp
      ? this.#programFolders.map((folder) => path.join(folder, program))
      : [await this.#within(path.resolve(this.#folder, program))];
    for (const place of places) if (place !== undefined) await this.#program(place, depth + 1);
    for (const arg of args)
      for (const piece of piecesOf(arg)) {
        const found = await locate(this.#folder, piece);
        if (found.kind === 'file') await this.#program(found.file, depth + 1);
        else if (viaEnv) for (const one of this.#programFolders) this.#places.add(path.join(one, piece));
      }
  }

  /** The first line may name the folder by its real path. */
  async #within(file: string): Promise<string | undefined> {
    if (isInside(this.#folder, file)) return file;
    const real = (await canonical(this.#folder)) ?? this.#folder;
    return isInside(real, file) ? path.join(this.#folder, path.relative(real, file)) : undefined;
  }

  /** The words of a script for a shell, or of code on the command line. */
  async #script(base: string, script: string, depth: number): Promise<void> {
    if (depth >= DEPTH_MAX) return;
    for (const command of script.split(/[;&|\n()]+/)) {
      const words = command
        .replaceAll(/["'`$<>{}]/g, ' ')
        .split(/\s+/)
        .filter((word) => word !== '');
      const begin = words.findIndex((word) => !/^(?:exec|command|env|nohup|\w+=.*)$/.test(word));
      if (begin !== -1) await this.command(base, words.slice(begin), depth + 1);
    }
  }

  /** Files that a program reads without being given their names. */
  async #convention(base: string, program: string, args: readonly string[], depth: number): Promise<void> {
    const name = path.basename(program).replace(/\.(?:exe|cmd)$/i, '');
    const files = CONVENTIONS[name] ?? [];
    for (const folder of files.length === 0 ? [] : ['', ...args.filter((arg) => !arg.startsWith('-'))])
      for (const file of files) {
        const place = this.#add(joined(base, folder, file));
        if (file === 'package.json' && place !== undefined)
          await this.#packageScripts(place, joined(base, folder), args, depth);
      }
  }

  async #packageScripts(file: string, base: string, args: readonly string[], depth: number): Promise<void> {
    const scripts = (await readPackage(file))?.['scripts'];
    if (!isJsonObject(scripts) || depth >= DEPTH_MAX) return;
    for (const [name, script] of Object.entries(scripts))
      if (typeof script === 'string' && args.includes(name.replace(/^(?:pre|post)/, '')))
        await this.#script(base, script, depth);
  }

  /** What node or bun start for the name of a folder, and others for a name without its ending. */
  async #package(base: string, name: string): Promise<void> {
    this.#conventions(base, name);
    const file = this.#add(joined(base, name, 'package.json'));
    const main = file === undefined ? undefined : (await readPackage(file))?.['main'];
    if (typeof main !== 'string') return;
    this.#add(joined(base, name, main));
    this.#conventions(base, joined(name, main));
  }

  #conventions(base: string, name: string): void {
    for (const ending of ENDINGS) this.#add(joined(base, name + ending));
    for (const index of INDEXES) this.#add(joined(base, name, index));
    if (!/^[A-Za-z_][\w.]*$/.test(name)) return;
    // `python3 -m package.module` runs the packages that it is in before it.
    const parts = name.split('.');
    for (const folder of this.#moduleFolders)
      for (let count = 1; count <= parts.length; count++) {
        const module = joined(base, folder, ...parts.slice(0, count));
        for (const ending of ['.py', '.pyc', '.so', '/__init__.py', '/__main__.py'])
          this.#add(module + ending);
      }
  }

  #addModuleFolder(folder: string): void {
    this.#moduleFolders.push(path.relative(this.#folder, path.resolve(this.#folder, folder)));
    for (const name of ['sitecustomize.py', 'usercustomize.py']) this.#add(path.join(folder, name));
  }

  #add(name: string): string | undefined {
    const file = path.resolve(this.#folder, name);
    if (file === this.#folder || !isInside(this.#folder, file)) return undefined;
    this.#places.add(file);
    return file;
  }
}

/** Of interpreters and of what starts them: variables that name code to load. */
const LOADERS =
  /^(?:NODE_|BASH_ENV$|ENV$|PYTHON|LD_|DYLD_|PERL|RUBY|GEM_|BUNDLE_|LUA_|JAVA_|_JAVA_|JDK_|CLASSPATH$|MAKE|PHP|NPM_CONFIG_|DENO_|BUN_|DOTNET_)/i;

const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];
const PACKAGE_FILES = [
  'package.json',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pnpmfile.cjs',
  'bunfig.toml',
  'server.js',
];
const PYTHON_PROJECT = ['pyproject.toml', 'uv.toml', 'poetry.toml', 'Pipfile', '.env'];
const CONVENTIONS: Readonly<Record<string, readonly string[]>> = {
  make: MAKEFILES,
  gmake: MAKEFILES,
  just: ['justfile', 'Justfile', '.justfile'],
  npm: PACKAGE_FILES,
  npx: PACKAGE_FILES,
  pnpm: PACKAGE_FILES,
  yarn: PACKAGE_FILES,
  bun: PACKAGE_FILES,
  deno: ['deno.json', 'deno.jsonc', 'package.json'],
  uv: PYTHON_PROJECT,
  poetry: PYTHON_PROJECT,
  pipenv: PYTHON_PROJECT,
  bundle: ['Gemfile', 'Rakefile'],
  rake: ['Rakefile', 'rakefile'],
};

const ENDINGS = ['.js', '.cjs', '.mjs', '.json', '.node', '.ts', '.mts', '.py', '.rb', '.lua', '.pm'];
const INDEXES = ['index.js', 'index.json', 'index.node', 'index.ts', '__main__.py', '__init__.py'];

/** The environment that Python programs are started in, where they have one. */
const interpreters = ['.venv/bin/python', '.venv/Scripts/python.exe'];

/** A word; what stands behind its `=`, and behind an option of one letter, as in `-mpackage` and `-r./hook.cjs`. */
function piecesOf(word: string): string[] {
  const option = /^-\w(.+)$/s.exec(word)?.[1] ?? '';
  const value = word.includes('=') ? word.slice(word.indexOf('=') + 1) : '';
  const pieces = [word.startsWith('-') ? '' : word, option, value];
  return [...new Set(pieces)].filter((piece) => piece !== '' && piece.length < PIECE_MAX);
}

const PIECE_MAX = 1024;

/** An absolute path stays as it is. */
function joined(base: string, ...names: readonly string[]): string {
  return names.reduce((place, name) => (path.isAbsolute(name) ? name : path.join(place, name)), base);
}

function isCode(file: string): boolean {
  const name = path.basename(file);
  return CODE.test(name) || (!name.includes('.') && kindOf(file) === 'executable');
}

const CODE =
  /\.(?:py|pyc|pyz|js|mjs|cjs|ts|mts|cts|jsx|tsx|sh|bash|zsh|fish|rb|pl|pm|lua|php|jar|wasm|node|so|dylib|dll|env|mk)$|^\.env/i;

async function readPackage(file: string): Promise<Record<string, Json> | undefined> {
  const read = await readTextFile(file, PACKAGE_LIMIT);
  try {
    const value = read.kind === 'read' ? (JSON.parse(read.text) as Json) : undefined; // what JSON.parse gives is JSON
    return value !== undefined && isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export type Located =
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'absent' | 'outside' | 'unfit' };

/** The real path of a file that a manifest names. */
export async function locate(folder: string, name: string): Promise<Located> {
  // Manifests written on Windows name their files with backslashes.
  const file = path.resolve(folder, path.sep === '/' ? name.replaceAll('\\', '/') : name);
  if (!isInside(folder, file)) return { kind: 'outside' };
  const [realFolder, realFile] = await Promise.all([canonical(folder), canonical(file)]);
  if (realFolder === undefined || realFile === undefined) return { kind: 'absent' };
  if (!isInside(realFolder, realFile)) return { kind: 'outside' };
  const stats = await stat(realFile).catch(() => undefined);
  return stats?.isFile() ? { kind: 'file', file } : { kind: 'unfit' };
}
