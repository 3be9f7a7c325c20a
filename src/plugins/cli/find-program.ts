// From a command line that was read to the program that the system starts: exactly what the rules decided on.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { findInPath, kindOf } from '../../base/search-path.ts';
import { shown } from '../../base/shown.ts';
import { didYouMean } from '../../base/suggest.ts';
import { fail } from '../../definition/failure.ts';
import type { Program } from '../../fleet/supervisor/spawn.ts';
import type { CommandLine } from '../../gate/policy/shell/command-line.ts';
import type { Settings } from './settings.ts';

/**
 * What cannot be read was asked about as it stands, so it is run as it stands; `text` is all of it.
 * @throws Failure REQUIREMENT_MISSING when it is not there, INVALID_ARGUMENTS when it cannot be run
 */
export async function findProgram(
  line: CommandLine,
  text: string,
  settings: Settings,
  cwd: string,
): Promise<Program> {
  const env: Settings['env'] = { ...settings.env, PWD: cwd };
  switch (line.kind) {
    case 'argv': {
      const [name = '', ...args] = line.words;
      return { command: await findFile(name, env['PATH'] ?? '', cwd), args, cwd, env };
    }
    case 'shell':
      return { ...shellProgram(line.script, settings), cwd, env };
    case 'unreadable':
      return { ...shellProgram(text, settings), cwd, env };
  }
}

async function findFile(name: string, searchPath: string, cwd: string): Promise<string> {
  if (!name.includes('/')) return findInPath(name, { path: searchPath, cwd }) ?? notInPath(name, searchPath);
  const file = path.resolve(cwd, name);
  switch (kindOf(file)) {
    case 'executable':
      return file;
    case 'file':
      return fail({
        code: 'INVALID_ARGUMENTS',
        message: `${shown(name)} is not executable. Make it so (chmod +x), or start it with its interpreter.`,
      });
    case 'folder':
      return fail({ code: 'INVALID_ARGUMENTS', message: `${shown(name)} is a folder, not a program.` });
    case undefined:
      return fail({
        code: 'REQUIREMENT_MISSING',
        message: `There is no program ${shown(name)} (looked for at ${file}).`,
      });
  }
}

/**
 * The rules read commands as bash does, so bash is what runs them: another shell may see other commands in the same text.
 * `--` ends the options of the shell, whatever the script begins with; without `--norc` bash would read ~/.bashrc, because Node's pipes look
 * like a network connection to it.
 */
function shellProgram(script: string, { shell = 'bash', env }: Settings): Pick<Program, 'command' | 'args'> {
  const folders = [env['PATH'] ?? '', '/usr/bin', '/bin'].join(path.delimiter);
  const command = path.isAbsolute(shell) ? shell : findInPath(shell, { path: folders, cwd: '/' });
  if (command === undefined || kindOf(command) !== 'executable') {
    return fail({
      code: 'REQUIREMENT_MISSING',
      message: `This command has shell syntax, and there is no shell ${shown(shell)} to run it. Install it, or name another one as "shell" in the configuration of plugin "cli"; commands without shell syntax need none.`,
    });
  }
  const options = path.basename(command) === 'bash' ? ['--noprofile', '--norc'] : [];
  return { command, args: [...options, '-c', '--', script] };
}

async function notInPath(name: string, searchPath: string): Promise<never> {
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
