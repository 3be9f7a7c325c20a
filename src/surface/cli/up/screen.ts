// The one screen of `pluglot up`: where it is reached, how the plugins are, and how clients connect.
import { stripVTControlCharacters } from 'node:util';
import { printableLine } from '../../../base/printable.ts';
import type { PluginView, ToolView } from '../../../runtime/api.ts';
import { describeDialect } from '../commands/states.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { clientLines } from './client-lines.ts';

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
export function connectLines({ colours }: Terminal, { url, token }: Place, offer: string): string[] {
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

/** What clients are offered of all tools; whoever calls as one gets just these. */
export function offerOf(tools: readonly Pick<ToolView, 'plugin' | 'clients' | 'enabled'>[]): string {
  const offered = tools.filter(({ clients }) => clients);
  const kept = tools.filter(({ clients, enabled }) => !clients && enabled);
  const plugins = [...new Set(kept.map(({ plugin }) => plugin))].map((name) => printableLine(name, 100));
  const rest = plugins.length === 0 ? '' : `; not those of ${plugins.join(', ')} (plugins.NAME.clients)`;
  const from = new Set(offered.map(({ plugin }) => plugin)).size;
  return `Clients are offered ${counted(offered.length, 'tool')} of ${counted(from, 'plugin')}${rest}.`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
