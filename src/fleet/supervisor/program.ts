// From the command of a spec to what the system can execute: the file, its interpreter, its arguments and its folder.
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';
import { findInPath, kindOf, type SearchPath } from '../../base/search-path.ts';
import { sentence, shellWord } from '../../base/text.ts';
import type { ProgramSpec } from '../../definition/plugin-spec.ts';
import { isInside, placesOnTheWay } from '../trust/paths.ts';
import { allowedEnvironment } from './environment.ts';
import type { PinnedFile, ProgramLauncher } from './launcher.ts';
import { createPython, isWindowsProgram, type Python, readShebang, type Shebang } from './interpreters.ts';
import type { Running, SpawnOptions } from './spawn.ts';

export interface ResolvedProgram {
  /** An absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The script, if an interpreter is executed. */
  readonly script?: string;
}

export interface ProgramContext {
  /** The name of the plugin, for errors. */
  readonly plugin: string;
  /** The PATH that the plugin gets. */
  readonly path: string;
  /** The host's folder: relative paths of a plugin without a folder start here. */
  readonly hostFolder: string;
  /** The program that runs JavaScript. */
  readonly node: string;
  readonly python: Python;
  /** The trusted files, if the plugin needs trust. */
  readonly pinned?: readonly PinnedFile[] | undefined;
}

/**
 * Determines what to execute, without executing anything of the plugin.
 * @throws PluglotError PROGRAM_NOT_FOUND or NOT_TRUSTED
 */
export async function resolveProgram(start: ProgramSpec, context: ProgramContext): Promise<ResolvedProgram> {
  const cwd = workingFolder(start, context);
  const search = { path: context.path, cwd };
  const { file, args: inner } = locate(start, cwd, search, context);
  const args = [...inner, ...(start.args ?? [])];
  const interpreted = await interpreterOf(file, start.folder ?? path.dirname(file), search, context);
  if (interpreted !== undefined) {
    const { command, options } = interpreted;
    return { command, args: [...options, file, ...args], cwd, script: file };
  }
  checkExecutable(file, search, context);
  const command = isPythonName(path.basename(file)) ? await context.python.realOf(file) : file;
  return { command, args, cwd };
}

function workingFolder(start: ProgramSpec, context: ProgramContext): string {
  const base = start.folder ?? context.hostFolder;
  const cwd = path.resolve(base, start.cwd ?? '.');
  if (kindOf(cwd) !== 'folder') {
    fail(
      context,
      `its working folder ${cwd} ${kindOf(cwd) === undefined ? 'does not exist' : 'is not a folder'}. Create it, or correct "cwd".`,
    );
  }
  return cwd;
}

function locate(
  start: ProgramSpec,
  cwd: string,
  search: SearchPath,
  context: ProgramContext,
): { file: string; args: string[] } {
  const own = start.folder === undefined ? [] : [start.folder];
  const folders = { own, all: [...new Set([...own, cwd])] };
  const whole = find(start.command, folders, search, context);
  if (whole !== undefined) return { file: whole, args: [] };
  // A path may contain spaces, so a command is split into words only if the file does not exist.
  const [first, ...args] = splitCommandLine(start.command);
  const file = first === undefined || args.length === 0 ? undefined : find(first, folders, search, context);
  if (file !== undefined) return { file, args };
  return notFound(first ?? start.command, folders.all, search, context);
}

/** A bare name is a file of the plugin, otherwise a program in PATH; never a file of the current folder. */
function find(
  command: string,
  folders: { readonly own: readonly string[]; readonly all: readonly string[] },
  search: SearchPath,
  context: ProgramContext,
): string | undefined {
  const isPath = hasFolder(command);
  for (const folder of isPath ? folders.all : folders.own) {
    const file = path.resolve(folder, slashed(command));
    const kind = kindOf(file);
    if (kind === 'folder' && isPath) {
      fail(context, `${file} is a folder. "command" has to name the program in it.`);
    }
    if (kind === 'executable' || kind === 'file') return file;
  }
  if (isPath) return undefined;
  return (
    findInPath(command, search) ?? (command === 'node' && context.node !== '' ? context.node : undefined)
  );
}

function notFound(
  command: string,
  folders: readonly string[],
  search: SearchPath,
  context: ProgramContext,
): never {
  if (path.isAbsolute(command)) return fail(context, `${command} does not exist. Correct "command".`);
  if (hasFolder(command)) {
    return fail(
      context,
      `there is no ${command} in ${folders.join(' or ')}. Correct "command", or set "cwd".`,
    );
  }
  // If a file exists that only lacks permission, report that instead.
  for (const folder of search.path.split(path.delimiter)) {
    const file = path.resolve(folder, command);
    if (path.isAbsolute(folder) && kindOf(file) === 'file') return notExecutable(file, context);
  }
  const here = kindOf(path.resolve(search.cwd, command));
  const meant = here === undefined || here === 'folder' ? '' : `, or write "./${command}" for the file here`;
  return fail(
    context,
    `there is no program "${command}" in its PATH. Install it, or give its whole path as "command"${meant}.`,
  );
}

/** The interpreter of a script by its extension, even if the script is executable. */
async function interpreterOf(
  file: string,
  folder: string,
  search: SearchPath,
  context: ProgramContext,
): Promise<{ command: string; options: readonly string[] } | undefined> {
  const extension = path.extname(file).toLowerCase();
  const isJavaScript = extension === '.js' || extension === '.mjs' || extension === '.cjs';
  if (!isJavaScript && extension !== '.py') return undefined;
  const shebang = kindOf(file) === 'executable' ? readShebang(file) : undefined;
  if (shebang !== undefined && !speaksFor(shebang, isJavaScript ? isNodeName : isPythonName))
    return undefined;
  if (isJavaScript) return { command: context.node, options: [] };
  // A script that names the interpreter of a virtual environment needs that interpreter.
  const named =
    shebang?.viaEnv === false && kindOf(shebang.program) === 'executable' ? shebang.program : undefined;
  const own = named ?? context.python.own(folder);
  if (own !== undefined && context.pinned !== undefined && isInside(folder, own)) {
    const leadsTo = placesOnTheWay(own).at(-1) ?? own;
    // A pinned shim is started itself: the interpreter behind it is not pinned.
    if (context.pinned.some((pin) => pin.file === leadsTo)) return { command: own, options: ['-u'] };
    if (!(await context.python.isOfSystem(own, folder))) notTrusted(own, leadsTo, folder, context);
  }
  const python = named ?? (await context.python.find(search, folder));
  if (python === undefined) {
    return fail(
      context,
      `${file} needs Python, and neither python3 nor python is in its PATH${findInPath('python3', search) ? ' outside of what confined programs can write to' : ''}. Install Python 3.`,
    );
  }
  // Unbuffered: responses must not wait in a buffer.
  return { command: python, options: ['-u'] };
}

/** Whether the first line names just the interpreter that the file extension implies. */
function speaksFor(shebang: Shebang, isFamily: (name: string) => boolean): boolean {
  return isFamily(path.basename(shebang.program)) && shebang.args.length === 0;
}

function checkExecutable(file: string, search: SearchPath, context: ProgramContext): void {
  if (process.platform !== 'win32' && (/\.(bat|cmd)$/i.test(file) || isWindowsProgram(file))) {
    fail(
      context,
      `${file} is a program for Windows and cannot run here. Name its script or its build for this system as "command".`,
    );
  }
  if (kindOf(file) !== 'executable') notExecutable(file, context);
  const shebang = readShebang(file);
  if (shebang === undefined || shebang.program === '') return;
  if (shebang.hasCarriageReturn) {
    fail(
      context,
      `the first line of ${file} (${shebang.line}) ends in CR LF, so that the system looks for an interpreter of another name. Save it with LF line ends.`,
    );
  }
  const exists =
    shebang.viaEnv && !hasFolder(shebang.program)
      ? // Options and variables are left to env.
        /^-|=/.test(shebang.program) || findInPath(shebang.program, search) !== undefined
      : kindOf(path.resolve(search.cwd, shebang.program)) === 'executable';
  if (!exists) {
    fail(
      context,
      `the first line of ${file} (${shebang.line}) names ${shebang.program}, which is not ${shebang.viaEnv ? 'in its PATH' : 'there'}. Install it, or correct the line.`,
    );
  }
}

function notExecutable(file: string, context: ProgramContext): never {
  return fail(context, `${file} may not be executed. Allow it: chmod +x ${shellWord(file)}`);
}

function fail({ plugin }: ProgramContext, what: string): never {
  throw new PluglotError('PROGRAM_NOT_FOUND', `Plugin "${plugin}" cannot be started: ${what}`);
}

function notTrusted(file: string, leadsTo: string, folder: string, { plugin }: ProgramContext): never {
  const reason =
    file === leadsTo
      ? `"${file}" is not one of the trusted files`
      : `"${file}" leads to "${leadsTo}", which is neither a trusted file nor a Python in PATH`;
  throw new PluglotError(
    'NOT_TRUSTED',
    `Plugin "${plugin}" may not be run: ${sentence(reason)} Create its environment with a Python that is in PATH, or with a copy of it (python3 -m venv --copies .venv), then: pluglot trust add ${shellWord(folder)}`,
  );
}

function hasFolder(command: string): boolean {
  return slashed(command).includes('/');
}

/** Manifests written on Windows separate folders with a backslash. */
function slashed(command: string): string {
  return command.startsWith('.\\') ? command.replaceAll('\\', '/') : command;
}

function isPythonName(name: string): boolean {
  return /^python(\d+(\.\d+)?)?$/.test(name);
}

function isNodeName(name: string): boolean {
  return name === 'node' || name === 'nodejs';
}

// Splits a command line of a manifest into words: `node plugin.js --fast "a b"`.

/** Spaces separate words, quotes keep them together. A backslash is kept, as in Windows paths, unless it escapes a quote. */
export function splitCommandLine(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (character === '\\' && isQuote(line.charAt(at + 1)) && quote !== "'") {
      at += 1;
      word = (word ?? '') + line.charAt(at);
    } else if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else word = (word ?? '') + character;
    } else if (isQuote(character)) {
      quote = character;
      word ??= '';
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + character;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}

function isQuote(character: string): boolean {
  return character === '"' || character === "'";
}

// A program as its user would start it: found like that of a plugin, but with the whole environment of this process.

export interface AsTyped {
  readonly launcher: ProgramLauncher;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Folders that confined programs can write to. */
  readonly writable: () => Promise<readonly string[]>;
}

/**
 * For a host that starts pluglot in place of the program: the environment is meant for the program.
 * @throws PluglotError PROGRAM_NOT_FOUND, START_FAILED
 */
export async function launchAsTyped(
  name: string,
  start: ProgramSpec,
  { launcher, env, cwd, writable }: AsTyped,
  options: SpawnOptions,
): Promise<Running> {
  const allowed = allowedEnvironment(env);
  const program = await resolveProgram(start, {
    plugin: name,
    path: env['PATH'] ?? allowed['PATH'] ?? '',
    hostFolder: cwd,
    node: process.execPath,
    python: createPython(allowed, writable),
  });
  const spawn = await launcher.programs();
  const running = spawn({ ...program, env }, options);
  if (running.pid !== undefined) return running;
  const exit = await running.exited;
  const why = exit.kind === 'not-started' ? exit.error.message : 'it ended at once';
  throw new PluglotError(
    'START_FAILED',
    `${shellWord(program.command)} cannot be started: ${sentence(why)} Try to run it from a terminal.`,
  );
}
