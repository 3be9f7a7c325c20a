// How the program that a plugin's manifest names is started. What it names has to lie in the plugin's own folder.
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { canonical, isInside } from '../trust/containment.ts';
import { commandWords } from './command-words.ts';

export type EntryProgram =
  | {
      readonly ok: true;
      readonly command: string;
      readonly args: readonly string[];
      /** Files of the plugin that are run. */
      readonly files: readonly string[];
    }
  | { readonly ok: false; readonly reason: string; readonly wayOut: string };

/** The words are those of a command line: a file of the folder, or a program of the system and a file of the folder. */
export async function entryProgram(
  folder: string,
  given: readonly string[],
  platform: NodeJS.Platform,
): Promise<EntryProgram> {
  const words = given.map((word) => word.replaceAll('${plugin_dir}', folder));
  // `/usr/bin/env python3` is `python3`.
  if (words[0] === '/usr/bin/env') words.splice(0, words[1] === '-S' ? 2 : 1);
  const [program = '', ...args] = words;
  if (program === '') return refuse('it names no program', 'Name the file that is to be started.');

  const local = await locate(folder, program);
  if (local.kind === 'file') {
    const launched = args.length === 0 ? await launchedBy(local.file) : undefined;
    if (launched !== undefined) {
      const started = await entryProgram(folder, launched, platform);
      return started.ok ? { ...started, files: [...started.files, local.file] } : started;
    }
    if (isForWindows(program) && platform !== 'win32') return notThere(program, platform);
    return { ok: true, command: local.file, args, files: await filesIn(folder, [program, ...args]) };
  }
  if (local.kind === 'unfit')
    return refuse(`"${program}" is no file`, 'Name the file that is to be started.');
  const isSystem = path.isAbsolute(program) && systemFolders.has(path.dirname(program));
  if (local.kind === 'outside' && !isSystem) return outside(program);
  if (local.kind === 'absent' && (/[/\\]/.test(program) || looksLikeFile(program)))
    return notThere(program, platform);

  // A program of the system: what it is given to run is the plugin.
  const script = args.find((arg) => !arg.startsWith('-'));
  if (script === undefined || !(looksLikeFile(script) || /[/\\]/.test(script))) {
    return { ok: true, command: program, args, files: await filesIn(folder, args) };
  }
  const found = await locate(folder, script);
  switch (found.kind) {
    case 'file':
      return { ok: true, command: program, args, files: await filesIn(folder, args) };
    case 'outside':
      return outside(script);
    case 'absent':
    case 'unfit':
      return notThere(script, platform);
  }
}

/**
 * What a batch file starts that does nothing else, as `node "%~dp0plugin.js" %*`: plugins for Windows come with one, and what it starts
 * runs anywhere. Undefined when it does more, or is none.
 */
async function launchedBy(file: string): Promise<readonly string[] | undefined> {
  if (!/\.(bat|cmd)$/i.test(file)) return undefined;
  const text = await readFile(file, 'utf8').catch(() => '');
  if (text.length > LAUNCHER_MAX) return undefined;
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const commands = lines.filter(
    (line) => line !== '' && !/^(?:::|@?(?:rem|echo off|setlocal)\b)/i.test(line),
  );
  const [command = '', ...others] = commands;
  const line = command
    .replace(/^@/, '')
    .replace(/\s+%\*$/, '')
    .replaceAll(/%~dp0\\?/gi, './');
  if (others.length > 0 || /[%^!]/.test(line)) return undefined;
  const words = commandWords(line.replaceAll('\\', '/'));
  return words?.[0] === undefined || /\.(bat|cmd)$/i.test(words[0]) ? undefined : words;
}

const LAUNCHER_MAX = 10_000;

/**
 * The files of the folder that the words lead to and that may be run: which of them an interpreter takes for its script, and which it
 * loads before that, only the interpreter knows. What follows the first and is no code is data, which may change.
 */
async function filesIn(folder: string, words: readonly string[]): Promise<string[]> {
  const named = words
    .flatMap((word) => [word, word.slice(word.indexOf('=') + 1)])
    .filter((word) => word !== '');
  const places = named.flatMap((word) => [
    word,
    ...['.js', '.cjs', '.mjs', '/index.js'].map((ending) => word + ending),
    // `python3 -m package.module`
    ...['.py', '/__main__.py', '/__init__.py'].map((ending) => word.replaceAll('.', '/') + ending),
  ]);
  const found = await Promise.all([...new Set(places)].map((place) => locate(folder, place)));
  const files = found
    .flatMap((one) => (one.kind === 'file' ? [one.file] : []))
    .filter((file, index) => index === 0 || isCode.test(file));
  return [...new Set([...files, ...(await ownInterpreter(folder, files))])];
}

const isCode = /\.(py|pyz|js|mjs|cjs|ts|mts|sh|bash|rb|pl|lua|php|jar|wasm|node|so)$/i;

/** The interpreter of a virtual environment is taken before that of the system. One that only leads to the latter is the system's. */
export async function ownInterpreter(folder: string, files: readonly string[]): Promise<string[]> {
  if (!files.some((file) => file.endsWith('.py'))) return [];
  const found = await Promise.all(interpreters.map((place) => locate(folder, place)));
  return found.flatMap((one) => (one.kind === 'file' ? [one.file] : []));
}

const interpreters = ['.venv/bin/python', '.venv/Scripts/python.exe'];

/** Where interpreters live; elsewhere outside of its folder a plugin has nothing to start. */
const systemFolders = new Set(['/bin', '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']);

export type Located =
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'absent' | 'outside' | 'unfit' };

/** A file named by a manifest, by where it really is. */
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

function notThere(name: string, platform: NodeJS.Platform): EntryProgram {
  if (isForWindows(name) && platform !== 'win32') {
    return refuse(`"${name}" is a program for Windows`, 'Name one that runs here, such as "plugin.py".');
  }
  return refuse(`"${name}" is not there`, 'Build the plugin first, or correct the name.');
}

function isForWindows(name: string): boolean {
  return /\.(exe|bat|cmd)$/i.test(name);
}

function looksLikeFile(word: string): boolean {
  return /\.(py|js|mjs|cjs|sh|rb|exe|bat|cmd)$/i.test(word);
}

function outside(name: string): EntryProgram {
  return refuse(
    `"${name}" lies outside of the plugin's folder`,
    'Put the program into the folder, or configure the plugin in pluglot.json.',
  );
}

function refuse(reason: string, wayOut: string): EntryProgram {
  return { ok: false, reason, wayOut };
}
