// Turns a configuration entry into the spec of a plugin: absolute paths, references replaced.
import path from 'node:path';
import { defined } from '../../base/json.ts';
import type { PluginSpec, ProgramSpec, RemoteSpec } from '../../definition/plugin-spec.ts';
import { isSecretName, isSecretValue, replaceReferencesIn } from '../../secrets/secret-shapes.ts';
import { type Referred, valueOfVariable, variableIn } from '../supervisor/references.ts';
import type { PluginEntry } from './config-file.ts';
import type { Environment } from './config-places.ts';

export interface EntryContext {
  /** The folder of the configuration file: relative paths start there. */
  readonly folder: string;
  readonly home: string;
  readonly env: Environment;
  /**
   * Which references are replaced in a command: a script may use `${NAME}` for itself.
   * @default 'env-only'
   */
  readonly forms?: 'all' | 'env-only';
  /** The folder to run in if the entry has none; undefined: the host's. */
  readonly cwd?: string;
}

export type EntrySpec =
  | { readonly kind: 'spec'; readonly spec: PluginSpec }
  /** It only has settings for a plugin that is found elsewhere. */
  | { readonly kind: 'settings' }
  | { readonly kind: 'missing'; readonly variables: readonly string[] };

export function specOfEntry(name: string, entry: PluginEntry, context: EntryContext): EntrySpec {
  const missing = new Set<string>();
  const secrets = new Set<string>();
  const expand: Expand = (text, key = '', forms = 'all') => {
    const expanded = expandReferences(text, context.env, forms);
    for (const variable of expanded.missing) missing.add(variable);
    for (const { name: variable, value } of expanded.referred)
      if (isSecretValue(value, isSecretName(variable) || isSecretName(key))) secrets.add(value);
    return expanded.text;
  };
  const inCommand = (text: string) => expand(text, '', context.forms ?? 'env-only');
  const start =
    entry.command === undefined
      ? remoteOf(entry, expand)
      : programOf(entry, entry.command, context, inCommand);
  if (start === undefined) return { kind: 'settings' };
  if (missing.size > 0) return { kind: 'missing', variables: [...missing] };
  // Only MCP works over HTTP.
  const spec: PluginSpec = {
    name,
    ...(start.kind === 'http' && { dialect: 'mcp' }),
    start,
    ...(secrets.size > 0 && { secrets: [...secrets] }),
  };
  return { kind: 'spec', spec: withSettings(spec, entry) };
}

/** `key`: the name of the text. */
type Expand = (text: string, key?: string, forms?: 'all' | 'env-only') => string;

/** The spec with the settings of the entry beside its start. */
export function withSettings(spec: PluginSpec, entry: PluginEntry): PluginSpec {
  const { dialect, config, concurrency, instances, queueLimit, liveness, lazy, idleStopMs } = entry;
  const { methods, sandbox, clients, env, limits, restart } = entry;
  const start =
    env !== undefined && spec.start.kind === 'program'
      ? { ...spec.start, env: { ...spec.start.env, ...env } }
      : spec.start;
  return {
    ...spec,
    start,
    ...defined({ dialect, config, concurrency, instances, queueLimit, liveness, lazy, idleStopMs }),
    ...defined({ methods, sandbox, clients }),
    ...(limits !== undefined && { limits: { ...spec.limits, ...limits } }),
    ...(restart !== undefined && { restart: { ...spec.restart, ...restart } }),
  };
}

/** The entry with folders relative to its file. */
export function withAbsoluteFolders(
  entry: PluginEntry,
  place: Pick<EntryContext, 'folder' | 'home'>,
): PluginEntry {
  const { sandbox } = entry;
  if (typeof sandbox !== 'object' || sandbox.folders === undefined) return entry;
  const folders: Record<string, 'read-only' | 'writable'> = {};
  for (const [name, access] of Object.entries(sandbox.folders)) folders[absolute(name, place)] = access;
  return { ...entry, sandbox: { ...sandbox, folders } };
}

/** The settings that count from a file that is not trusted: they may confine the plugin more, never less. */
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
  context: EntryContext,
  expand: (text: string) => string,
): ProgramSpec {
  const place = cwd === undefined ? context.cwd : absolute(expand(cwd), context);
  const written = [command, ...(args ?? [])];
  const [program = '', ...words] = written.map((word) => expand(word));
  return {
    kind: 'program',
    command: commandOf(program, context),
    ...(args !== undefined && { args: words }),
    ...([program, ...words].some((word, index) => word !== written[index]) && { shown: written }),
    ...(place !== undefined && { cwd: place }),
    // Its references stay, so that a spec holds no secret; the launcher replaces them.
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

/** A bare name is found in PATH; everything else is a path. */
function commandOf(command: string, context: EntryContext): string {
  return /[/\\]/.test(command) || command === '~' ? absolute(command, context) : command;
}

export function absolute(place: string, { folder, home }: Pick<EntryContext, 'folder' | 'home'>): string {
  if (place === '~' || place.startsWith('~/')) return path.join(home, place.slice(1));
  return path.resolve(folder, place);
}

// `${NAME}` in settings: references to the host's environment.

export interface Expanded {
  readonly text: string;
  /** Variables that are not set and have no default; their references are kept. */
  readonly missing: readonly string[];
  /** The inserted values. */
  readonly referred: readonly Referred[];
}

/**
 * Replaces `${NAME}`, `${env:NAME}` and `${NAME:-default}`, once: inserted values are not expanded again.
 * `env-only` keeps those without `env:`, since a script may use them itself.
 */
export function expandReferences(
  text: string,
  variables: Environment,
  forms: 'all' | 'env-only' = 'all',
): Expanded {
  const missing: string[] = [];
  const referred: Referred[] = [];
  const references = forms === 'all' ? /\$\{([^}]*)\}/g : /\$\{(env:[^}]*)\}/g;
  const expanded = replaceReferencesIn(text, references, (whole, inner = '') => {
    const variable = variableIn(inner);
    if (variable === undefined) return whole;
    const value = valueOfVariable(variable, variables);
    if (value === undefined) missing.push(variable.name);
    else referred.push({ name: variable.name, value });
    return value ?? whole;
  });
  return { text: expanded, missing, referred };
}
