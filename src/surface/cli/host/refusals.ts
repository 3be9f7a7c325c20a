// Why something that was asked for is not there, and the way out.
import { PluglotError } from '../../../base/error.ts';
import { sentences } from '../../../base/sentence.ts';
import { didYouMean } from '../../../base/suggest.ts';
import { didYouMeanTool, fullName, splitName } from '../../../definition/full-name.ts';
import type { Found, FoundModule } from '../../../fleet/discovery/discover.ts';
import { describeProblem, type Problem as DiscoveryProblem } from '../../../fleet/discovery/problem.ts';
import { refusalOf as refused } from '../../../fleet/discovery/refusal.ts';
import { exampleHint } from '../../../runtime/bundled.ts';
import { inShort } from '../../../fleet/find-tool.ts';

export function unknownPlugin(name: string, known: readonly string[]): PluglotError {
  const list =
    known.length === 0
      ? ' None is configured. Add one with: pluglot add NAME -- COMMAND…'
      : ' `pluglot plugins` lists them.';
  const way = didYouMean(name, known) || `${list}${exampleHint(name)}`;
  return new PluglotError('UNKNOWN_PLUGIN', `There is no plugin "${name.slice(0, 100)}".${way}`);
}

/** Who has no plugin at all has forgotten to name one. */
export function unknownToolOfNobody(tool: string): PluglotError {
  return new PluglotError(
    'UNKNOWN_TOOL',
    `There is no plugin that could have a tool "${tool.slice(0, 100)}". None is configured: type the command of one behind --, or add it with: pluglot add NAME -- COMMAND…`,
  );
}

/** The fleet knows the names of its own tools alone: where it has no better idea, those in this process are looked at. */
export function suggesting(error: PluglotError, tool: string, names: readonly string[]): PluglotError {
  if (error.message.includes(' Did you mean ')) return error;
  return new PluglotError(error.code, `${error.message}${didYouMeanTool(tool, names)}`);
}

export function unknownCommand(name: string, known: readonly string[]): PluglotError {
  const way = didYouMeanTool(name, known) || ' `pluglot run` lists them.';
  return new PluglotError('UNKNOWN_TOOL', `No plugin has a command "${name.slice(0, 100)}".${way}`);
}

export function severalHave(
  kind: 'tool' | 'command',
  name: string,
  plugins: readonly string[],
): PluglotError {
  const names = plugins.map((plugin) => `"${fullName(plugin, name)}"`).join(', ');
  return new PluglotError(
    'UNKNOWN_TOOL',
    `Several plugins have a ${kind} "${name}": name it as one of ${names}.`,
  );
}

export function brokenOf(name: string, problems: readonly DiscoveryProblem[]): PluglotError | undefined {
  const problem = problems.find(({ plugin }) => plugin === name);
  return problem && new PluglotError('CONFIG_INVALID', describeProblem(problem));
}

/** Why something that was found is not in the fleet, or not loaded. */
export function refusalOf(found: Found | FoundModule): PluglotError | undefined {
  return refused(`Plugin "${nameOf(found)}"`, found);
}

export function nameOf(found: Found | FoundModule): string {
  return 'spec' in found ? found.spec.name : found.module.name;
}

/** A tool may be unknown because its plugin may not be asked: then that is what a user has to know. */
export function explained(
  error: Error,
  tool: string,
  found: readonly (Found | FoundModule)[],
  problems: readonly DiscoveryProblem[],
): Error {
  if (!(error instanceof PluglotError) || (error.code !== 'UNKNOWN_TOOL' && error.code !== 'UNKNOWN_PLUGIN'))
    return error;
  const plugin = splitName(tool)?.plugin ?? tool;
  const one = found.find((each) => nameOf(each) === plugin);
  const named = one === undefined ? brokenOf(plugin, problems) : refusalOf(one);
  if (named !== undefined) return named;
  const untrusted = found.filter((one) => refusalOf(one)?.code === 'NOT_TRUSTED');
  if (untrusted.length === 0) return error;
  const names = untrusted.map((each) => `"${nameOf(each)}"`).join(', ');
  const wayOut = untrusted.flatMap(({ trust }) => (trust.trusted ? [] : [trust.wayOut]))[0] ?? '';
  return new PluglotError(
    'NOT_TRUSTED',
    sentences(error.message, `Not asked, since they are not trusted: ${names}`, wayOut),
  );
}

/** A tool or command may be unknown because the module that has it could not be set up: then that is told beside it. */
export function withFailures(error: Error, name: string, failures: ReadonlyMap<string, Error>): Error {
  if (!(error instanceof PluglotError) || error.code !== 'UNKNOWN_TOOL' || failures.size === 0) return error;
  const meant = failures.get(splitName(name)?.plugin ?? name);
  if (meant !== undefined) return meant;
  const list = [...failures].map(([plugin, { message }]) => `${plugin} (${inShort(message)})`).join(', ');
  return new PluglotError('UNKNOWN_TOOL', sentences(error.message, `Could not be loaded: ${list}.`));
}
