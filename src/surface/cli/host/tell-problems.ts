// What is wrong with what was found, to a person, once.
import { printableLine } from '../../../base/printable.ts';
import type { Discovery } from '../../../fleet/discovery/discover.ts';
import { describeProblem } from '../../../fleet/discovery/problem.ts';
import type { PluginList } from '../../../runtime/api.ts';
import type { CommandContext } from '../commands/context.ts';

/** Those that no state of a plugin tells. */
export function problemsOf({ plugins, problems }: PluginList): PluginList['problems'] {
  const told = new Set(
    plugins.flatMap(({ name, reason, untrusted }) =>
      reason === undefined && untrusted === undefined ? [] : [name],
    ),
  );
  const isTold = ({ plugin }: PluginList['problems'][number]) => plugin !== undefined && told.has(plugin);
  // The same may be found by whoever looks for plugins and by the gate.
  const others = problems.filter((problem) => !isTold(problem));
  return [...new Map(others.map((problem) => [describeProblem(problem), problem])).values()];
}

/** What is left out is told; what is merely odd only to those who want to hear all. */
export function tellProblems(
  { err, verbosity }: CommandContext,
  problems: Discovery['problems'],
  which: 'errors' | 'all' = 'errors',
): void {
  const isTold = ({ severity }: Discovery['problems'][number]) =>
    verbosity > 0 || (verbosity === 0 && (severity === 'error' || which === 'all'));
  const told = problems.filter(isTold);
  const mark = err.colours.yellow('!');
  for (const problem of told.slice(0, TOLD_MAX))
    err.line(`${mark} ${printableLine(describeProblem(problem), 2000)}`);
  if (told.length > TOLD_MAX) err.line(`${mark} … and ${told.length - TOLD_MAX} more.`);
}

/** Nobody reads more. */
const TOLD_MAX = 50;
