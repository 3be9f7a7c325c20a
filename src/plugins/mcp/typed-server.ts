// What somebody types behind `mcp add NAME`, as an entry: a command line, an address, or JSON as .mcp.json has it.
import { PluglotError } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import { sentences } from '../../base/sentence.ts';
import type { PluginEntry } from '../../fleet/discovery/config-file.ts';
import { mcpServer } from '../../fleet/discovery/mcp-servers.ts';
import { splitCommandLine } from '../../fleet/supervisor/command-line.ts';

export interface TypedServer {
  readonly entry: PluginEntry;
  readonly isUser: boolean;
}

const ADD_USAGE =
  'mcp add NAME [--user] [--env KEY=VALUE] [--header KEY=VALUE] COMMAND [ARGS…] | URL | {JSON}';

/** @throws PluglotError INVALID_ARGUMENTS, which never quotes a value: it may be a secret */
export function typedServer(text: string): TypedServer {
  const { isUser, env, headers, rest } = optionsIn(text.trim());
  if (rest === '') throw wrong('nothing says how it is started or where it is reached');
  if (rest.startsWith('{')) return { isUser, entry: { ...entryOf(parsed(rest)), ...more(env, headers) } };
  const words = splitCommandLine(rest);
  const [first = '', ...args] = words[0] === '--' ? words.slice(1) : words;
  if (/^https?:\/\//i.test(first)) {
    if (args.length > 0) throw wrong('an address has no arguments');
    if (Object.keys(env).length > 0) throw wrong('what is only reached has no environment; use --header');
    return { isUser, entry: { ...entryOf({ type: 'http', url: first }), ...more({}, headers) } };
  }
  if (first === '') throw wrong('nothing says how it is started');
  if (Object.keys(headers).length > 0) throw wrong('headers are for what is reached with an address');
  return { isUser, entry: { ...entryOf({ type: 'stdio', command: first, args }), ...more(env, {}) } };
}

interface Options {
  readonly isUser: boolean;
  readonly env: Record<string, string>;
  readonly headers: Record<string, string>;
  /** As it was typed. */
  readonly rest: string;
}

/** Those before the command; behind it they are the command's own. */
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
    throw wrong('what begins with { is no JSON');
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
  return new PluglotError('INVALID_ARGUMENTS', `mcp add: ${what}. It is used like this: ${ADD_USAGE}`);
}
