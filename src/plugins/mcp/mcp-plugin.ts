// The built-in plugin "mcp": a user command over the MCP servers of the fleet. Their tools are the fleet's; this one has none.
import { PluglotError } from '../../base/error.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { didYouMean } from '../../base/suggest.ts';
import { failures } from '../../definition/common-failures.ts';
import { definePlugin } from '../../definition/define-plugin.ts';
import type { Definition } from '../../definition/definition.ts';
import { result, type Result } from '../../definition/result.ts';
import type { HostPorts } from '../host-ports.ts';
import { LOG_MAX } from './log-ring.ts';
import type { ConnectOptions, McpServers, ServerView } from './servers.ts';
import { typedServer } from './typed-server.ts';
import {
  addressText,
  helpText,
  isConnected,
  listText,
  logText,
  reloadText,
  showText,
  statusText,
} from './words.ts';

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

/** Somebody may have to say yes in a browser, which ends by itself after 5 minutes for each server. */
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
      return result({ text: `${named()} is gone from ${file}.`, data: { file } });
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
        `There is no "mcp ${subcommand.slice(0, 40)}".${didYouMean(subcommand, subcommands) || ' `mcp help` shows what there is.'}`,
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
  // One that is gone may still have said something.
  if (server !== undefined && entries.length === 0 && !isServer) oneOf(all, server);
  const last = entries.slice(-count);
  return result({ text: logText(last), data: asJson(last) });
}

function oneOf(servers: readonly ServerView[], name: string): ServerView {
  const found = servers.find((server) => server.name === name);
  if (found !== undefined) return found;
  const names = servers.map((server) => server.name);
  const way = didYouMean(name, names) || ' `mcp list` shows them.';
  throw new PluglotError('UNKNOWN_PLUGIN', `There is no MCP server "${name.slice(0, 100)}".${way}`);
}

function wordIn(args: JsonObject, name: string): string | undefined {
  const value = args[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function beginning(words: readonly string[], typed: string): string[] {
  return words.filter((word) => word.startsWith(typed));
}

/** Views are JSON but for what is not set. */
function asJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
