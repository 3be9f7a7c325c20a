// From an entry of a configuration to the spec of a plugin: paths made absolute, references replaced.
import path from 'node:path';
import { isSecretName } from '../../base/secret-shapes.ts';
import { isSecretValue } from '../../base/secret-values.ts';
import type { PluginSpec, ProgramSpec, RemoteSpec } from '../../definition/plugin-spec.ts';
import type { PluginEntry } from './config-file.ts';
import type { Environment } from './home-folders.ts';
import { expandReferences } from './references.ts';

export interface EntrySurroundings {
  /** Where the file lies that has the entry: relative paths start there. */
  readonly folder: string;
  readonly home: string;
  readonly env: Environment;
  /**
   * Which references are replaced in a command: a script may use `${NAME}` for itself.
   * @default 'env-only'
   */
  readonly forms?: 'all' | 'env-only';
  /** The folder to run in when the entry names none; undefined: the host's. */
  readonly cwd?: string;
}

export type EntrySpec =
  | { readonly kind: 'spec'; readonly spec: PluginSpec }
  /** It only sets what holds for a plugin that is found elsewhere. */
  | { readonly kind: 'settings' }
  | { readonly kind: 'missing'; readonly variables: readonly string[] };

export function specOfEntry(name: string, entry: PluginEntry, surroundings: EntrySurroundings): EntrySpec {
  const missing = new Set<string>();
  const secrets = new Set<string>();
  const expand: Expand = (text, key = '', forms = 'all') => {
    const expanded = expandReferences(text, surroundings.env, forms);
    for (const variable of expanded.missing) missing.add(variable);
    for (const { name: variable, value } of expanded.referred)
      if (isSecretValue(value, isSecretName(variable) || isSecretName(key))) secrets.add(value);
    return expanded.text;
  };
  const inCommand = (text: string) => expand(text, '', surroundings.forms ?? 'env-only');
  const start =
    entry.command === undefined
      ? remoteOf(entry, expand)
      : programOf(entry, entry.command, surroundings, inCommand);
  if (start === undefined) return { kind: 'settings' };
  if (missing.size > 0) return { kind: 'missing', variables: [...missing] };
  // What is reached speaks MCP: no other dialect has a way over HTTP.
  const spec: PluginSpec = {
    name,
    ...(start.kind === 'http' && { dialect: 'mcp' }),
    start,
    ...(secrets.size > 0 && { secrets: [...secrets] }),
  };
  return { kind: 'spec', spec: withSettings(spec, entry) };
}

/** `key`: the name that the text stands under. */
type Expand = (text: string, key?: string, forms?: 'all' | 'env-only') => string;

/** The spec with what the entry sets beside how to start. */
export function withSettings(spec: PluginSpec, entry: PluginEntry): PluginSpec {
  const {
    dialect,
    config,
    concurrency,
    instances,
    queueLimit,
    liveness,
    lazy,
    idleStopMs,
    restart,
    methods,
    sandbox,
    clients,
  } = entry;
  const { env, limits } = entry;
  const start =
    env !== undefined && spec.start.kind === 'program'
      ? { ...spec.start, env: { ...spec.start.env, ...env } }
      : spec.start;
  return {
    ...spec,
    start,
    ...(dialect !== undefined && { dialect }),
    ...(config !== undefined && { config }),
    ...(limits !== undefined && { limits: { ...spec.limits, ...limits } }),
    ...(concurrency !== undefined && { concurrency }),
    ...(instances !== undefined && { instances }),
    ...(queueLimit !== undefined && { queueLimit }),
    ...(liveness !== undefined && { liveness }),
    ...(lazy !== undefined && { lazy }),
    ...(idleStopMs !== undefined && { idleStopMs }),
    ...(restart !== undefined && { restart: { ...spec.restart, ...restart } }),
    ...(methods !== undefined && { methods }),
    ...(sandbox !== undefined && { sandbox }),
    ...(clients !== undefined && { clients }),
  };
}

/** The entry, whose folders start where the file lies that it is in. */
export function withAbsoluteFolders(
  entry: PluginEntry,
  place: Pick<EntrySurroundings, 'folder' | 'home'>,
): PluginEntry {
  const { sandbox } = entry;
  if (typeof sandbox !== 'object' || sandbox.folders === undefined) return entry;
  const folders: Record<string, 'read-only' | 'writable'> = {};
  for (const [name, access] of Object.entries(sandbox.folders)) folders[absolute(name, place)] = access;
  return { ...entry, sandbox: { ...sandbox, folders } };
}

/** What a file that is not trusted may say of it: more confined than it is, never less. */
export function tightened(spec: PluginSpec, { sandbox }: PluginEntry): PluginSpec {
  if (sandbox === undefined || sandbox === false) return spec;
  const { network, memoryMiB = Infinity, processes = Infinity } = sandbox === true ? {} : sandbox;
  if (spec.sandbox === undefined || spec.sandbox === false) return { ...spec, sandbox };
  const own = spec.sandbox === true ? {} : spec.sandbox;
  const least = {
    memoryMiB: Math.min(own.memoryMiB ?? Infinity, memoryMiB),
    processes: Math.min(own.processes ?? Infinity, processes),
  };
  const limits = Object.entries(least).filter(([, limit]) => limit !== Infinity);
  return {
    ...spec,
    sandbox: {
      ...own,
      ...Object.fromEntries(limits),
      ...(own.network === true && { network: network === true }),
    },
  };
}

function programOf(
  { args, cwd, env }: PluginEntry,
  command: string,
  surroundings: EntrySurroundings,
  expand: (text: string) => string,
): ProgramSpec {
  const place = cwd === undefined ? surroundings.cwd : absolute(expand(cwd), surroundings);
  const written = [command, ...(args ?? [])];
  const [program = '', ...words] = written.map((word) => expand(word));
  return {
    kind: 'program',
    command: commandOf(program, surroundings),
    ...(args !== undefined && { args: words }),
    ...([program, ...words].some((word, index) => word !== written[index]) && { shown: written }),
    ...(place !== undefined && { cwd: place }),
    // Its references stay, so that no secret is in a spec that somebody shows; who starts it replaces them.
    ...(env !== undefined && { env }),
  };
}

function remoteOf({ url, headers, oauth }: PluginEntry, expand: Expand): RemoteSpec | undefined {
  if (url === undefined) return undefined;
  const address = expand(url);
  return {
    kind: 'http',
    url: address,
    ...(address !== url && { shown: url }),
    ...(headers !== undefined && {
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, expand(value, name)]),
      ),
    }),
    ...(oauth !== undefined && {
      oauth: Object.fromEntries(
        Object.entries(oauth).map(([name, value]) => [
          name,
          typeof value === 'string' ? expand(value, name) : value,
        ]),
      ),
    }),
  };
}

/** A bare name is looked for in PATH; everything else is a path. */
function commandOf(command: string, surroundings: EntrySurroundings): string {
  return /[/\\]/.test(command) || command === '~' ? absolute(command, surroundings) : command;
}

export function absolute(
  place: string,
  { folder, home }: Pick<EntrySurroundings, 'folder' | 'home'>,
): string {
  if (place === '~' || place.startsWith('~/')) return path.join(home, place.slice(1));
  return path.resolve(folder, place);
}
