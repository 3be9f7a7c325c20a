// The environment of a plugin: a small part of the host's, the variables that pluglot sets, and those of its spec; and which are secret.
import fs from 'node:fs';
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { PluginSpec, ProgramSpec } from '../../definition/plugin-spec.ts';
import { withTexts } from '../../secrets/masked-text.ts';
import { secretsInJson } from '../../secrets/secret-parts.ts';
import { isSecretName, isSecretValue, secretValues } from '../../secrets/secret-shapes.ts';
import { secretsWritten } from '../discovery/secrets.ts';
import { type ReferenceSources, type Referred, referredIn, replaceReferences } from './references.ts';

export type Environment = Readonly<Record<string, string>>;

/** Variables that programs need; none is a secret. Proxies may contain a password, so they are not here. */
const ALLOWED = new Set([
  'HOME',
  'LANG',
  'LANGUAGE',
  'LOGNAME',
  'NODE_EXTRA_CA_CERTS',
  'PATH',
  'SHELL',
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
  'TERM',
  'TZ',
  'USER',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_DIRS',
  'XDG_CONFIG_HOME',
  'XDG_DATA_DIRS',
  'XDG_DATA_HOME',
  'XDG_RUNTIME_DIR',
  'XDG_STATE_HOME',
]);

/** Variables that programs on Windows need to start and to find files. */
const ALLOWED_ON_WINDOWS = new Set([
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'NUMBER_OF_PROCESSORS',
  'OS',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMFILES',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
]);

const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

/** The part of the host's environment that every started program may see. */
export function allowedEnvironment(
  host: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  const allowed: Record<string, string> = {};
  for (const [name, value] of Object.entries(host)) {
    if (value !== undefined && isAllowed(name, platform)) allowed[name] = value;
  }
  if (platform !== 'win32') allowed['PATH'] ||= DEFAULT_PATH;
  return allowed;
}

export interface OwnVariables {
  readonly temporaryFolder: string;
  readonly dataFolder: string;
  /** The folder with the libraries of a Python plugin. */
  readonly pythonLibraries?: string;
  /** Where G-Assist plugins find their configuration. */
  readonly programData?: string;
}

/** The whole environment of a plugin. The variables of its spec win. */
export function pluginEnvironment(
  host: Readonly<Record<string, string | undefined>>,
  own: OwnVariables,
  specified: Environment,
): Record<string, string> {
  const env: Record<string, string> = {
    ...allowedEnvironment(host),
    TMPDIR: own.temporaryFolder,
    TMP: own.temporaryFolder,
    TEMP: own.temporaryFolder,
    PLUGLOT_DATA_DIR: own.dataFolder,
    // Python must not buffer responses.
    PYTHONUNBUFFERED: '1',
    ...(own.programData === undefined ? {} : { PROGRAMDATA: own.programData }),
    ...specified,
  };
  if (own.pythonLibraries !== undefined) {
    env['PYTHONPATH'] = [own.pythonLibraries, env['PYTHONPATH']].filter(Boolean).join(path.delimiter);
  }
  return env;
}

/**
 * The variables of a spec with their references replaced.
 * @throws PluglotError CONFIG_INVALID when a variable or file that it refers to is missing
 */
export function specifiedVariables(
  specified: Readonly<Record<string, string>>,
  sources: ReferenceSources,
): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [name, text] of Object.entries(specified)) {
    const value = replaceReferences(text, `env.${name}`, sources);
    // Node would name the value in its error, and it may be a secret.
    if (name === '' || /[=\0]/.test(name) || value.includes('\0')) {
      throw new PluglotError(
        'CONFIG_INVALID',
        `Plugin "${sources.plugin}": env.${JSON.stringify(name)} cannot be a variable: a name is not empty and has no "=", and neither name nor value has a NUL character.`,
      );
    }
    variables[name] = value;
  }
  return variables;
}

function isAllowed(name: string, platform: NodeJS.Platform): boolean {
  if (platform === 'win32') {
    const upper = name.toUpperCase();
    return ALLOWED.has(upper) || ALLOWED_ON_WINDOWS.has(upper) || upper.startsWith('LC_');
  }
  return ALLOWED.has(name) || name.startsWith('LC_');
}

// The secrets of a spec, as values: those it refers to, and literal ones that look like a secret.

interface Host {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
}

/** Their current values: variables and files may change before the next start. */
export function secretsOfSpec(spec: PluginSpec, host: Host): readonly string[] {
  const { name, start, config, secrets = [] } = spec;
  const entry = { ...start, ...(config !== undefined && { config }) };
  const referred = start.kind === 'program' ? referredBy(name, start, host) : [];
  return withoutPlaces([...secrets, ...referred, ...secretsWritten(entry)], host.env);
}

/** For a plugin in this process: its configuration, and the values that it refers to. */
export function secretsOfConfig(config: JsonObject, host: Host): readonly string[] {
  const found = secretsInJson(config);
  const sources = { plugin: '', env: host.env, pluginFolder: host.folder };
  withTexts(config, (text) => {
    for (const { name, value } of referredIn(text, sources, 'all'))
      if (isSecretValue(value.trim(), isSecretName(name) || name.startsWith('file:'))) found.push(value);
    return text;
  });
  return withoutPlaces(found, host.env);
}

/** Values of host variables with the name of a secret, whether or not a plugin sees them. */
export function secretsOfHost(env: Host['env']): readonly string[] {
  return withoutPlaces(secretValues(env), env);
}

function referredBy(plugin: string, { env = {}, args = [], folder }: ProgramSpec, host: Host): string[] {
  const sources = { plugin, env: host.env, pluginFolder: folder ?? host.folder };
  const secretsAmong = (key: string, referred: readonly Referred[]) =>
    referred.flatMap(({ name, value }) => {
      // The content of a referenced file is a secret.
      const isNamed = isSecretName(key) || isSecretName(name) || name.startsWith('file:');
      return isSecretValue(value.trim(), isNamed) ? [value] : [];
    });
  return [
    ...Object.entries(env).flatMap(([key, text]) => secretsAmong(key, referredIn(text, sources, 'all'))),
    ...args.flatMap((text) => secretsAmong('', referredIn(text, sources, 'env-only'))),
  ];
}

/** Variables that every program may see are not secrets, and neither are paths. */
function withoutPlaces(values: readonly string[], env: Host['env']): string[] {
  const allowed = new Set(Object.values(allowedEnvironment(env)));
  return values.filter((value) => !allowed.has(value) && !isPlace(value));
}

function isPlace(value: string): boolean {
  const parts = value.split(path.delimiter);
  return parts.every((part) => path.isAbsolute(part)) && parts.some((part) => fs.existsSync(part));
}
