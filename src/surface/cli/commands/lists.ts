// `pluglot plugins`, `status` and `tools`: what there is, as tables.
import { PluglotError, toError } from '../../../base/error.ts';
import { printableLine, printableMarked } from '../../../base/printable.ts';
import { sentences, shellWord } from '../../../base/text.ts';
import type { Problem } from '../../../fleet/discovery/problem.ts';
import type { PluginView, RuntimeApi, SandboxView, ToolView } from '../../../runtime/api.ts';
import { problemsOf } from '../../../runtime/problems.ts';
import { defineCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { ExitCode } from '../exit-code.ts';
import { markedLine } from '../log-lines.ts';
import { withoutBuiltIns, withRuntime } from '../open-runtime.ts';
import { showProblems } from '../problems.ts';
import { printTable } from '../table.ts';
import { hint, type Terminal, warn } from '../terminal.ts';

interface Flags {
  readonly all?: boolean;
  readonly dialect?: string;
}

const REASON_MAX = 2000;

const whyHeld: Readonly<Record<NonNullable<ToolView['held']>, string>> = {
  new: 'its plugin did not have it when it was approved',
  changed: 'it is not defined as it was when it was approved',
};

export const commands = {
  plugins: defineCommand<Flags>({
    examples: ['pluglot plugins', 'pluglot plugins --all'],
    uses: 'fleet',
    declare: (command) => command.option('--all', 'Include built-in plugins'),
    run: plugins,
  }),
  status: defineCommand({
    examples: ['pluglot status', 'pluglot status --json'],
    uses: 'file',
    run: status,
  }),
  tools: defineCommand<Flags>({
    examples: [
      'pluglot tools',
      'pluglot tools --json | jq -r ".[].name"',
      'pluglot tools -- python3 plugin.py',
    ],
    uses: 'plugin',
    declare: (command) => command.option('--all', 'Include tools of built-in plugins'),
    run: tools,
  }),
};

/** All that is configured or found, and what keeps it from being used. */
async function plugins(context: CommandContext, { all = false }: Flags): Promise<ExitCode> {
  const { out, err, json } = context;
  return withRuntime(context, { showsProblems: false, builtIns: all }, async (host) => {
    const list = await host.plugins({ fresh: true });
    const views = shownOf(list.plugins, all);
    const problems = problemsOf(list);
    // A list of plugins shows warnings too.
    showProblems(context, problems, 'all');
    if (json) out.line(JSON.stringify(views, (key, value: unknown) => (key === 'stats' ? undefined : value)));
    else if (views.length === 0) {
      showNone(err, problems);
      showHidden(context, all);
    }
    if (json || views.length === 0) return exitCodeOf(views, problems);
    const { cyan, dim } = out.colours;
    printTable(out, views, [
      { title: 'NAME', style: cyan, cell: ({ name }) => name },
      { title: 'DIALECT', spare: 1, cell: describeDialect },
      {
        title: 'STATE',
        cell: (view) => (view.untrusted === undefined ? view.state : 'not trusted') + describeSandbox(view),
      },
      {
        title: 'FROM',
        style: dim,
        spare: 2,
        cell: ({ from, command }) => shownPlace(from ?? command, context),
      },
    ]);
    showUntrusted(context, views);
    showChanged(context, views);
    showHidden(context, all);
    return ExitCode.ok;
  });
}

function shownOf(views: readonly PluginView[], all: boolean): readonly PluginView[] {
  return all ? views : withoutBuiltIns(views);
}

/** For a person who wonders where they are. */
function showHidden({ out, err }: CommandContext, all: boolean): void {
  if (!all && out.live) hint(err, 'Built-in plugins are not shown; --all shows them.');
}

function showNone(err: Terminal, problems: readonly Problem[]): void {
  const isBroken = problems.some(({ severity }) => severity === 'error');
  err.line(isBroken ? 'No plugins.' : 'No plugins. Add one with: pluglot add NAME -- COMMAND…');
}

/** An empty list is a failure where files cannot be read. */
function exitCodeOf(views: readonly PluginView[], problems: readonly Problem[]): ExitCode {
  const isBroken = views.length === 0 && problems.some(({ severity }) => severity === 'error');
  return isBroken ? ExitCode.usage : ExitCode.ok;
}

function showChanged({ err }: CommandContext, views: readonly PluginView[]): void {
  for (const { name, changed } of views)
    if (changed !== undefined) warn(err, `${name}: ${printableMarked(changed)}`);
}

/** Many may be held back for one reason. */
export function showUntrusted({ err }: CommandContext, views: readonly PluginView[]): void {
  const byReason = new Map<string, string[]>();
  for (const { name, untrusted } of views) {
    if (untrusted === undefined) continue;
    const text = sentences(untrusted.reason, untrusted.wayOut);
    byReason.set(text, [...(byReason.get(text) ?? []), name]);
  }
  for (const [text, names] of byReason)
    warn(err, `Not run: ${names.join(', ')}, since ${printableMarked(text)}`);
}

/** Shorter where it is near. */
function shownPlace(place: string, { cwd, home }: CommandContext): string {
  if (place.startsWith(`${cwd}/`)) return place.slice(cwd.length + 1);
  return place.startsWith(`${home}/`) ? `~${place.slice(home.length)}` : place;
}

/** The states of plugins of a running `up`. */
async function status(context: CommandContext): Promise<ExitCode> {
  const { out, err, json } = context;
  return withRuntime(context, {}, async (host, { attached }) => {
    const list = await host.plugins({ fresh: true });
    const views = shownOf(list.plugins, false);
    const problems = problemsOf(list);
    const { console: url, sandbox } = await host.health();
    if (json) out.line(JSON.stringify({ running: attached, console: url, sandbox, plugins: views }));
    else if (views.length === 0) showNone(err, problems);
    if (json || views.length === 0) return exitCodeOf(views, problems);
    if (!attached) err.line('Nothing runs: start the fleet with `pluglot up`. What is configured:');
    const { cyan, bold } = out.colours;
    if (url !== undefined) out.line(`${bold('Console')}  ${cyan(url)}\n`);
    printTable(out, views, [
      { title: 'NAME', style: cyan, cell: ({ name }) => name },
      { title: 'DIALECT', spare: 3, cell: describeDialect },
      { title: 'RESTARTS', spare: 1, cell: ({ restarts }) => String(restarts) },
      { title: 'TOOLS', spare: 2, cell: ({ tools }) => String(tools ?? '–') },
      { title: 'STATE', cell: describeState },
    ]);
    showUntrusted(context, views);
    showChanged(context, views);
    showUnlimited(context, sandbox);
    return ExitCode.ok;
  });
}

/** Without limits, a confined program can take all that the machine has. */
function showUnlimited({ err }: CommandContext, { kind, missing, limits }: SandboxView): void {
  const unlimited = [...(limits.memory ? [] : ['memory']), ...(limits.processes ? [] : ['processes'])];
  if (missing !== undefined) warn(err, `There is no sandbox: ${printableMarked(missing)}`);
  else if (kind === 'bubblewrap' && unlimited.length > 0)
    warn(
      err,
      `No limit on ${unlimited.join(' and ')} holds for confined programs: no control group is writable. \`pluglot doctor\` shows more.`,
    );
}

async function tools(context: CommandContext, { all = false, ...options }: Flags): Promise<ExitCode> {
  const { out, err, json, command } = context;
  return withRuntime(context, { ...options, builtIns: all }, async (host, { attached }) => {
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
      const { cyan, dim } = out.colours;
      printTable(out, tools, [
        { title: 'TOOL', style: cyan, cell: ({ name }) => printableLine(name, 60) },
        { title: 'PLUGIN', style: dim, spare: 1, cell: ({ plugin }) => plugin },
        { title: 'WHAT IT DOES', cell: ({ tool }) => printableLine(tool.description ?? '') },
      ]);
    } else err.line('No tools.');
    showHeld(context, tools);
    if (!json && command === undefined) showHidden(context, all);
    const broken = problemsOf(list).filter(
      ({ severity, plugin }) => severity === 'error' && plugin !== undefined,
    );
    // An own runtime has shown them before.
    if (attached) showProblems(context, broken);
    const exitCode = await showUnasked(context, host, tools.length, views);
    return broken.length > 0 && exitCode !== ExitCode.denied ? ExitCode.broken : exitCode;
  });
}

/** What models and clients cannot call yet, although a rule may allow it. */
function showHeld({ err }: CommandContext, tools: readonly ToolView[]): void {
  for (const { plugin, name, tool, held } of tools)
    if (held !== undefined)
      warn(
        err,
        `${printableLine(name, 100)} is held: ${whyHeld[held]}. Look at it, then: pluglot allow ${shellWord(`${plugin}__${tool.name}`)}`,
      );
}

/** Names the plugins that could not be asked. The exit code shows that one of them failed, whatever is listed. */
export async function showUnasked(
  { err }: CommandContext,
  host: RuntimeApi,
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
    err.line(
      markedLine(err, `${err.colours.red('✗')} `, `${names.join(', ')}: ${printableLine(reason, 400)}`),
    );
  if (unasked.some(({ isRefused }) => !isRefused)) return ExitCode.broken;
  return listed > 0 || unasked.length === 0 ? ExitCode.ok : ExitCode.denied;
}

interface Unasked {
  readonly name: string;
  readonly message: string;
  /** It may not be run, which is not its own failure. */
  readonly isRefused: boolean;
}

async function whyUnasked(
  host: RuntimeApi,
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

export function describeDialect({ dialect }: Pick<PluginView, 'dialect'>): string {
  return dialect === 'unknown' ? 'not asked yet' : dialect;
}

type Shown = Pick<PluginView, 'name' | 'state' | 'sinceMs' | 'reason' | 'untrusted' | 'sandbox'>;

export function describeState(view: Shown): string {
  const { state, sinceMs, untrusted } = view;
  if (untrusted !== undefined) return 'not trusted';
  const isTimeless = state === 'stopped' || state === 'disabled' || sinceMs < 1000;
  const since = isTimeless ? '' : ` for ${describeTime(sinceMs)}`;
  const reason = reasonOf(view);
  return `${state}${since}${describeSandbox(view)}${reason === undefined ? '' : `: ${printableLine(reason, REASON_MAX)}`}`;
}

function describeSandbox({ sandbox }: Pick<PluginView, 'sandbox'>): string {
  return sandbox === undefined ? '' : `, confined${sandbox.network ? ' with network' : ''}`;
}

/** Left out for a plugin that was stopped by a command: the state shows it. */
export function reasonOf(of: {
  readonly name: string;
  readonly state: string;
  readonly reason?: string | undefined;
}): string | undefined {
  const { name, state, reason } = of;
  return state === 'stopped' && reason === `Plugin "${name}" was stopped.` ? undefined : reason;
}

function describeTime(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}
