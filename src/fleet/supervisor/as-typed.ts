// A program as its user would start it: found like that of a plugin, but with all of the environment that this process has.
import { shellWord } from '../../base/shell-word.ts';
import type { ProgramSpec } from '../../definition/plugin-spec.ts';
import { allowedEnvironment } from './environment.ts';
import type { ProgramLauncher } from './launcher.ts';
import { resolveProgram } from './program.ts';
import { createPython } from './python.ts';
import { PluglotError } from '../../base/error.ts';
import { sentence } from '../../base/sentence.ts';
import type { Running, SpawnOptions } from './spawn.ts';

export interface AsTyped {
  readonly launcher: ProgramLauncher;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** What confined programs can write to. */
  readonly writable: () => Promise<readonly string[]>;
}

/**
 * For a host that starts us in the place of the program: what it hands over is for the program.
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
