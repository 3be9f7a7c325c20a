// `pluglot import`: the MCP servers of other clients as entries, and which could not be imported and why.
import path from 'node:path';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { MiB } from '../../base/units.ts';
import { replaceReferencesIn } from '../../secrets/secret-shapes.ts';
import { type ClientFile, clientFiles, type ClientName, type ClientEnvironment } from './client-files.ts';
import type { PluginEntry } from './config-file.ts';
import { countingMembers, type JsonNode, memberOf } from './json-reader.ts';
import { readManifest } from './json-file.ts';
import { mcpServer } from './mcp-json.ts';
import { pluginName } from './candidate.ts';
import type { Problem } from './problem.ts';
import { secretsIn } from './secrets.ts';

export interface ImportOptions extends ClientEnvironment {
  /**
   * The file that they are imported into: paths of a project stay relative in the project's own. Servers of a project are not imported
   * into the user's file, since its entries run without being trusted first.
   * @default 'user'
   */
  readonly into?: 'user' | 'project';
}

interface Imported {
  readonly files: readonly { readonly file: string; readonly state: 'read' | 'absent' | 'broken' }[];
  readonly entries: readonly ImportedEntry[];
  readonly refused: readonly Problem[];
}

export interface ImportedEntry {
  readonly name: string;
  readonly entry: PluginEntry;
  readonly from: { readonly file: string; readonly line: number };
  /** Who wrote it. */
  readonly owner: 'user' | 'project';
  /** What changes with the import, for the user. */
  readonly notes: readonly string[];
  /** Places of secrets that were copied. Show the entry with `maskedEntry` alone. */
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
    for (const { key, line, node } of serversIn(read.root, source)) {
      const from = { file: source.file, line };
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
          problem(`${first} has one of this name already, which comes first`, 'Rename one of them there.'),
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
  if (name === undefined)
    return { reason: 'no character of this name can be kept', wayOut: 'Rename it there.' };
  const raw = isJsonObject(node.value) ? node.value : {};
  // For Gemini a plain "url" is the old transport.
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
  // A client that replaces nothing needs translation in `env` alone.
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
      // A project's own file was meant for this folder anyway.
      ...(source.scope === 'user' && fixed.size > 0
        ? [`${[...fixed].join(', ')}: of ${options.cwd} from now on, also when you are elsewhere`]
        : []),
      ...Object.keys(raw).flatMap((one) => notTaken.get(one) ?? []),
    ],
  };
}

/** Settings without a counterpart in an entry, with a note for the user. */
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

/** A program of a project runs in the project's folder; the user's file has to name that folder. */
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

interface Translated {
  readonly text: string;
  /** References that only the other client can replace. */
  readonly unknown: readonly string[];
  /** Variables that have to be set now, because the other client asked for them. */
  readonly asked: readonly string[];
  /** References to the folder that was open there; replaced by the current folder. */
  readonly fixed: readonly string[];
}

function translateReferences(text: string, client: ClientName, context: ClientEnvironment): Translated {
  const unknown: string[] = [];
  const asked: string[] = [];
  const fixed: string[] = [];
  // Claude Desktop replaces nothing: what looks like a reference is literal text, written as `$${` in `env`.
  if (client === 'claude-desktop') return { text: text.replaceAll('${', () => '$${'), unknown, asked, fixed };
  const named = client === 'gemini' ? text.replaceAll(/\$([A-Za-z_]\w*)/g, '${$1}') : text;
  const translated = replaceReferencesIn(named, /\$\{([^}]*)\}/g, (whole, inner = '') => {
    const known = places(context).get(inner);
    if (known !== undefined && (client === 'cursor' || client === 'vscode')) {
      if (/^(workspace|cwd$)/.test(inner)) fixed.push(whole);
      return known;
    }
    const [, input] = /^input:(.+)$/.exec(inner) ?? [];
    if (input !== undefined) {
      const variable = input
        .replaceAll(/\W+/g, '_')
        .replace(/^(?=\d)/, '_')
        .toUpperCase();
      asked.push(variable);
      return `\${env:${variable}}`;
    }
    if (/^(env:)?[A-Za-z_]\w*(:-.*)?$/s.test(inner)) return `\${env:${inner.replace(/^env:/, '')}}`;
    unknown.push(whole);
    return whole;
  });
  return { text: translated, unknown, asked, fixed };
}

function places({ home, cwd }: ClientEnvironment): ReadonlyMap<string, string> {
  return new Map(
    Object.entries({
      workspaceFolder: cwd,
      workspaceRoot: cwd,
      workspaceFolderBasename: path.basename(cwd),
      userHome: home,
      cwd,
      pathSeparator: path.sep,
      '/': path.sep,
    }),
  );
}
