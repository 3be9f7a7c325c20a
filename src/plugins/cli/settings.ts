// The configuration of the plugin, read once at setup.
import path from 'node:path';
import type { FromSchema } from '../../definition/schema/from-schema.ts';
import { allowedEnvironment, specifiedVariables } from '../../fleet/supervisor/environment.ts';
import type { HostPorts } from '../host-ports.ts';

export const DAY_SECONDS = 24 * 60 * 60;

export const configSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    extra_paths: {
      type: ['string', 'array'],
      items: { type: 'string' },
      description: 'Folders that are looked through after those of PATH.',
    },
    max_output_chars: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
      default: 50_000,
      description:
        'How many characters of stdout, and of stderr, are kept; the middle of longer output is left out.',
    },
    auto_background_threshold: {
      type: 'number',
      minimum: 0,
      maximum: DAY_SECONDS,
      default: 10,
      description: 'After so many seconds a command continues as a background task; 0 means never.',
    },
    timeout: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: DAY_SECONDS,
      default: 600,
      description: 'After so many seconds a command is ended, unless the call has its own limit.',
    },
    allowed_folders: {
      type: 'array',
      items: { type: 'string' },
      description:
        'Where a call may choose to run its command, with all below. By default the folder of the project.',
    },
    env: {
      type: 'object',
      additionalProperties: { type: 'string', writeOnly: true },
      description: 'Further variables for commands; ${env:NAME} and ${file:PATH} are replaced.',
    },
    max_tasks: {
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 10,
      description: 'How many background tasks may run at once.',
    },
    shell: {
      type: 'string',
      description: 'What runs the command lines that a person has typed or approved. By default bash.',
    },
  },
} as const;

type CliConfig = FromSchema<typeof configSchema>;

export interface Settings extends Pick<CliConfig, 'max_output_chars' | 'max_tasks' | 'shell'> {
  /** The whole environment of every command. */
  readonly env: Readonly<Record<string, string>>;
  /** The last folders of PATH. */
  readonly extraPaths: readonly string[];
  /** Undefined: never. */
  readonly backgroundAfterMs: number | undefined;
  readonly timeoutMs: number;
  /** The folder of the project, which relative paths of permission rules start from. */
  readonly folder: string;
  /** Absolute. */
  readonly allowedFolders: readonly string[];
  /** Resolves a folder of the configuration. */
  absolute(folder: string): string;
}

/** @throws PluglotError CONFIG_INVALID when a variable refers to a missing value */
export function readSettings(config: CliConfig, ports: Pick<HostPorts, 'env' | 'cwd'>): Settings {
  const { extra_paths: extra = [], auto_background_threshold: threshold } = config;
  const absolute = (folder: string) =>
    path.resolve(
      ports.cwd,
      folder.replace(/^~(?=\/|$)/, () => ports.env['HOME'] ?? '~'),
    );
  const extraPaths = (typeof extra === 'string' ? extra.split(path.delimiter) : extra)
    .filter((folder) => folder !== '')
    .map(absolute);
  const env = environment(config, ports);
  return {
    ...config,
    env: { ...env, PATH: [env['PATH'], ...extraPaths].join(path.delimiter) },
    extraPaths,
    backgroundAfterMs: threshold === 0 ? undefined : threshold * 1000,
    timeoutMs: config.timeout * 1000,
    folder: ports.cwd,
    allowedFolders: config.allowed_folders?.map(absolute) ?? [ports.cwd],
    absolute,
  };
}

/** Only the variables of the host that every program may see, since the others may be secret, and those of the configuration. */
function environment(config: CliConfig, ports: Pick<HostPorts, 'env' | 'cwd'>): Record<string, string> {
  const temporary = ports.env['TMPDIR'];
  // The schema only accepts texts.
  const own = (config.env ?? {}) as Record<string, string>;
  return {
    ...allowedEnvironment(ports.env),
    ...(temporary === undefined ? {} : { TMPDIR: temporary }),
    ...specifiedVariables(own, { plugin: 'cli', env: ports.env, pluginFolder: ports.cwd }),
  };
}
