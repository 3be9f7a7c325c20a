// The one screen of `pluglot up`: where it is reached, how the plugins are, and how clients connect.
import { printableLine } from '../../../base/printable.ts';
import type { PluginView } from '../host/host.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { clientLines } from './client-lines.ts';

export interface Place {
  /** Without the token. */
  readonly url: string;
  readonly token: string;
  readonly hasConsole: boolean;
}

export function addressLines({ colours }: Terminal, { url, token, hasConsole }: Place, version: string) {
  const { bold, cyan, dim } = colours;
  const lines = [
    ...(hasConsole ? [`  ${bold('Console')}  ${cyan(consoleAddress({ url, token }))}`] : []),
    `  ${bold('MCP')}      ${cyan(`${url}/mcp`)}`,
    `  ${bold('API')}      ${cyan(`${url}/api/v1`)}  ${dim('with the token as Authorization: Bearer')}`,
  ];
  return ['', `  ${bold('pluglot')} ${dim(version)}`, '', ...lines, ''];
}

export function consoleAddress({ url, token }: Pick<Place, 'url' | 'token'>): string {
  return `${url}/?token=${token}`;
}

/** No wider than the terminal, so that they can be shown anew in their place. */
export function pluginLines({ colours, columns }: Terminal, views: readonly PluginView[]): string[] {
  const { cyan, dim, bold } = colours;
  const rows = views.map((view) => [view.name, view.dialect, toolsOf(view), stateOf(view)]);
  const titles = [
    { title: 'PLUGIN', style: cyan },
    { title: 'DIALECT' },
    { title: 'TOOLS', style: dim },
    { title: 'STATE' },
  ];
  const [head = '', ...lines] = table(titles, rows, columns - MARGIN - 1, bold);
  const marks = views.map(({ state, untrusted }) => markOf(colours, untrusted === undefined ? state : ''));
  return [`    ${head}`, ...lines.map((line, index) => `  ${marks[index]} ${line}`)];
}

const MARGIN = 4;

function toolsOf({ tools }: PluginView): string {
  return tools === undefined ? '–' : String(tools);
}

function stateOf({ state, reason, untrusted }: PluginView): string {
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
  const { bold, dim } = colours;
  const lines = clientLines(`${url}/mcp`, token).flatMap(({ client, into, line }) => [
    `  ${client}${into === undefined ? '' : dim(` (in ${into})`)}`,
    // Whole, however wide: it is copied.
    `    ${line}`,
  ]);
  return ['', `  ${bold('Connect a client')}`, ...lines, ''];
}
