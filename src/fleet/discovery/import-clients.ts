// `pluglot import`: the MCP servers that other clients know, as entries of ours, and what could not be taken and why.
import path from 'node:path';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { MiB } from '../../base/limits.ts';
import { type ClientFile, clientFiles, type ClientName, type ClientSurroundings } from './client-files.ts';
import { translateReferences } from './client-references.ts';
import type { PluginEntry } from './config-file.ts';
import { countingMembers, type JsonNode, memberOf } from './json-reader.ts';
import { readManifest } from './manifest-file.ts';
import { mcpServer } from './mcp-servers.ts';
import { pluginName } from './plugin-name.ts';
import type { Problem } from './problem.ts';
import { secretsIn } from './secrets.ts';

export interface ImportOptions extends ClientSurroundings {
  /**
   * Whose file they are meant for: paths of a project stay relative in the project's own. What a project brings is not for the user's,
   * since that is run without a question.
   * @default 'user'
   */
  readonly into?: 'user' | 'project';
}

export interface Imported {
  readonly files: readonly { readonly file: string; readonly state: 'read' | 'absent' | 'broken' }[];
  readonly entries: readonly ImportedEntry[];
  readonly refused: readonly Problem[];
}

export interface ImportedEntry {
  readonly name: string;
  readonly entry: PluginEntry;
  readonly from: { readonly file: string; readonly line: number };
  /** Whose word it is. */
  readonly owner: 'user' | 'project';
  /** What is different from now on, in words for the user. */
  readonly notes: readonly string[];
  /** Where secrets stand that were taken as they are. Show the entry with `maskedEntry` alone. */
  readonly secrets: readonly string[];
}

export async function importFrom(client: ClientName, options: ImportOptions): Promise<Imported> {
  const files = new Map<string, 'read' | 'absent' | 'broken'>();
  const entries = new Map<string, ImportedEntry>();
  const refused: Problem[] = [];
  for (const source of clientFiles(client, options)) {
    // One of these files also keeps histories, so it may be large.
    const read = await readManifest(source.file, 'jsonc', 32 * MiB);
    if (read.kind === 'broken' && !files.has(source.file)) refused.push(read.problem);
    files.set(source.file, read.kind);
    if (read.kind !== 'read') continue;
    const off = switchedOff(client, read.object);
    for (const { key, start, node } of serversIn(read.root, source)) {
      const from = { file: source.file, line: read.placeOf(start).line };
      const made =
        source.owner === 'project' && options.into !== 'project'
          ? ofProject
          : entryFrom(key, node, client, source, options);
      const problem = (reason: string, wayOut: string): Problem => ({
        ...from,
        severity: 'error',
        reason: `${key.slice(0, 80)}: ${reason}`,
        wayOut,
      });
      if ('reason' in made) refused.push(problem(made.reason, made.wayOut));
      else if (entries.has(made.name)) {
        const first = entries.get(made.name)?.from.file ?? '';
        refused.push(
          problem(
            `there is one of this name in ${first} already, which comes first`,
            'Rename one of them there.',
          ),
        );
      } else {
        const entry = off.has(key) ? { ...made.entry, disabled: true } : made.entry;
        entries.set(made.name, { ...made, entry, from, owner: source.owner, secrets: secretsIn(entry) });
      }
    }
  }
  return {
    files: [...files].map(([file, state]) => ({ file, state })),
    entries: [...entries.values()],
    refused,
  };
}

function serversIn(root: JsonNode, { servers }: ClientFile) {
  let node: JsonNode | undefined = root;
  for (const key of servers) node = node && memberOf(node, key)?.node;
  return countingMembers(node);
}

/** Gemini keeps a list of servers that are not to be used. */
function switchedOff(client: ClientName, file: JsonObject): ReadonlySet<unknown> {
  const mcp = client === 'gemini' ? file['mcp'] : undefined;
  const excluded = isJsonObject(mcp) ? mcp['excluded'] : undefined;
  return new Set<unknown>(Array.isArray(excluded) ? excluded : []);
}

type Made =
  | { readonly name: string; readonly entry: PluginEntry; readonly notes: readonly string[] }
  | { readonly reason: string; readonly wayOut: string };

const ofProject: Made = {
  reason: 'it comes from this project',
  wayOut: 'Use --project to import it there, then trust that file.',
};

function entryFrom(
  key: string,
  node: JsonNode,
  client: ClientName,
  source: ClientFile,
  options: ImportOptions,
): Made {
  const name = pluginName(key);
  if (name === undefined) return { reason: 'nothing of this name can be kept', wayOut: 'Rename it there.' };
  const raw = isJsonObject(node.value) ? node.value : {};
  // In Gemini's words a plain "url" is the old transport.
  const isOld =
    client === 'gemini' &&
    raw['url'] !== undefined &&
    raw['httpUrl'] === undefined &&
    raw['type'] === undefined;
  const server = mcpServer(isOld ? { ...raw, type: 'sse' } : node.value);
  if (!server.ok) return server;

  const unknown = new Set<string>();
  const asked = new Set<string>();
  const fixed = new Set<string>();
  const translate = (text: string): string => {
    const translated = translateReferences(text, client, options);
    for (const one of translated.unknown) unknown.add(one);
    for (const one of translated.asked) asked.add(one);
    for (const one of translated.fixed) fixed.add(one);
    return translated.text;
  };
  // Only in `env` is there something to translate where the other client replaces nothing.
  const translated =
    client === 'claude-desktop'
      ? { ...server.entry, ...(server.entry.env && mapTexts({ env: server.entry.env }, translate)) }
      : mapTexts(server.entry, translate);
  const [stranger] = unknown;
  if (stranger !== undefined) {
    return {
      reason: `it uses ${stranger}, which only the other client can replace`,
      wayOut: 'Write its value there, then import again.',
    };
  }
  const { timeout } = raw;
  const limits =
    typeof timeout === 'number' && Number.isInteger(timeout) && timeout > 0
      ? { limits: { callMs: Math.min(timeout, 2 ** 31 - 1) } }
      : {};
  return {
    name,
    entry: { ...placed(translated, source, options), ...limits },
    notes: [
      ...(name === key ? [] : [`"${key.slice(0, 80)}" is called "${name}" here`]),
      ...[...asked].map((variable) => `set ${variable} in the environment: the other client asked for it`),
      // What a project's own file says was meant for this folder anyway.
      ...(source.scope === 'user' && fixed.size > 0
        ? [`${[...fixed].join(', ')}: of ${options.cwd} from now on, also when you are elsewhere`]
        : []),
      ...Object.keys(raw).flatMap((one) => notTaken.get(one) ?? []),
    ],
  };
}

/** What has no place in an entry of ours, and what to know about that. */
const notTaken: ReadonlyMap<string, string> = new Map(
  Object.entries({
    alwaysAllow: '"alwaysAllow" was not taken: what may be called without asking is decided here',
    auth: '"auth" was not taken: put what it gives into "headers"',
    autoApprove: '"autoApprove" was not taken: what may be called without asking is decided here',
    envFile: '"envFile" was not taken: its variables are not set; write them into "env"',
    excludeTools: '"excludeTools" was not taken: all tools are offered',
    headersHelper: '"headersHelper" was not taken: put what it prints into "headers"',
    includeTools: '"includeTools" was not taken: all tools are offered',
    oauth: '"oauth" was not taken: put a token into "headers"',
    trust: '"trust" was not taken: what may be called without asking is decided here',
  }),
);

function mapTexts(entry: PluginEntry, translate: (text: string) => string): PluginEntry {
  const all = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, translate(value)]));
  const { command, args, cwd, env, url, headers } = entry;
  return {
    ...entry,
    ...(command !== undefined && { command: translate(command) }),
    ...(args !== undefined && { args: args.map(translate) }),
    ...(cwd !== undefined && { cwd: translate(cwd) }),
    ...(env !== undefined && { env: all(env) }),
    ...(url !== undefined && { url: translate(url) }),
    ...(headers !== undefined && { headers: all(headers) }),
  };
}

/** A program of a project runs in the project's folder; in the user's file that has to be written down. */
function placed(
  entry: PluginEntry,
  { scope }: ClientFile,
  { cwd, into = 'user' }: ImportOptions,
): PluginEntry {
  const { command } = entry;
  if (command === undefined || scope === 'user' || into === 'project') return entry;
  const isRelative = /[/\\]/.test(command) && !path.isAbsolute(command) && !/^(~|\$\{)/.test(command);
  return {
    ...entry,
    command: isRelative ? path.resolve(cwd, command) : command,
    cwd: path.resolve(cwd, entry.cwd ?? '.'),
  };
}
