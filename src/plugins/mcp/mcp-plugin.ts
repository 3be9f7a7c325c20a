// The built-in plugin "mcp": a user command over the MCP servers of the fleet. Their tools are the fleet's; this one has none.
import { PluglotError } from '../../base/error.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { sentences } from '../../base/text.ts';
import { didYouMean } from '../../base/names.ts';
import { definePlugin } from '../../definition/define-plugin.ts';
import type { Definition } from '../../definition/definition.ts';
import { failures } from '../../definition/failure.ts';
import { type Result, result } from '../../definition/outcome.ts';
import type { PluginEntry } from '../../fleet/discovery/config-file.ts';
import { mcpServer } from '../../fleet/discovery/mcp-json.ts';
import { splitCommandLine } from '../../fleet/supervisor/program.ts';
import type { HostPorts } from '../host-ports.ts';
import { LOG_MAX, type ConnectOptions, type McpServers, type ServerView } from './servers.ts';
import {
  addressText,
  helpText,
  isConnected,
  listText,
  logText,
  reloadText,
  showText,
  statusText,
} from './texts.ts';

export function mcpPlugin({ mcpServers }: Pick<HostPorts, 'mcpServers'>): Definition {
  const servers = (): McpServers =>
    mcpServers?.() ?? failures.notInitialized({ message: 'This host has no MCP servers: it runs no fleet.' });
  return definePlugin({
    name: 'mcp',
    version: '1.0.0',
    description:
      'The MCP servers of this machine and this project: a command to look at them and to change them.',
    config: {
      type: 'object',
      properties: {
        log_entries: {
          type: 'integer',
          minimum: 1,
          maximum: LOG_MAX,
          default: 50,
          description: 'How many entries `mcp logs` shows.',
        },
      },
      additionalProperties: false,
    },
    commands: {
      mcp: {
        description: `MCP servers: ${subcommands.join(', ')}`,
        shareWithModel: false,
        forUsersOnly: true,
        timeoutMs: COMMAND_MS,
        parameters: [
          { name: 'subcommand', description: subcommands.join(' | ') },
          { name: 'server', description: 'The name of a server; for logs also: clear' },
          { name: 'rest', description: 'For add: how it is started, or its address', captureRest: true },
        ],
        async complete(parameter, typed) {
          if (parameter === 'subcommand') return beginning(subcommands, typed);
          if (parameter !== 'server') return [];
          const { servers: known } = await servers().list();
          return beginning([...known.map(({ name }) => name), 'clear'], typed);
        },
        handler: (args, { stream, signal, config }) =>
          run(servers(), args, config.log_entries, {
            signal,
            show: (server, url) => stream(addressText(server, url)),
          }),
      },
    },
  });
}

/** The user may have to log in with a browser, which takes at most 5 minutes for each server. */
const COMMAND_MS = 15 * 60_000;

const subcommands = [
  'list',
  'status',
  'show',
  'add',
  'remove',
  'connect',
  'disconnect',
  'reload',
  'logs',
  'help',
] as const;

async function run(
  servers: McpServers,
  args: JsonObject,
  logEntries: number,
  options: ConnectOptions,
): Promise<string | Result> {
  const subcommand = wordIn(args, 'subcommand') ?? 'help';
  const server = wordIn(args, 'server');
  const named = () => {
    if (server !== undefined) return server;
    throw new PluglotError(
      'INVALID_ARGUMENTS',
      `mcp ${subcommand} needs the name of a server. \`mcp list\` shows them.`,
    );
  };
  switch (subcommand) {
    case 'list': {
      const list = await servers.list();
      return result({ text: listText(list), data: asJson(list) });
    }
    case 'status': {
      const { servers: all, problems } = await servers.list();
      const shown = server === undefined ? all : [oneOf(all, server)];
      if (shown.length === 0) return result({ text: listText({ servers: [], problems }), data: asJson([]) });
      return result({
        text: statusText(shown, server === undefined ? problems : []),
        data: asJson(shown),
      });
    }
    case 'show': {
      const one = oneOf((await servers.list()).servers, named());
      return result({ text: showText(one), data: asJson(one) });
    }
    case 'add': {
      const name = named();
      const { entry, isUser } = typedServer(wordIn(args, 'rest') ?? '');
      const { file, server: added } = await servers.add(name, entry, { ...options, isUser });
      const how = added === undefined ? [] : [statusText([added], [])];
      return result({
        text: [`${name} is in ${file} now.`, ...how].join('\n'),
        data: asJson({ file, server: added }),
      });
    }
    case 'remove': {
      const { file } = await servers.remove(named());
      return result({ text: `${named()} was removed from ${file}.`, data: { file } });
    }
    case 'connect': {
      const view = await servers.connect(named(), options);
      return result({ text: statusText([view], []), data: asJson(view) });
    }
    case 'disconnect': {
      const view = await servers.disconnect(named());
      const text = isConnected(view.state) ? statusText([view], []) : `${view.name} is disconnected.`;
      return result({ text, data: asJson(view) });
    }
    case 'reload': {
      const reloaded = await servers.reload(options);
      return result({ text: reloadText(reloaded), data: asJson(reloaded) });
    }
    case 'logs':
      return logs(servers, server, logEntries);
    case 'help':
      return helpText;
    default:
      throw new PluglotError(
        'INVALID_ARGUMENTS',
        `"mcp ${subcommand.slice(0, 40)}" does not exist.${didYouMean(subcommand, subcommands) || ' `mcp help` shows the subcommands.'}`,
      );
  }
}

async function logs(
  servers: McpServers,
  server: string | undefined,
  count: number,
): Promise<string | Result> {
  const { servers: all } = await servers.list();
  const isServer = all.some(({ name }) => name === server);
  if (server === 'clear' && !isServer) {
    servers.clearLogs();
    return 'The log is empty now.';
  }
  const entries = servers.logs().filter((entry) => server === undefined || entry.server === server);
  // A removed server may still have entries.
  if (server !== undefined && entries.length === 0 && !isServer) oneOf(all, server);
  const last = entries.slice(-count);
  return result({ text: logText(last), data: asJson(last) });
}

function oneOf(servers: readonly ServerView[], name: string): ServerView {
  const found = servers.find((server) => server.name === name);
  if (found !== undefined) return found;
  const names = servers.map((server) => server.name);
  const way = didYouMean(name, names) || ' `mcp list` shows them.';
  throw new PluglotError('UNKNOWN_PLUGIN', `The MCP server "${name.slice(0, 100)}" does not exist.${way}`);
}

function wordIn(args: JsonObject, name: string): string | undefined {
  const value = args[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function beginning(candidates: readonly string[], typed: string): string[] {
  return candidates.filter((one) => one.startsWith(typed));
}

/** Views are JSON, except for undefined fields. */
function asJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

interface TypedServer {
  readonly entry: PluginEntry;
  readonly isUser: boolean;
}

const ADD_USAGE =
  'mcp add NAME [--user] [--env KEY=VALUE] [--header KEY=VALUE] COMMAND [ARGS…] | URL | {JSON}';

/** @throws PluglotError INVALID_ARGUMENTS, which never quotes a value: it may be a secret */
function typedServer(text: string): TypedServer {
  const { isUser, env, headers, rest } = optionsIn(text.trim());
  if (rest === '') throw wrong('a command line, an address or JSON is missing');
  if (rest.startsWith('{')) return { isUser, entry: { ...entryOf(parsed(rest)), ...more(env, headers) } };
  const words = splitCommandLine(rest);
  const [first = '', ...args] = words[0] === '--' ? words.slice(1) : words;
  if (/^https?:\/\//i.test(first)) {
    if (args.length > 0) throw wrong('an address has no arguments');
    if (Object.keys(env).length > 0) throw wrong('a server with an address has no environment; use --header');
    return { isUser, entry: { ...entryOf({ type: 'http', url: first }), ...more({}, headers) } };
  }
  if (first === '') throw wrong('the command is missing');
  if (Object.keys(headers).length > 0) throw wrong('headers are for servers with an address');
  return { isUser, entry: { ...entryOf({ type: 'stdio', command: first, args }), ...more(env, {}) } };
}

interface Options {
  readonly isUser: boolean;
  readonly env: Record<string, string>;
  readonly headers: Record<string, string>;
  /** As it was typed. */
  readonly rest: string;
}

/** Options before the command; those after it belong to the command. */
function optionsIn(text: string): Options {
  const pairs = { '--env': new Map<string, string>(), '--header': new Map<string, string>() };
  let isUser = false;
  let rest = text;
  for (;;) {
    const [whole = '', user, pairOption, word] = OPTION.exec(rest) ?? [];
    const option = user ?? pairOption;
    if (option === '--user') isUser = true;
    else if (option === '--env' || option === '--header') {
      const [pair = ''] = splitCommandLine(word ?? '');
      const at = pair.indexOf('=');
      if (at < 1) throw wrong(`${option} takes KEY=VALUE`);
      pairs[option].set(pair.slice(0, at), pair.slice(at + 1));
    } else break;
    rest = rest.slice(whole.length);
  }
  return {
    isUser,
    env: Object.fromEntries(pairs['--env']),
    headers: Object.fromEntries(pairs['--header']),
    rest,
  };
}

const OPTION = /^(?:(--user)(?=\s|$)|(--env|--header)\s+((?:"[^"]*"|'[^']*'|[^\s"'])+))\s*/;

function parsed(text: string): Json {
  try {
    // What JSON.parse gives is JSON.
    return JSON.parse(text) as Json;
  } catch {
    throw wrong('the text that begins with { is not JSON');
  }
}

function entryOf(value: Json): PluginEntry {
  const server = mcpServer(value);
  if (!server.ok) throw wrong(sentences(server.reason, server.wayOut).replace(/\.$/, ''));
  return server.entry;
}

function more(env: Record<string, string>, headers: Record<string, string>): PluginEntry {
  return {
    ...(Object.keys(env).length > 0 && { env }),
    ...(Object.keys(headers).length > 0 && { headers }),
  };
}

function wrong(what: string): PluglotError {
  return new PluglotError('INVALID_ARGUMENTS', `mcp add: ${what}. Usage: ${ADD_USAGE}`);
}
