// `pluglot plugins`, `status` and `tools`: what there is, as tables.
import type { Problem } from '../../../fleet/discovery/problem.ts';
import { ExitCode } from '../exit-code.ts';
import type { PluginView, Problem as Unasked, Shown } from '../host/host.ts';
import { tellProblems, withHost } from '../host/open-host.ts';
import { printable, printableLine } from '../../../base/printable.ts';
import { table, tableWidth } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import type { CommandContext } from './context.ts';
import { describeState } from './states.ts';

/** All that is configured or found, and what keeps it from being used. */
export async function plugins(context: CommandContext, { all = false }: Shown): Promise<ExitCode> {
  const { out, err, json } = context;
  return withHost(context, { tellsProblems: false }, async (host) => {
    const views = await host.plugins({ all });
    const problems = await host.problems();
    // Who asks what there is wants to hear of all that does not count.
    tellProblems(context, problems, 'all');
    if (json) out.line(JSON.stringify(views));
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
      view.dialect,
      view.untrusted === undefined ? view.state : 'not trusted',
      shownPlace(view.origin ?? view.command, context),
    ]);
    for (const line of table(columns, rows, tableWidth(context), bold)) out.line(line);
    tellUntrusted(context, views);
    tellChanged(context, views);
    tellHidden(context, all);
    return ExitCode.ok;
  });
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
    const text = `${untrusted.reason}. ${untrusted.wayOut}`;
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
    const views = await host.plugins();
    const problems = await host.problems();
    if (json) out.line(JSON.stringify({ running: attached, plugins: views }));
    else if (views.length === 0) tellNone(err, problems);
    if (json || views.length === 0) return exitCodeOf(views, problems);
    if (!attached) err.line('Nothing runs: start the fleet with `pluglot up`. What is configured:');
    const { cyan, bold } = out.colours;
    const columns = [
      { title: 'NAME', style: cyan },
      { title: 'DIALECT', spare: 3 },
      { title: 'RESTARTS', spare: 1 },
      { title: 'TOOLS', spare: 2 },
      { title: 'STATE' },
    ];
    const rows = views.map((view: PluginView) => [
      view.name,
      view.dialect,
      String(view.restarts),
      String(view.tools ?? '–'),
      describeState(view),
    ]);
    for (const line of table(columns, rows, tableWidth(context), bold)) out.line(line);
    tellUntrusted(context, views);
    tellChanged(context, views);
    return ExitCode.ok;
  });
}

export async function tools(
  context: CommandContext,
  { all = false, ...options }: Shown & { readonly dialect?: string },
): Promise<ExitCode> {
  const { out, err, json, command } = context;
  return withHost(context, options, async (host) => {
    err.progress('asking the plugins …');
    const { tools, problems } = await host.tools({ all });
    if (json) out.line(JSON.stringify(tools.map(({ plugin, name, tool }) => ({ ...tool, name, plugin }))));
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
    if (!json && command === undefined) tellHidden(context, all);
    return tellUnasked(context, tools.length, problems);
  });
}

/** Who could not be asked for what is listed. */
export function tellUnasked({ err }: CommandContext, listed: number, problems: readonly Unasked[]): ExitCode {
  // One reason may keep many, and who it is stands before it.
  const byReason = new Map<string, string[]>();
  for (const { who, message } of problems) {
    const name = `Plugin "${who}" `;
    const reason = message.startsWith(name) ? message.slice(name.length) : message;
    byReason.set(reason, [...(byReason.get(reason) ?? []), who]);
  }
  for (const [reason, names] of byReason)
    err.line(`${err.colours.red('✗')} ${names.join(', ')}: ${printableLine(reason, 400)}`);
  if (listed > 0 || problems.length === 0) return ExitCode.ok;
  return problems.every(({ code }) => code === 'NOT_TRUSTED') ? ExitCode.denied : ExitCode.broken;
}
