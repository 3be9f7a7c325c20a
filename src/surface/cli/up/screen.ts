// The one screen of `pluglot up`: where it is reached, how the plugins are, and how clients connect.
import { stripVTControlCharacters } from 'node:util';
import { printableLine } from '../../../base/printable.ts';
import type { PluginView } from '../../../runtime/api.ts';
import { describeDialect } from '../commands/states.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { clientLines } from './client-lines.ts';

export interface Place {
  /** Without the token. */
  readonly url: string;
  readonly token: string;
  readonly hasConsole: boolean;
}

export function addressLines({ colours, columns }: Terminal, place: Place, version: string): string[] {
  const { bold, cyan, dim } = colours;
  const { url, hasConsole } = place;
  const address = consoleAddress(place);
  // Not broken where that can be helped: then it can be clicked.
  const isNarrow = address.length + '  Console  '.length >= columns;
  const page = isNarrow
    ? [`  ${bold('Console')}`, `  ${cyan(address)}`]
    : [`  ${bold('Console')}  ${cyan(address)}`];
  const api = `  API      ${url}/api/v1`;
  const hint = 'Authorization: Bearer TOKEN';
  return [
    '',
    `  ${bold('pluglot')} ${dim(version)}`,
    '',
    ...(hasConsole ? page : []),
    `  ${bold('MCP')}      ${cyan(`${url}/mcp`)}`,
    ...(api.length + hint.length + 2 < columns
      ? [`  ${bold('API')}      ${cyan(`${url}/api/v1`)}  ${dim(hint)}`]
      : [`  ${bold('API')}      ${cyan(`${url}/api/v1`)}`, `           ${dim(hint)}`]),
    '',
  ];
}

export function consoleAddress({ url, token }: Pick<Place, 'url' | 'token'>): string {
  return `${url}/?token=${token}`;
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

export function connectLines({ colours }: Terminal, { url, token }: Place): string[] {
  const { bold, cyan, dim } = colours;
  const lines = clientLines(`${url}/mcp`, token).flatMap(({ client, into, line }) => [
    `  ${cyan(client)}${into === undefined ? '' : dim(` (in ${into})`)}`,
    // Whole, however wide: it is copied.
    `    ${line}`,
  ]);
  return ['', `  ${bold('Connect a client')}`, ...lines, ''];
}

/** How many lines of the terminal these take. */
export function heightOf(lines: readonly string[], columns: number): number {
  const widths = lines.map((line) => stripVTControlCharacters(line).length);
  return widths.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
}
