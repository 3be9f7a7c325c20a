// One MCP server as the clients of the world write it down: from `mcpServers` (or `servers`) to an entry of ours.
import { isJsonObject, type Json } from '../../base/json.ts';
import type { OAuthSettings } from '../../definition/plugin-spec.ts';
import type { PluginEntry } from './config-file.ts';

export type McpServer =
  | { readonly ok: true; readonly entry: PluginEntry }
  | { readonly ok: false; readonly reason: string; readonly wayOut: string };

export function mcpServer(value: Json): McpServer {
  if (!isJsonObject(value))
    return refuse('expected an object', 'Write { "command": "…" } or { "type": "http", "url": "…" }.');
  const { type, command, disabled } = value;
  const url = value['httpUrl'] ?? value['url'];
  const off = disabled === true ? { disabled } : {};
  if (typeof type === 'string' && !known.has(type)) {
    const wayOut =
      type === 'sse'
        ? 'Use its Streamable HTTP address, often the one that ends with /mcp.'
        : 'Use "stdio" or "http".';
    return refuse(`the transport "${type.slice(0, 40)}" is not supported`, wayOut);
  }
  const isProgram = type === 'stdio' || (type === undefined && command !== undefined);
  if (isProgram) {
    if (typeof command !== 'string' || command === '')
      return refuse('"command" is no text', 'Name the program to start.');
    const args = value['args'] ?? [];
    if (!isTexts(args)) return refuse('"args" is no list of texts', 'Write ["one", "two"].');
    const env = textsOf(value['env']);
    if (env === undefined) return refuse('"env" is no object of texts', 'Write { "NAME": "value" }.');
    const cwd = value['cwd'];
    return {
      ok: true,
      entry: {
        dialect: 'mcp',
        command,
        ...(args.length > 0 && { args }),
        ...(typeof cwd === 'string' && cwd !== '' && { cwd }),
        ...(Object.keys(env).length > 0 && { env }),
        ...off,
      },
    };
  }
  if (typeof url !== 'string')
    return refuse('neither "command" nor "url"', 'Name the program to start, or the address to reach.');
  if (!/^(https?:\/\/|\$\{)/.test(url)) return refuse('"url" is no http address', 'Write "https://…".');
  const headers = textsOf(value['headers']);
  if (headers === undefined)
    return refuse('"headers" is no object of texts', 'Write { "Authorization": "Bearer ${TOKEN}" }.');
  const oauth = settingsOf(value['oauth']);
  if (oauth === undefined)
    return refuse('"oauth" is no object of settings', 'Write { "clientId": "…", "callbackPort": 8765 }.');
  return {
    ok: true,
    entry: {
      dialect: 'mcp',
      url,
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(Object.keys(oauth).length > 0 && { oauth }),
      ...off,
    },
  };
}

/** Other clients write more there, which is theirs. */
function settingsOf(value: Json | undefined): OAuthSettings | undefined {
  if (value === undefined || value === null) return {};
  if (!isJsonObject(value)) return undefined;
  const { clientId, clientSecret, scope, issuer, callbackPort } = value;
  const texts = { clientId, clientSecret, scope, issuer };
  if (Object.values(texts).some((one) => one !== undefined && typeof one !== 'string')) return undefined;
  const isPort =
    typeof callbackPort === 'number' &&
    Number.isInteger(callbackPort) &&
    callbackPort > 0 &&
    callbackPort < 65_536;
  if (callbackPort !== undefined && !isPort) return undefined;
  return Object.fromEntries(
    Object.entries({ ...texts, callbackPort }).filter(([, one]) => one !== undefined && one !== ''),
  );
}

const known = new Set(['stdio', 'http', 'streamable-http', 'streamableHttp']);

function isTexts(value: Json): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** Numbers and switches are written as text; null takes a variable away, which here is the same as leaving it out. */
function textsOf(value: Json | undefined): Record<string, string> | undefined {
  if (value === undefined || value === null) return {};
  if (!isJsonObject(value)) return undefined;
  const texts: [string, string][] = [];
  for (const [name, one] of Object.entries(value)) {
    if (one === null) continue;
    if (typeof one === 'object') return undefined;
    texts.push([name, String(one)]);
  }
  return Object.fromEntries(texts);
}

function refuse(reason: string, wayOut: string): McpServer {
  return { ok: false, reason, wayOut };
}
