// Problems of the configuration for a person, and why there is nothing to run.
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';
import { printableLine } from '../../base/printable.ts';
import { sentence, sentences } from '../../base/text.ts';
import { describeProblem, type Problem } from '../../fleet/discovery/problem.ts';
import type { PluginView } from '../../runtime/api.ts';
import type { CommandContext } from './context.ts';

const SHOWN_MAX = 50;

/** Errors; warnings too where all are wanted or with -v. */
export function showProblems(
  { err, verbosity }: CommandContext,
  problems: readonly Problem[],
  which: 'errors' | 'all' = 'errors',
): void {
  const isShown = ({ severity }: Problem) =>
    verbosity > 0 || (verbosity === 0 && (severity === 'error' || which === 'all'));
  const shown = problems.filter(isShown);
  const mark = err.colours.yellow('!');
  for (const problem of shown.slice(0, SHOWN_MAX))
    err.line(`${mark} ${printableLine(describeProblem(problem), 2000)}`);
  if (shown.length > SHOWN_MAX) err.line(`${mark} … and ${shown.length - SHOWN_MAX} more.`);
}

/** `runnable`: how many plugins can be started. */
export function nothingToRun(
  { cwd, configFile }: CommandContext,
  runnable: number,
  views: readonly PluginView[],
  problems: readonly Problem[],
): PluglotError | undefined {
  const errors = problems.filter(({ severity }) => severity === 'error');
  // A file that was named on the command line is not replaced by others.
  const named = errors.find(
    ({ file, plugin }) =>
      configFile !== undefined && plugin === undefined && file === path.resolve(cwd, configFile),
  );
  const problem = named ?? (runnable === 0 ? errors[0] : undefined);
  if (problem !== undefined) return new PluglotError('CONFIG_INVALID', describeProblem(problem));
  if (runnable > 0) return undefined;
  const untrusted = views.flatMap((view) => view.untrusted ?? [])[0];
  if (untrusted !== undefined) {
    const names = views.filter((view) => view.untrusted !== undefined).map(({ name }) => name);
    return new PluglotError(
      'NOT_TRUSTED',
      `No plugin may be run (${names.join(', ')}): ${sentences(untrusted.reason, untrusted.wayOut)}`,
    );
  }
  const isInProcess = views.some(({ dialect, state }) => dialect === 'in-process' && state !== 'disabled');
  const why =
    views.length === 0
      ? 'none is configured'
      : isInProcess
        ? 'none has a process of its own'
        : 'all are disabled';
  return new PluglotError(
    'UNKNOWN_PLUGIN',
    `There is no plugin to run: ${sentence(why)} Add one with: pluglot add NAME -- COMMAND…`,
  );
}
