// What the end of a process means for whoever waits for it.
import { PluglotError, toError } from '../../base/error.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import type { Exit } from './spawn.ts';

export function exitError(spec: PluginSpec, exit: Exit | undefined, failure?: unknown): PluglotError {
  const who = `Plugin "${spec.name}"`;
  if (exit === undefined) {
    const why = failure === undefined ? '.' : `: ${toError(failure).message}`;
    return new PluglotError('PLUGIN_EXITED', `The connection to plugin "${spec.name}" is over${why}`);
  }
  const { stderr } = exit;
  if (exit.kind === 'not-started')
    return new PluglotError('PROGRAM_NOT_FOUND', `${who} could not be started: ${exit.error.message}`, {
      cause: exit.error,
      stderr,
    });
  const how =
    exit.signal === null ? `exited with code ${exit.exitCode}` : `was ended by the signal ${exit.signal}`;
  return new PluglotError('PLUGIN_EXITED', `${who} ${how}.`, { stderr });
}

/** The failure says only that nobody is there any more; the exit of the process tells why. */
export function broken(failure: unknown): boolean {
  return failure instanceof PluglotError && isBreak(failure.code);
}

export function isBreak(code: string): boolean {
  return code === 'PIPE_ENDED' || code === 'PEER_CLOSED';
}
