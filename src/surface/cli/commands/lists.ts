// `pluglot plugins`, `status` and `tools`: what there is, as tables.
import { PluglotError, toError } from '../../../base/error.ts';
import type { Problem } from '../../../fleet/discovery/problem.ts';
import { ExitCode } from '../exit-code.ts';
import { shellWord } from '../../../base/shell-word.ts';
import type { PluginView, SandboxView, ToolView } from '../../../runtime/api.ts';
import { withoutBuiltIns, type Host } from '../host/host.ts';
import { problemsOf, tellProblems } from '../host/tell-problems.ts';
import { withHost } from '../host/with-host.ts';
import { printable, printableLine } from '../../../base/printable.ts';
import { sentences } from '../../../base/sentence.ts';
import { table, tableWidth } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import type { CommandContext } from './context.ts';
import { describeDialect, describeSandbox, describeState } from './states.ts';

export interface Shown {
  /** The built-in ones too. @default false */
  readonly all?: boolean;
}

/** All that is configured or found, and what keeps it from being used. */
export async function plugins(context: CommandContext, { all = false }: Shown): Promise<ExitCode> {
  const { out, err, json } = context;
  return withHost(context, { tellsProblems: false, builtIns: all }, async (host) => {
    const list = await host.plugins({ fresh: true });
    const views = shownOf(list.plugins, all);
    const problems = problemsOf(list);
    // Who asks what there is wants to hear of all that does not count.
    tellProblems(context, problems, 'all');
    if (json) out.line(JSON.stringify(views, (key, value: unknown) => (key === 'stats' ? undefined : value)));
    else if (views.length === 0) {
      tellNone(err, problems);
      tellHidden(context, all);
    }
    if (json || views.length === 0) return exitCodeOf(views, problems);
    const { cyan, dim, bold } = out.colours;
    const columns = [
      { title: 'NAME', style: cyan },
      { title: 'DIALECT', spare: 1 },
      { title: 'STATE' },
      { title: 'FROM', style: dim, spare: 2 },
    ];
    const rows = views.map((view) => [
      view.name,
      describeDialect(view),
      (view.untrusted === undefined ? view.state : 'not trusted') + describeSandbox(view),
      shownPlace(view.from ?? view.command, context),
    ]);
    for (const line of table(columns, rows, tableWidth(context), bold)) out.line(line);
    tellUntrusted(context, views);
    tellChanged(context, views);
    tellHidden(context, all);
    return ExitCode.ok;
  });
}

function shownOf(views: readonly PluginView[], all: boolean): readonly PluginView[] {
  return all ? views : withoutBuiltIns(views);
}

/** For a person who wonders where they are. */
function tellHidden({ out, err }: CommandContext, all: boolean): void {
  if (!all && out.live) err.line(err.colours.dim('The built-in ones are not shown; --all shows them.'));
}

function tellNone(err: Terminal, problems: readonly Problem[]): void {
  const isBroken = problems.some(({ severity }) => severity === 'error');
  err.line(isBroken ? 'No plugins.' : 'No plugins. Add one with: pluglot add NAME -- COMMAND…');
}

/** That there is nothing, since nothing can be read, is no answer. */
function exitCodeOf(views: readonly PluginView[], problems: readonly Problem[]): ExitCode {
  const isBroken = views.length === 0 && problems.some(({ severity }) => severity === 'error');
  return isBroken ? ExitCode.usage : ExitCode.ok;
}

function tellChanged({ err }: CommandContext, views: readonly PluginView[]): void {
  for (const { name, changed } of views)
    if (changed !== undefined) err.line(`${err.colours.yellow('!')} ${name}: ${printable(changed)}`);
}

/** Many may be held back for one reason. */
export function tellUntrusted({ err }: CommandContext, views: readonly PluginView[]): void {
  const byReason = new Map<string, string[]>();
  for (const { name, untrusted } of views) {
    if (untrusted === undefined) continue;
    const text = sentences(untrusted.reason, untrusted.wayOut);
    byReason.set(text, [...(byReason.get(text) ?? []), name]);
  }
  for (const [text, names] of byReason)
    err.line(`${err.colours.yellow('!')} Not run: ${names.join(', ')}, since ${printable(text)}`);
}

/** Shorter where it is near. */
function shownPlace(place: string, { cwd, home }: CommandContext): string {
  if (place.startsWith(`${cwd}/`)) return place.slice(cwd.length + 1);
  return place.startsWith(`${home}/`) ? `~${place.slice(home.length)}` : place;
}

/** How the plugins of a running `up` are. */
export async function status(context: CommandContext): Promise<ExitCode> {
  const { out, err, json } = context;
  return withHost(context, {}, async (host, { attached }) => {
    const list = await host.plugins({ fresh: true });
    const views = shownOf(list.plugins, false);
    const problems = problemsOf(list);
    const { console: url, sandbox } = await host.health();
    if (json) out.line(JSON.stringify({ running: attached, console: url, sandbox, plugins: views }));
    else if (views.length === 0) tellNone(err, problems);
    if (json || views.length === 0) return exitCodeOf(views, problems);
    if (!attached) err.line('Nothing runs: start the fleet with `pluglot up`. What is configured:');
    const { cyan, bold } = out.colours;
    if (url !== undefined) out.line(`${bold('Console')}  ${cyan(url)}\n`);
    const columns = [
      { title: 'NAME', style: cyan },
      { title: 'DIALECT', spare: 3 },
      { title: 'RESTARTS', spare: 1 },
      { title: 'TOOLS', spare: 2 },
      { title: 'STATE' },
    ];
    const rows = views.map((view) => [
      view.name,
      describeDialect(view),
      String(view.restarts),
      String(view.tools ?? '–'),
      describeState(view),
    ]);
    for (const line of table(columns, rows, tableWidth(context), bold)) out.line(line);
    tellUntrusted(context, views);
    tellChanged(context, views);
    tellUnlimited(context, sandbox);
    return ExitCode.ok;
  });
}

/** Without limits, a confined program can take all that the machine has. */
function tellUnlimited({ err }: CommandContext, { kind, missing, limits }: SandboxView): void {
  const unlimited = [...(limits.memory ? [] : ['memory']), ...(limits.processes ? [] : ['processes'])];
  if (missing !== undefined)
    err.line(`${err.colours.yellow('!')} There is no sandbox: ${printable(missing)}`);
  else if (kind === 'bubblewrap' && unlimited.length > 0)
    err.line(
      `${err.colours.yellow('!')} No limit on ${unlimited.join(' and ')} holds for confined programs: no control group is writable. \`pluglot doctor\` says more.`,
    );
}

export async function tools(
  context: CommandContext,
  { all = false, ...options }: Shown & { readonly dialect?: string },
): Promise<ExitCode> {
  const { out, err, json, command } = context;
  return withHost(context, { ...options, builtIns: all }, async (host, { attached }) => {
    err.progress('asking the plugins …');
    const asked = await host.tools({ ask: true });
    const list = await host.plugins();
    const views = shownOf(list.plugins, all);
    const owners = new Set(views.map(({ name }) => name));
    const tools = asked.filter(({ plugin }) => owners.has(plugin));
    if (json)
      out.line(
        JSON.stringify(
          tools.map(({ plugin, name, tool, held }) => ({ ...tool, name, plugin, ...(held && { held }) })),
        ),
      );
    else if (tools.length > 0) {
      const { cyan, dim, bold } = out.colours;
      const columns = [
        { title: 'TOOL', style: cyan },
        { title: 'PLUGIN', style: dim, spare: 1 },
        { title: 'WHAT IT DOES' },
      ];
      const rows = tools.map(({ plugin, name, tool }) => [
        printableLine(name, 60),
        plugin,
        printableLine(tool.description ?? ''),
      ]);
      for (const line of table(columns, rows, tableWidth(context), bold)) out.line(line);
    } else err.line('No tools.');
    tellHeld(context, tools);
    if (!json && command === undefined) tellHidden(context, all);
    const broken = problemsOf(list).filter(
      ({ severity, plugin }) => severity === 'error' && plugin !== undefined,
    );
    // Whoever has a host of its own has been told of them.
    if (attached) tellProblems(context, broken);
    const exitCode = await tellUnasked(context, host, tools.length, views);
    return broken.length > 0 && exitCode !== ExitCode.denied ? ExitCode.broken : exitCode;
  });
}

/** What models and clients cannot call yet, although a rule may allow it. */
function tellHeld({ err }: CommandContext, tools: readonly ToolView[]): void {
  for (const { plugin, name, tool, held } of tools)
    if (held !== undefined)
      err.line(
        `${err.colours.yellow('!')} ${printableLine(name, 100)} is held: ${whyHeld[held]}. Look at it, then: pluglot allow ${shellWord(`${plugin}__${tool.name}`)}`,
      );
}

const whyHeld: Readonly<Record<NonNullable<ToolView['held']>, string>> = {
  new: 'its plugin did not have it when it was approved',
  changed: 'it is not defined as it was when it was approved',
};

/** Names those that could not be asked for what is listed. That one of them failed is said by the exit code, whatever else is listed. */
export async function tellUnasked(
  { err }: CommandContext,
  host: Host,
  listed: number,
  views: readonly PluginView[],
): Promise<ExitCode> {
  const unasked = (await Promise.all(views.map((view) => whyUnasked(host, view)))).flat();
  // One reason may keep many, and who it is stands before it.
  const byReason = new Map<string, string[]>();
  for (const { name, message } of unasked) {
    const who = `Plugin "${name}" `;
    const reason = message.startsWith(who) ? message.slice(who.length) : message;
    byReason.set(reason, [...(byReason.get(reason) ?? []), name]);
  }
  for (const [reason, names] of byReason)
    err.line(`${err.colours.red('✗')} ${names.join(', ')}: ${printableLine(reason, 400)}`);
  if (unasked.some(({ isRefused }) => !isRefused)) return ExitCode.broken;
  return listed > 0 || unasked.length === 0 ? ExitCode.ok : ExitCode.denied;
}

interface Unasked {
  readonly name: string;
  readonly message: string;
  /** It may not be run, which is no failure of its own. */
  readonly isRefused: boolean;
}

async function whyUnasked(
  host: Host,
  { name, state, reason, untrusted, tools: known }: PluginView,
): Promise<readonly Unasked[]> {
  if (untrusted !== undefined) {
    const message = `may not be run: ${sentences(untrusted.reason, untrusted.wayOut)}`;
    return [{ name, message, isRefused: true }];
  }
  if (reason !== undefined) return [{ name, message: reason, isRefused: false }];
  if (known !== undefined || state === 'disabled') return [];
  // It is being started again, or is stopped.
  try {
    await host.plugin(name, { ask: true });
    return [];
  } catch (thrown) {
    const { message } = toError(thrown);
    const isStopped = thrown instanceof PluglotError && thrown.code === 'PLUGIN_STOPPED';
    return [{ name, message, isRefused: isStopped }];
  }
}
