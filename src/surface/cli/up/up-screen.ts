// The screen of `pluglot up` while it starts: drawn in place for a person, in plain lines for programs.
import { stripVTControlCharacters } from 'node:util';
import { printableLine } from '../../../base/printable.ts';
import { counted } from '../../../base/text.ts';
import { readyCount } from '../../../base/describe.ts';
import type { FleetEvent } from '../../../fleet/fleet.ts';
import type { PluginView, RuntimeApi, ToolView } from '../../../runtime/api.ts';
import type { CommandContext } from '../context.ts';
import { describeDialect, showUntrusted } from '../commands/lists.ts';
import { withoutBuiltIns } from '../open-runtime.ts';
import { table } from '../table.ts';
import { type Terminal, warn } from '../terminal.ts';
import { openBrowser } from './open-browser.ts';
import type { ServedRuntime } from './serve-runtime.ts';

export interface UpScreen {
  /** The states of plugins are on the screen. */
  readonly isDrawn: boolean;
  begin(): Promise<void>;
  changed(event: FleetEvent): void;
  /** All plugins run or have failed. `isOver`: the user has interrupted. */
  started(isOver: boolean): Promise<void>;
}

export interface UpScreenParts {
  readonly context: CommandContext;
  readonly host: Pick<RuntimeApi, 'plugins' | 'tools'>;
  readonly served: Pick<ServedRuntime, 'url' | 'token' | 'consoleLink'>;
  /** The page is to be shown at once. */
  readonly opens: boolean;
  /** Since nothing is configured. */
  readonly hasOnlyExamples: boolean;
}

export function upScreen(parts: UpScreenParts): UpScreen {
  const { context, host, served, opens, hasOnlyExamples } = parts;
  const { url, token, consoleLink } = served;
  const place = { url, token, link: consoleLink?.().url };
  const { out, err, json, version } = context;
  let isDrawn = out.live && !json;
  let isDrawing = false;
  const draw = async () => {
    // Many change at once.
    if (!isDrawn || isDrawing) return;
    isDrawing = true;
    await new Promise((resolve) => setImmediate(resolve));
    const views = await shownViews(host);
    isDrawing = false;
    if (isDrawn) out.pin(pluginLines(out, views));
  };
  return {
    get isDrawn() {
      return isDrawn;
    },
    async begin() {
      if (json) {
        const { link } = place;
        const shown = { url, mcp: `${url}/mcp`, ...(link !== undefined && { console: link }), token };
        return out.line(JSON.stringify({ at: Date.now(), ...shown }));
      }
      for (const line of addressLines(out, place, version)) out.line(line);
      if (opens && consoleLink !== undefined && out.live) {
        // Another one: that on the screen is still good then.
        const failure = await openBrowser(consoleLink().url, context);
        if (failure !== undefined) warn(err, `The browser was not opened: ${failure}`);
      }
      await draw();
    },
    changed({ kind }) {
      if (kind !== 'logged') void draw();
    },
    async started(isOver) {
      const views = await shownViews(host);
      if (isDrawn) out.pin(pluginLines(out, views));
      isDrawn = false;
      out.pin(undefined);
      if (json || isOver) return;
      const connect = connectLines(out, place, offerOf(await host.tools()));
      for (const line of connect) out.line(line);
      const whole = [...addressLines(out, place, version), ...pluginLines(out, views), ...connect];
      // On a small screen its first lines are gone by now.
      if (
        out.live &&
        place.link !== undefined &&
        heightOf(whole, out.columns) + 2 > (context.stdout.rows || 24)
      )
        out.line(`  ${out.colours.cyan(place.link)}\n`);
      const end = out.colours.dim('A second Ctrl-C ends all at once.');
      out.line(`${out.colours.bold(countOf(views))} Ctrl-C stops them. ${end}`);
      if (hasOnlyExamples)
        out.line(
          out.colours.dim(
            'Nothing is configured, so these are examples. Add yours: pluglot add NAME -- COMMAND…',
          ),
        );
      showUntrusted(context, views);
    },
  };
}

/** Without the built-in plugins. */
async function shownViews(host: Pick<RuntimeApi, 'plugins'>): Promise<readonly PluginView[]> {
  return withoutBuiltIns((await host.plugins()).plugins);
}

function countOf(views: readonly PluginView[]): string {
  const { ready, total, later } = readyCount(views);
  const rest = later === 0 ? '' : `${later} ${later === 1 ? 'starts' : 'start'} when used.`;
  if (total === 0) return `No plugin is started yet; ${rest}`;
  const are = total === 1 ? 'plugin is' : 'plugins are';
  return `${ready} of ${total} ${are} ready${rest === '' ? '.' : `; ${rest}`}`;
}

export interface Place {
  readonly url: string;
  /** Opens the MCP endpoint, and nothing else. */
  readonly token: string;
  /** The address that lets one browser into the console; undefined where there is none. */
  readonly link?: string | undefined;
}

export function addressLines({ colours, columns }: Terminal, place: Place, version: string): string[] {
  const { bold, cyan, dim } = colours;
  const { url, link } = place;
  const consoleLines = (address: string) => [
    // Not broken where that can be helped: then it can be clicked.
    ...(address.length + '  Console  '.length >= columns
      ? [`  ${bold('Console')}`, `  ${cyan(address)}`]
      : [`  ${bold('Console')}  ${cyan(address)}`]),
    columns < 72
      ? `  ${dim('opens once; another: pluglot console')}`
      : `           ${dim('opens once, within 10 minutes; another one: pluglot console')}`,
  ];
  const api = `  API      ${url}/api/v1`;
  const hint = columns < 72 ? '' : 'a token for it: pluglot tokens new NAME --for api';
  return [
    '',
    `  ${bold('pluglot')} ${dim(version)}`,
    '',
    ...(link === undefined ? [] : consoleLines(link)),
    `  ${bold('MCP')}      ${cyan(`${url}/mcp`)}`,
    ...(api.length + hint.length + 2 < columns
      ? [`  ${bold('API')}      ${cyan(`${url}/api/v1`)}  ${dim(hint)}`]
      : [`  ${bold('API')}      ${cyan(`${url}/api/v1`)}`, `           ${dim(hint)}`]),
    '',
  ];
}

type ShownPlugin = Pick<PluginView, 'name' | 'dialect' | 'tools' | 'state' | 'reason' | 'untrusted'>;

/** No wider than the terminal, so that they can be shown anew in their place. */
export function pluginLines({ colours, columns }: Terminal, views: readonly ShownPlugin[]): string[] {
  const { cyan, dim, bold } = colours;
  const rows = views.map((view) => [view.name, describeDialect(view), toolsOf(view), stateOf(view)]);
  const titles = [
    { title: 'PLUGIN', style: cyan },
    { title: 'DIALECT', spare: 2 },
    { title: 'TOOLS', style: dim, spare: 1 },
    { title: 'STATE' },
  ];
  const [head = '', ...lines] = table(titles, rows, columns - MARGIN - 1, bold);
  const marks = views.map(({ state, untrusted }) => markOf(colours, untrusted === undefined ? state : ''));
  return [`    ${head}`, ...lines.map((line, index) => `  ${marks[index]} ${line}`)];
}

const MARGIN = 4;

function toolsOf({ tools }: ShownPlugin): string {
  return tools === undefined ? '–' : String(tools);
}

function stateOf({ state, reason, untrusted }: ShownPlugin): string {
  if (untrusted !== undefined) return 'not trusted';
  return reason === undefined ? state : `${state}: ${printableLine(reason, REASON_MAX)}`;
}

const REASON_MAX = 2000;

function markOf({ green, yellow, red, dim }: Terminal['colours'], state: string): string {
  if (state === 'ready' || state === 'busy') return green('●');
  if (state === 'failed') return red('✗');
  return state === 'stopped' || state === 'disabled' || state === '' ? dim('○') : yellow('◌');
}

/** What clients get, and how they come to it. */
function connectLines({ colours }: Terminal, { url, token }: Place, offer: string): string[] {
  const { bold, cyan, dim } = colours;
  const lines = clientLines(`${url}/mcp`, token).flatMap(({ client, into, line }) => [
    `  ${cyan(client)}${into === undefined ? '' : dim(` (in ${into})`)}`,
    // Whole, however wide: it is copied.
    `    ${line}`,
  ]);
  return ['', `  ${bold('Connect a client')}`, `    ${dim(offer)}`, ...lines, ''];
}

/** How many lines of the terminal these take. */
export function heightOf(lines: readonly string[], columns: number): number {
  const widths = lines.map((line) => stripVTControlCharacters(line).length);
  return widths.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
}

/** The tools that clients are offered. */
function offerOf(tools: readonly Pick<ToolView, 'plugin' | 'clients' | 'enabled'>[]): string {
  const offered = tools.filter(({ clients }) => clients);
  const kept = tools.filter(({ clients, enabled }) => !clients && enabled);
  const plugins = [...new Set(kept.map(({ plugin }) => plugin))].map((name) => printableLine(name, 100));
  const rest = plugins.length === 0 ? '' : `; not those of ${plugins.join(', ')} (plugins.NAME.clients)`;
  const from = new Set(offered.map(({ plugin }) => plugin)).size;
  return `Clients are offered ${counted(offered.length, 'tool')} of ${counted(from, 'plugin')}${rest}.`;
}

export interface ClientLine {
  readonly client: string;
  /** Where it goes, unless into a shell. */
  readonly into?: string;
  readonly line: string;
}

/** `url` is that of the MCP endpoint. */
export function clientLines(url: string, token: string): readonly ClientLine[] {
  const header = `Authorization: Bearer ${token}`;
  const headers = { Authorization: `Bearer ${token}` };
  return [
    { client: 'Claude Code', line: `claude mcp add --transport http pluglot ${url} --header "${header}"` },
    { client: 'Gemini CLI', line: `gemini mcp add --transport http --header "${header}" pluglot ${url}` },
    {
      client: 'VS Code',
      line: `code --add-mcp '${JSON.stringify({ name: 'pluglot', type: 'http', url, headers })}'`,
    },
    {
      client: 'Cursor',
      into: '~/.cursor/mcp.json',
      line: JSON.stringify({ mcpServers: { pluglot: { url, headers } } }),
    },
  ];
}
