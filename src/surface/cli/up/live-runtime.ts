// A runtime that is served until the user interrupts: what `pluglot up` and `pluglot serve --http` have in common.
import { printableLine } from '../../../base/printable.ts';
import { markedLine } from '../log-lines.ts';
import { describeProblem, type Problem } from '../../../fleet/discovery/problem.ts';
import type { Runtime } from '../../../runtime/create-runtime.ts';
import { followConfiguration, type ConfigurationChange } from '../../../runtime/follow-configuration.ts';
import { problemsOf } from '../../../runtime/problems.ts';
import { serverSettings } from '../../../runtime/server-settings.ts';
import { interrupted, type CommandContext } from '../context.ts';
import { withoutBuiltIns } from '../open-runtime.ts';
import { personAt } from '../person.ts';
import { nothingToRun, showProblems } from '../problems.ts';
import { serveRuntime, type ServedRuntime } from './serve-runtime.ts';
import { eventPrinter, questionPrinter } from './event-lines.ts';
import { upScreen } from './up-screen.ts';
import { warn } from '../terminal.ts';

export interface LiveOptions {
  readonly port?: number;
  readonly host?: string;
  readonly open?: boolean;
  /** @default what is configured, else true */
  readonly console?: boolean;
  /** It runs examples, since nothing is configured. @default false */
  readonly hasOnlyExamples?: boolean;
  /** Whether it follows its files. @default true */
  readonly follows?: boolean;
  /** Called as soon as it can be reached. */
  readonly onServed?: (served: ServedRuntime) => void;
}

export async function liveRuntime(
  context: CommandContext,
  runtime: Runtime,
  options: LiveOptions,
): Promise<void> {
  const served = await serve(context, runtime, options);
  const { url, consoleLink: link } = served;
  if (link !== undefined) runtime.useConsole({ url, link });
  options.onServed?.(served);
  try {
    await live(context, runtime, served, options);
  } finally {
    context.err.progress('stopping …');
    await served.close();
  }
}

/** @throws PluglotError why there is nothing to run */
export async function checkRunnable(context: CommandContext, runtime: Runtime): Promise<void> {
  const list = await runtime.plugins();
  const problems = problemsOf(list);
  const runnable = runtime.registry
    .listAvailable()
    .filter((name) => runtime.registry.getPlugin(name)?.origin !== 'built-in');
  const refusal = nothingToRun(context, runnable.length, withoutBuiltIns(list.plugins), problems);
  if (refusal !== undefined) throw refusal;
  showProblems(context, problems);
}

async function serve(
  context: CommandContext,
  runtime: Runtime,
  { port, host, console }: LiveOptions,
): Promise<ServedRuntime> {
  const { server, profiles, problems } = await serverSettings(context);
  showProblems(context, problems);
  return serveRuntime({
    runtime,
    api: runtime,
    settings: {
      ...server,
      ...(port !== undefined && { port }),
      ...(host !== undefined && { host }),
      ...(console === false && { console }),
    },
    profiles,
    warn: (message) => warnLine(context, message),
  });
}

/** Starts all plugins, shows them, and follows them until the user interrupts. */
async function live(
  context: CommandContext,
  runtime: Runtime,
  served: ServedRuntime,
  { open: opens = false, hasOnlyExamples = false, follows = true }: LiveOptions,
): Promise<void> {
  const { signal } = context;
  const { fleet } = runtime;
  const screen = upScreen({ context, host: runtime, served, opens, hasOnlyExamples });
  const show = eventPrinter(context);
  const ends = [
    fleet.onEvent((event) => {
      show(event, screen.isDrawn);
      screen.changed(event);
    }),
    ...(personAt(context) === undefined && served.consoleLink !== undefined
      ? [runtime.approvals.onChanged(questionPrinter(context, `${served.url}/#/approvals`))]
      : []),
  ];
  await screen.begin();
  const starting = runtime.startAll({
    onFailure(name, { message }) {
      if (!signal.aborted) warnLine(context, `${name}: ${message}`);
    },
  });
  await Promise.race([starting, interrupted(signal)]);
  await screen.started(signal.aborted);
  const following = signal.aborted || !follows ? undefined : follow(context, runtime, served);
  await interrupted(signal);
  for (const end of ends) end();
  await (await following)?.close();
}

function follow(context: CommandContext, runtime: Runtime, served: ServedRuntime) {
  const { cwd, home, env, configFile } = context;
  return followConfiguration({
    runtime,
    files: { cwd, home, env, configFile },
    useProfiles: (profiles) => served.useProfiles(profiles),
    onChange: (change) => showChange(context, change),
    onProblems: newProblems(context),
    onError: ({ message }) => warnLine(context, message),
  });
}

/** Shows each problem once, until it is fixed. The first ones have been shown before. */
function newProblems(context: CommandContext): (problems: readonly Problem[]) => void {
  const { err } = context;
  let known: ReadonlyMap<string, Problem> | undefined;
  const isError = ({ severity }: Problem) => severity === 'error';
  return (problems) => {
    const now = new Map(problems.map((problem) => [describeProblem(problem), problem]));
    for (const [text, problem] of now) {
      if (known?.has(text) !== false) continue;
      const rest = isError(problem) && problem.denies !== true ? ' Keeping the last valid version.' : '';
      warn(err, `${printableLine(text, 2000)}${rest}`);
    }
    if (known !== undefined && [...known.values()].some(isError) && ![...now.values()].some(isError))
      err.line(`${err.colours.green('✓')} All files can be read again.`);
    known = now;
  };
}

function showChange({ out, json }: CommandContext, change: ConfigurationChange): void {
  const part = (what: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`${what}: ${names.join(', ')}`];
  const { endedProfiles } = change;
  const parts = [
    ...part('added', change.added),
    ...part('removed', change.removed),
    ...part('started again', change.restarted),
    ...part('at work, to follow later', change.waiting),
    ...(change.isGateReloaded ? ['permission rules and limits reloaded'] : []),
    ...(endedProfiles === undefined ? [] : ['profiles reloaded']),
    ...part('their clients connect again', endedProfiles ?? []),
    ...(change.isServerChanged ? ['"server" takes effect at the next start'] : []),
    ...change.failures,
  ];
  if (parts.length === 0) return;
  const text = printableLine(parts.join('; '), 2000);
  if (json) out.line(JSON.stringify({ at: Date.now(), configuration: text }));
  else out.line(markedLine(out, `${out.colours.cyan('↻')} configuration: `, text));
}

function warnLine({ err }: CommandContext, message: string): void {
  warn(err, printableLine(message, 2000));
}
