// The environment of a plugin: a small part of the host's, what the plugin is given by us, and what its spec says.
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';
import { type ReferenceSources, replaceReferences } from './references.ts';

export type Environment = Readonly<Record<string, string>>;

/** What a program needs to find its way; nothing here is a secret. Proxies may hold a password, so they are not here. */
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

/** What programs on Windows do not start without, or find nothing without. */
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

/** The part of the host's environment that every program we start may see. */
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
  /** The folder with the libraries that a Python plugin brings along. */
  readonly pythonLibraries?: string;
  /** Where G-Assist plugins look for their configuration. */
  readonly programData?: string;
}

/** All that a plugin gets to see. What its spec says wins. */
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
    // An answer that waits in a buffer of Python's is no answer.
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
 * @throws PluglotError CONFIG_INVALID when it refers to something that is not there
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
