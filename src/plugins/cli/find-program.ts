// The programs of a command line after the gate has decided: exactly its words, or the line in a shell.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { toError } from '../../base/error.ts';
import { findInPath, kindOf } from '../../base/search-path.ts';
import { shown } from '../../base/text.ts';
import { didYouMean } from '../../base/names.ts';
import type { CommandSandbox, Execution, PermittedCommand } from '../../definition/caller.ts';
import { fail } from '../../definition/failure.ts';
import type { Program } from '../../fleet/supervisor/spawn.ts';
import { leadsInto, pathOutside } from '../../fleet/trust/paths.ts';
import { readLine } from '../../gate/policy/shell/read-line.ts';
import type { Sandbox } from '../../gate/sandbox/sandbox.ts';
import type { NotRun, RunStep } from './run.ts';
import type { Settings } from './settings.ts';

export interface Place {
  readonly settings: Settings;
  /** Where it runs. */
  readonly cwd: string;
  /** Undefined: not available here. */
  readonly sandbox: Sandbox | undefined;
  /** What confined programs can write to. */
  readonly writable: readonly string[];
}

/**
 * @param text all of the line, for a shell
 * @throws Failure REQUIREMENT_MISSING or INVALID_ARGUMENTS when the only program of the line, or the shell, cannot be run
 */
export async function stepsOf(execution: Execution, text: string, place: Place): Promise<readonly RunStep[]> {
  if (execution.kind === 'as-written') {
    const shell = shellProgram(text, place);
    // Plain words need no shell.
    return shell
      ? [{ after: ';', programs: () => [shell] }]
      : stepsOf(wordsOf(text, [], undefined), text, place);
  }
  const { steps } = execution;
  const [only] = steps.length === 1 ? (steps[0]?.pipeline ?? []) : [];
  // Nothing has run yet, so the error can say more than a shell would print.
  if (only !== undefined && steps[0]?.pipeline.length === 1) await checkProgram(only, place);
  return steps.map(({ after, pipeline }) => ({
    after,
    programs: () => pipeline.map((command) => programOf(command, place)),
  }));
}

function programOf(command: PermittedCommand, place: Place): Program | NotRun {
  const [name = '', ...args] = command.words;
  const file = findFile(name, command, place);
  if (typeof file !== 'string') return file;
  const { cwd, settings } = place;
  const program = { command: file, args, cwd, env: { ...settings.env, PWD: cwd, ...command.env } };
  if (command.sandbox === undefined) {
    // Scripts and programs look for other programs there.
    const searchPath = pathOutside(settings.env['PATH'] ?? '', place.writable);
    return { ...program, env: { ...program.env, PATH: searchPath } };
  }
  try {
    return confined(program, command.sandbox, place);
  } catch (thrown) {
    return { exitCode: 126, message: `${name}: ${toError(thrown).message}` };
  }
}

function confined(program: Program, { access, network, folders }: CommandSandbox, place: Place): Program {
  const { sandbox, settings } = place;
  if (sandbox === undefined) throw new Error('it may only run in the sandbox, which is not available here');
  return sandbox.confine(program, {
    workspace: settings.folder,
    access,
    network,
    folders: folders.map((folder) => ({ ...folder, path: settings.absolute(folder.path) })),
  });
}

/** Searches as a shell does, and fails with its messages. */
function findFile(
  name: string,
  { sandbox }: PermittedCommand,
  { settings, cwd, writable }: Place,
): string | NotRun {
  if (!name.includes('/')) {
    // A file that a confined program can write must not run outside of the sandbox.
    const accept = (file: string) => sandbox !== undefined || !leadsInto(writable, file);
    const found = findInPath(name, { path: settings.env['PATH'] ?? '', cwd }, accept);
    return found ?? { exitCode: 127, message: `${name}: command not found` };
  }
  const file = path.resolve(cwd, name);
  switch (kindOf(file)) {
    case 'executable':
      return file;
    case 'file':
      return { exitCode: 126, message: `${name}: Permission denied` };
    case 'folder':
      return { exitCode: 126, message: `${name}: Is a directory` };
    case undefined:
      return { exitCode: 127, message: `${name}: No such file or directory` };
  }
}

/** @throws Failure */
async function checkProgram(command: PermittedCommand, place: Place): Promise<void> {
  const [name = ''] = command.words;
  if (typeof findFile(name, command, place) === 'string') return;
  if (!name.includes('/')) await notInPath(name, place.settings.env['PATH'] ?? '');
  const file = path.resolve(place.cwd, name);
  switch (kindOf(file)) {
    case 'folder':
      return fail({ code: 'INVALID_ARGUMENTS', message: `${shown(name)} is a folder, not a program.` });
    case undefined:
      return fail({
        code: 'REQUIREMENT_MISSING',
        message: `The program ${shown(name)} does not exist (looked for at ${file}).`,
      });
    default:
      return fail({
        code: 'INVALID_ARGUMENTS',
        message: `${shown(name)} is not executable. Make it so (chmod +x), or start it with its interpreter.`,
      });
  }
}

/**
 * `--` ends the options of the shell, so that the line cannot begin with one; without `--norc` bash would read ~/.bashrc, because Node's pipes look
 * like a network connection to it.
 */
function shellProgram(line: string, { settings, cwd, writable }: Place): Program | undefined {
  const { shell = 'bash' } = settings;
  // The person approved `make`, not a file of that name that a confined program put into the project.
  const searchPath = [pathOutside(settings.env['PATH'] ?? '', writable), ...settings.extraPaths].join(
    path.delimiter,
  );
  const env: Settings['env'] = { ...settings.env, PATH: searchPath, PWD: cwd };
  const folders = [searchPath, '/usr/bin', '/bin'].join(path.delimiter);
  const command = path.isAbsolute(shell)
    ? shell
    : findInPath(shell, { path: folders, cwd: '/' }, (file) => !leadsInto(writable, file));
  if (command === undefined || kindOf(command) !== 'executable') {
    if (readLine(line).kind === 'literal') return undefined;
    return fail({
      code: 'REQUIREMENT_MISSING',
      message: `The shell ${shown(shell)} for this command was not found. Install it, or name another one as "shell" in the configuration of plugin "cli"; plain words need no shell.`,
    });
  }
  const options = path.basename(command) === 'bash' ? ['--noprofile', '--norc'] : [];
  return { command, args: [...options, '-c', '--', line], cwd, env };
}

async function notInPath(name: string, searchPath: string): Promise<never> {
  const refused = findInPath(name, { path: searchPath, cwd: '/' });
  if (refused !== undefined)
    return fail({
      code: 'REQUIREMENT_MISSING',
      message: `Executable ${shown(name)} is not run outside of the sandbox: programs in the sandbox can write to where it was found (${refused}). Install it elsewhere, or write a rule with its path.`,
      data: { dependency: name },
    });
  return fail({
    code: 'REQUIREMENT_MISSING',
    message: `Executable ${shown(name)} was not found in PATH.${didYouMean(name, await programsIn(searchPath))} Install it, give its whole path, or add its folder to "extra_paths" in the configuration of plugin "cli".`,
    data: { dependency: name, config_key: 'extra_paths' },
  });
}

/** Enough for any machine, and a limit to what a strange PATH can cost. */
const MOST_PROGRAMS = 20_000;

async function programsIn(searchPath: string): Promise<Set<string>> {
  const programs = new Set<string>();
  for (const folder of new Set(searchPath.split(path.delimiter))) {
    if (!path.isAbsolute(folder)) continue;
    const names = await readdir(folder).catch((): string[] => []);
    for (const name of names.slice(0, MOST_PROGRAMS - programs.size)) programs.add(name);
  }
  return programs;
}

/** Without a decision of the gate: literal words, in the sandbox. */
export function undecided(command: string, args: readonly string[]): Execution {
  return wordsOf(command, args, { access: 'writable', network: false, folders: [] });
}

function wordsOf(command: string, args: readonly string[], sandbox: CommandSandbox | undefined): Execution {
  const reading = readLine(command, args);
  if (reading.kind === 'other')
    return fail({
      code: 'PERMISSION_DENIED',
      message: `This command ${reading.reason}, so it needs a shell, which was not approved. Write it as plain words.`,
    });
  const steps = reading.steps.map(({ after, pipeline }) => ({
    after,
    pipeline: pipeline.map((words) => ({ words, sandbox })),
  }));
  return { kind: 'words', steps };
}
