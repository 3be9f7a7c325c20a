// The output of the command `mcp`: plain text, aligned, without anything that a terminal would interpret.
import { printable, printableLine } from '../../base/printable.ts';
import { counted } from '../../base/text.ts';
import type { Reloaded, ServerList, ServerLog, ServerView } from './servers.ts';

export function listText({ servers, problems }: ServerList): string {
  const notes = problemText(problems);
  if (servers.length === 0)
    return [`There are no MCP servers. Add one with: mcp add NAME COMMAND [ARGS…]`, ...notes].join('\n');
  const rows = servers.map(({ name, state, tools, target }) => [
    name,
    state,
    isConnected(state) ? String(tools.length) : '–',
    printableLine(target, 100),
  ]);
  return [...columns(['SERVER', 'STATE', 'TOOLS', 'HOW'], rows), ...notes].join('\n');
}

/** The state of one server, or of all. */
export function statusText(servers: readonly ServerView[], problems: readonly string[]): string {
  const connected = servers.filter(({ state }) => isConnected(state)).length;
  const head = servers.length === 1 ? [] : [`${connected} of ${servers.length} servers are connected.`];
  return [...head, ...servers.flatMap(statusLines), ...problemText(problems)].join('\n');
}

function statusLines(server: ServerView): string[] {
  const { name, state, transport, tools, forMs, restarts, pids, reason, isOutdated } = server;
  const facts = [
    transport,
    ...(isConnected(state) ? [counted(tools.length, 'tool')] : []),
    ...(forMs > 0 ? [`for ${roughly(forMs)}`] : []),
    ...(restarts > 0 ? [counted(restarts, 'restart')] : []),
    ...(pids.length > 0 ? [`pid ${pids.join(', ')}`] : []),
  ];
  return [
    `${markOf(state)} ${name}: ${state} (${facts.join(', ')})`,
    ...(reason === undefined ? [] : [`    ${printableLine(reason, 1000)}`]),
    ...(isOutdated === true
      ? ['    Its settings have changed since it was started. Apply them with: mcp reload']
      : []),
  ];
}

export function showText(server: ServerView): string {
  const { place, entry, tools, version } = server;
  const settings = JSON.stringify(entry, undefined, 2).split('\n');
  return [
    ...statusLines(server),
    `  from ${printableLine(place, 1000)}`,
    ...(version === undefined ? [] : [`  version ${printableLine(version, 100)}`]),
    '  settings (values that may be secret are not shown):',
    ...settings.map((line) => `    ${printable(line)}`),
    ...(tools.length === 0 ? [] : [`  ${counted(tools.length, 'tool')}:`]),
    ...columns(
      [],
      tools.map(({ name, description = '' }) => [
        `    ${printableLine(name, 100)}`,
        printableLine(description, 100),
      ]),
    ),
  ].join('\n');
}

export function reloadText({ added, changed, removed, kept, servers, problems }: Reloaded): string {
  const parts = [
    ['new', added],
    ['changed', changed],
    ['removed', removed],
    ['unchanged', kept],
  ] as const;
  const changes = parts.flatMap(([what, names]) =>
    names.length === 0 ? [] : [`${what}: ${names.join(', ')}`],
  );
  const started = new Set([...added, ...changed]);
  const others = servers.filter(({ name, state }) => started.has(name) || state === 'not trusted');
  return [
    changes.length === 0 ? 'There are no MCP servers.' : `Files read again. ${changes.join('; ')}.`,
    ...others.flatMap(statusLines),
    ...problemText(problems),
  ].join('\n');
}

export function logText(entries: readonly ServerLog[]): string {
  if (entries.length === 0) return 'The log is empty.';
  const width = Math.max(...entries.map(({ server }) => server.length));
  return entries
    .map(({ at, server, level, message }) => {
      const time = new Date(at).toISOString().slice(11, 23);
      return `${time} ${server.padEnd(width)} ${level.padEnd(5)} ${printableLine(message, 500)}`;
    })
    .join('\n');
}

export function addressText(server: string, url: string): string {
  return `${server} requires a login. Open this address and confirm:\n\n  ${printableLine(url, 10_000)}\n\nWaiting … (at most 5 minutes)\n`;
}

export const helpText = `mcp list                      the servers, their state and tools
mcp status [SERVER]           their state, and why one is not connected
mcp show SERVER               settings, tools and its file
mcp add NAME COMMAND [ARGS…]  add a server that is started to .mcp.json
mcp add NAME URL              add a server with an address
                              before COMMAND or URL: --env KEY=VALUE,
                              --header KEY=VALUE, --user (into your own file)
mcp remove SERVER             remove it from .mcp.json
mcp connect SERVER            start it; shows where to log in if needed
mcp disconnect SERVER         stop it
mcp reload                    read the files again and apply changes
mcp logs [SERVER]             the last log entries of the servers
mcp logs clear                delete them
mcp help                      this`;

export function isConnected(state: ServerView['state']): boolean {
  return state === 'ready' || state === 'busy';
}

function markOf(state: ServerView['state']): string {
  if (isConnected(state)) return '✓';
  return state === 'failed' || state === 'not trusted' || state === 'unhealthy' ? '✗' : '·';
}

function problemText(problems: readonly string[]): string[] {
  return problems.map((problem) => `! ${printableLine(problem, 1000)}`);
}

function columns(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = titles.length === 0 ? rows : [titles, ...rows];
  const widths = (all[0] ?? []).map((_, at) => Math.max(...all.map((row) => (row[at] ?? '').length)));
  return all.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function roughly(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} days`;
}
