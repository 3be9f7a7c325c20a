// Problems of the configuration that no state of a plugin shows.
import { describeProblem } from '../fleet/discovery/problem.ts';
import type { PluginList } from './api.ts';

/** Each once. */
export function problemsOf({ plugins, problems }: PluginList): PluginList['problems'] {
  const shown = new Set(
    plugins.flatMap(({ name, reason, untrusted }) =>
      reason === undefined && untrusted === undefined ? [] : [name],
    ),
  );
  const others = problems.filter(({ plugin }) => plugin === undefined || !shown.has(plugin));
  // Discovery and the gate may find the same.
  return [...new Map(others.map((problem) => [describeProblem(problem), problem])).values()];
}
