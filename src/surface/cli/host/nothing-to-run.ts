// Why a fleet has nothing to run.
import path from 'node:path';
import { PluglotError } from '../../../base/error.ts';
import { sentence, sentences } from '../../../base/sentence.ts';
import { describeProblem, type Problem } from '../../../fleet/discovery/problem.ts';
import type { CommandContext } from '../commands/context.ts';
import type { PluginView } from '../../../runtime/api.ts';

/** Who waits for a fleet that cannot come waits for ever: why there is none, and the way out. `runnable`: how many plugins there are for it. */
export function nothingToRun(
  { cwd, configFile }: CommandContext,
  runnable: number,
  views: readonly PluginView[],
  problems: readonly Problem[],
): PluglotError | undefined {
  const errors = problems.filter(({ severity }) => severity === 'error');
  // What was asked for by its name is not to be replaced by what else there is.
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
  const isInside = views.some(({ dialect, state }) => dialect === 'in-process' && state !== 'disabled');
  const why =
    views.length === 0
      ? 'none is configured'
      : isInside
        ? 'none has a process of its own'
        : 'all are disabled';
  return new PluglotError(
    'UNKNOWN_PLUGIN',
    `There is no plugin to run: ${sentence(why)} Add one with: pluglot add NAME -- COMMAND…`,
  );
}
