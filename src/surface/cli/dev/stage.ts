// The screen of `pluglot dev`: a prompt at the bottom, everything else above it, and what changed in the manifest.
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';
import { printable, printableLine } from '../../../base/printable.ts';
import type { Manifest } from '../../../definition/manifest.ts';
import type { Tool } from '../../../definition/tool.ts';
import type { Plugin } from '../../../fleet/plugin/plugin.ts';
import { splitCommandLine } from '../../../fleet/supervisor/program.ts';
import { lineDiff } from '../../../gate/pins/line-diff.ts';
import type { RuntimeApi } from '../../../runtime/api.ts';
import { argumentsOf, readArguments } from '../../../runtime/typed-arguments.ts';
import { callPrinter, followCall } from '../call-printer.ts';
import { callOptionsOf } from '../commands/call.ts';
import type { CommandContext } from '../context.ts';
import { showFailure } from '../failure.ts';
import type { Terminal } from '../terminal.ts';

export interface Screen {
  /** The same terminals, which make room for the prompt. */
  readonly out: Terminal;
  readonly err: Terminal;
  /** Resolves when the user leaves. */
  readonly left: Promise<void>;
  /** While something runs there is no prompt. */
  pause(): void;
  resume(): void;
  close(): void;
}

type ScreenContext = Pick<CommandContext, 'stdin' | 'stderr' | 'out' | 'err' | 'signal'>;

/** Undefined without a terminal. */
export function openScreen(context: ScreenContext, typed: (line: string) => void): Screen | undefined {
  const { stdin, stderr, out, err, signal } = context;
  if (!stdin.isTTY || !err.live) return undefined;
  const lines = createInterface({
    input: stdin,
    output: stderr,
    terminal: true,
    prompt: err.colours.cyan('> '),
    signal,
  });
  let isShown = false;
  const show = () => {
    isShown = true;
    lines.prompt(true);
  };
  const above =
    <Args extends unknown[]>(write: (...args: Args) => void) =>
    (...args: Args) => {
      if (!isShown) return write(...args);
      stderr.write(CLEAR);
      write(...args);
      show();
    };
  const wrapped = (terminal: Terminal): Terminal => ({ ...terminal, line: above(terminal.line) });
  // On a terminal readline takes Ctrl-C; it means the same as everywhere.
  lines.on('SIGINT', () => process.emit('SIGINT'));
  lines.on('line', (line) => {
    isShown = false;
    typed(line);
  });
  return {
    out: wrapped(out),
    err: wrapped(err),
    left: new Promise((resolve) => lines.once('close', resolve)),
    pause() {
      if (isShown) stderr.write(CLEAR);
      isShown = false;
    },
    resume: show,
    close() {
      isShown = false;
      lines.close();
    },
  };
}

const CLEAR = '\r\u001B[K';

export interface Caller {
  typed(line: string): void;
  /** The plugin has started: the next line can come. */
  ready(): void;
}

export interface CallerParts {
  readonly context: CommandContext;
  readonly host: RuntimeApi;
  readonly plugin: Plugin;
  readonly screen: Screen | undefined;
}

export function createCaller({ context, host, plugin, screen }: CallerParts): Caller {
  const { err } = context;
  let last: string | undefined;
  let isGreeted = false;
  const call = async (line: string) => {
    const [tool = '', ...words] = splitCommandLine(line);
    const typed = await readArguments(words, () => Promise.reject(new Error('there is no stdin here')));
    const found = await host.tool(tool);
    const printer = callPrinter(context, found.name);
    const made = host.call(found.name, argumentsOf(typed, found.tool.inputSchema), callOptionsOf(context));
    printer.end(await followCall(made, printer.event));
  };
  const run = async (line: string) => {
    const word = line.trim();
    if (word === '?' || word === 'help') return showHelp(context, plugin);
    if (word === '' && last === undefined) return;
    last = word === '' ? last : word;
    if (word === '') err.line(err.colours.dim(`> ${printableLine(last ?? '', 500)}`));
    await call(last ?? '');
  };
  return {
    typed(line) {
      screen?.pause();
      run(line)
        .catch((thrown: unknown) => void showFailure(thrown, { ...context, json: false }))
        .finally(() => screen?.resume());
    },
    ready() {
      if (!isGreeted && screen !== undefined)
        err.line(err.colours.dim('Type TOOL key=value … to call it, ? for help, Ctrl-C to leave.'));
      isGreeted = true;
      screen?.resume();
    },
  };
}

function showHelp({ err }: CommandContext, plugin: Plugin): void {
  const { cyan, dim } = err.colours;
  for (const { name, description } of plugin.tools())
    err.line(`  ${cyan(printableLine(name, 60))}  ${dim(printableLine(description ?? '', 100))}`);
  err.line(dim('  TOOL key=value … calls it; Enter calls the same again; Ctrl-D or Ctrl-C leaves.'));
}

export interface ManifestDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly ToolChange[];
  /** Of the plugin as a whole, such as `version`. */
  readonly facts: readonly { readonly what: string; readonly before: string; readonly after: string }[];
}

interface ToolChange {
  readonly tool: string;
  /** Lines that begin with a space, `-`, `+` or `@@`. */
  readonly diff: string;
}

/** Undefined when nothing is different. */
export async function manifestDiff(before: Manifest, after: Manifest): Promise<ManifestDiff | undefined> {
  const [old, young] = [byName(before.tools), byName(after.tools)];
  const changed: ToolChange[] = [];
  for (const [tool, is] of young) {
    const was = old.get(tool);
    if (was === undefined || isDeepStrictEqual(was, is)) continue;
    const options = { context: 1, maxLines: DIFF_LINES };
    changed.push({ tool, diff: await lineDiff(textOf(was), textOf(is), options) });
  }
  const diff: ManifestDiff = {
    added: [...young.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !young.has(name)),
    changed,
    facts: facts.flatMap((what) => {
      const [one, other] = [before[what] ?? '', after[what] ?? ''];
      return one === other ? [] : [{ what, before: one, after: other }];
    }),
  };
  return Object.values(diff).some((changes: readonly unknown[]) => changes.length > 0) ? diff : undefined;
}

const facts = ['name', 'version', 'dialect', 'description', 'instructions'] as const;
const DIFF_LINES = 30;

function byName(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  return new Map(tools.map((tool) => [tool.name, tool]));
}

function textOf(tool: Tool): string {
  const { name: _, ...rest } = tool;
  return JSON.stringify(rest, undefined, 2);
}

/** The first time all of it; later what is different. */
export function manifestLines(
  manifest: Manifest,
  diff: ManifestDiff | undefined | 'first',
  { colours }: Terminal,
): string[] {
  const { bold, dim, green, red, yellow } = colours;
  const { name, version, dialect, tools } = manifest;
  const what = `${bold(printableLine(name))} ${printableLine(version, 40)} ${dim('speaks')} ${dialect}`;
  const count = tools.length === 1 ? '1 tool' : `${tools.length} tools`;
  const head = `${green('✓')} ${what}${dim(` · ${count}`)}`;
  if (diff === 'first')
    return [head, ...(tools.length === 0 ? [] : [dim(`  ${listed(tools.map((tool) => tool.name))}`)])];
  if (diff === undefined) return [`${head}${dim(', as before')}`];
  return [
    head,
    ...diff.facts.map(({ what: fact, before, after }) => {
      const [one, other] = [printableLine(before || 'nothing', 60), printableLine(after || 'nothing', 60)];
      return `  ${yellow('~')} ${fact}: ${one} ${dim('→')} ${other}`;
    }),
    ...diff.added.map((tool) => `  ${green(`+ ${printableLine(tool)}`)}`),
    ...diff.removed.map((tool) => `  ${red(`- ${printableLine(tool)}`)}`),
    ...diff.changed.flatMap(({ tool, diff: lines }) => [
      `  ${yellow('~')} ${printableLine(tool)}`,
      ...lines.split('\n').map((line) => {
        const paint = line.startsWith('-') ? red : line.startsWith('+') ? green : dim;
        return `      ${paint(printable(line))}`;
      }),
    ]),
  ];
}

const LISTED = 20;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, LISTED).map((name) => printableLine(name, 60));
  return [...shown, ...(names.length > LISTED ? [`… and ${names.length - LISTED} more`] : [])].join(', ');
}
