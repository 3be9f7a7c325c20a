// `.mcp.json`: MCP servers that projects share between clients.
import path from 'node:path';
import { isJsonObject, type Json } from '../../base/json.ts';
import { MiB } from '../../base/units.ts';
import type { OAuthSettings } from '../../definition/plugin-spec.ts';
import { type OpenPlace, otherWriters } from '../trust/paths.ts';
import { type Candidate, type Candidates, pluginName } from './candidate.ts';
import type { PluginEntry } from './config-file.ts';
import type { Environment } from './config-places.ts';
import { specOfEntry } from './entry-spec.ts';
import { countingMembers, memberOf } from './json-reader.ts';
import { readManifest } from './json-file.ts';
import type { Problem } from './problem.ts';

export async function mcpJson(
  file: string,
  context: {
    readonly home: string;
    readonly env: Environment;
    /** Not one of a project's. */ readonly own: boolean;
  },
): Promise<Candidates> {
  const { home, env, own } = context;
  const read = await readManifest(file, 'jsonc', 4 * MiB);
  if (read.kind === 'absent') return { candidates: [], problems: [] };
  if (read.kind === 'broken') return { candidates: [], problems: [read.problem] };
  const candidates: Candidate[] = [];
  const problems: Problem[] = [];
  const servers = memberOf(read.root, 'mcpServers')?.node;
  if (!servers?.members) {
    const reason = servers ? '"mcpServers" is not an object' : '"mcpServers" is missing';
    const wayOut = 'Write { "mcpServers": { "NAME": { "command": "…" } } }.';
    problems.push({ file, line: read.lineOf('mcpServers'), severity: 'error', reason, wayOut });
  }
  const folder = path.dirname(file);
  const open = own ? otherWriters(file, 'configuration') : undefined;
  const ownWord = own && open === undefined;
  if (open !== undefined) problems.push(notOnlyTheUsers(file, open));
  for (const { key, line, node } of countingMembers(servers)) {
    const name = pluginName(key);
    const broken = (reason: string, wayOut: string) => {
      const shown = `mcpServers.${key.slice(0, 80)}: ${reason}`;
      problems.push({
        file,
        line,
        severity: 'error',
        reason: shown,
        wayOut,
        ...(name !== undefined && { plugin: name }),
      });
    };
    if (name === undefined) {
      broken('not a name for a plugin', 'Use letters, digits, dots, dashes and underscores.');
      continue;
    }
    const server = mcpServer(node.value);
    if (!server.ok) {
      broken(server.reason, server.wayOut);
      continue;
    }
    const made = specOfEntry(name, server.entry, {
      folder,
      home,
      env,
      forms: 'all',
      ...(!own && { cwd: folder }),
    });
    if (made.kind === 'missing') broken(...missingVariables(made.variables));
    if (made.kind !== 'spec') continue;
    candidates.push({
      spec: made.spec,
      origin: { kind: 'mcp-json', file, line },
      claim: ownWord ? 'own' : { root: folder, subjects: [], evidence: [{ file, sha256: read.sha256 }] },
      ...(server.entry.disabled && { disabled: true }),
    });
  }
  return { candidates, problems };
}

/** For a user's file that others can change or replace: it needs the same trust as a project's file. */
export function notOnlyTheUsers(file: string, { place, reason, fix }: OpenPlace): Problem {
  const what = place === file ? 'it' : `"${file}"`;
  return {
    file: place,
    severity: 'warning',
    reason: `it ${reason}, so that ${what} has to be trusted like a file of a project`,
    wayOut: fix,
  };
}

/** For a plugin whose settings name variables that are not set. */
export function missingVariables(variables: readonly string[]): [reason: string, wayOut: string] {
  const names = variables.map((name) => name.slice(0, 80)).join(', ');
  return [
    `it needs ${names} of the environment, which ${variables.length === 1 ? 'is' : 'are'} not set`,
    'Set it, or write a default: ${NAME:-default}.',
  ];
}

// One MCP server of `mcpServers` (or `servers`), as other clients write it, as an entry.

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
      return refuse('"command" is not text', 'Name the program to start.');
    const args = value['args'] ?? [];
    if (!isTexts(args)) return refuse('"args" is not a list of texts', 'Write ["one", "two"].');
    const env = textsOf(value['env']);
    if (env === undefined) return refuse('"env" is not an object of texts', 'Write { "NAME": "value" }.');
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
  if (!/^(https?:\/\/|\$\{)/.test(url)) return refuse('"url" is not an http address', 'Write "https://…".');
  const headers = textsOf(value['headers']);
  if (headers === undefined)
    return refuse('"headers" is not an object of texts', 'Write { "Authorization": "Bearer ${TOKEN}" }.');
  const oauth = settingsOf(value['oauth']);
  if (oauth === undefined)
    return refuse('"oauth" is not an object of settings', 'Write { "clientId": "…", "callbackPort": 8765 }.');
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

/** Other clients have further keys, which are ignored. */
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

/** Numbers and booleans become text; null removes a variable, which here means to leave it out. */
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
