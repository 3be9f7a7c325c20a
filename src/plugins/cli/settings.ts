// What the owner of the host says of commands, read once at setup.
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
      description: 'After so many seconds a command goes on as a background task; 0 means never.',
    },
    timeout: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: DAY_SECONDS,
      default: 600,
      description: 'After so many seconds a command is ended, unless the call says otherwise.',
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

export interface Settings {
  /** The whole environment of every command. */
  readonly env: Readonly<Record<string, string>>;
  readonly maxOutputChars: number;
  /** Undefined: never. */
  readonly backgroundAfterMs: number | undefined;
  readonly timeoutMs: number;
  /** That of the project: what the permission rules take relative paths from. */
  readonly folder: string;
  /** Absolute. */
  readonly allowedFolders: readonly string[];
  /** A folder as it is written in a configuration, from the root. */
  absolute(folder: string): string;
  readonly maxTasks: number;
  readonly shell: string | undefined;
}

/** @throws PluglotError CONFIG_INVALID when a variable refers to something that is not there */
export function readSettings(config: CliConfig, ports: Pick<HostPorts, 'env' | 'cwd'>): Settings {
  const absolute = (folder: string) =>
    path.resolve(
      ports.cwd,
      folder.replace(/^~(?=\/|$)/, () => ports.env['HOME'] ?? '~'),
    );
  return {
    env: environment(config, ports, absolute),
    maxOutputChars: config.max_output_chars,
    backgroundAfterMs:
      config.auto_background_threshold === 0 ? undefined : config.auto_background_threshold * 1000,
    timeoutMs: config.timeout * 1000,
    folder: ports.cwd,
    allowedFolders: config.allowed_folders?.map(absolute) ?? [ports.cwd],
    absolute,
    maxTasks: config.max_tasks,
    shell: config.shell,
  };
}

/** Nothing of the host's own but what every program may see: the rest may be secret. */
function environment(
  config: CliConfig,
  ports: Pick<HostPorts, 'env' | 'cwd'>,
  absolute: (folder: string) => string,
): Record<string, string> {
  const temporary = ports.env['TMPDIR'];
  const env: Record<string, string> = {
    ...allowedEnvironment(ports.env),
    ...(temporary === undefined ? {} : { TMPDIR: temporary }),
    ...specifiedVariables(textsOf(config.env ?? {}), {
      plugin: 'cli',
      env: ports.env,
      pluginFolder: ports.cwd,
    }),
  };
  return { ...env, PATH: [env['PATH'], ...extraPaths(config).map(absolute)].join(path.delimiter) };
}

function extraPaths({ extra_paths: extra = [] }: CliConfig): readonly string[] {
  return (typeof extra === 'string' ? extra.split(path.delimiter) : extra).filter((folder) => folder !== '');
}

function textsOf(variables: Readonly<Record<string, unknown>>): Record<string, string> {
  // The schema lets nothing but texts through.
  return variables as Record<string, string>;
}
