// What can be configured of the plans, and what holds then.
import path from 'node:path';
import { textsIn } from '../../base/json.ts';
import { sentence } from '../../base/sentence.ts';
import { fail } from '../../definition/failure.ts';
import type { ObjectFromSchema } from '../../definition/schema/from-schema.ts';
import { problemOfEndpoint, type Webhook } from '../../base/post-json.ts';

export const todoConfig = {
  type: 'object',
  additionalProperties: false,
  properties: {
    reporter_type: {
      description:
        'Who is told what becomes of plans: console, webhook, file, or a list of them; [] for nobody.',
      default: 'console',
      anyOf: [
        { enum: ['console', 'webhook', 'file'] },
        { type: 'array', items: { enum: ['console', 'webhook', 'file'] }, uniqueItems: true },
      ],
    },
    reporter_config: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        show_timestamps: {
          type: 'boolean',
          default: true,
          description: 'console: the time before each line',
        },
        progress_bar: { type: 'boolean', default: true, description: 'console: a bar after each step' },
        colors: { type: 'boolean', default: false, description: 'console: for terminals that show them' },
        width: {
          type: 'integer',
          default: 60,
          minimum: 20,
          maximum: 200,
          description: 'console: of its rules',
        },
        compact: {
          type: 'boolean',
          default: true,
          description: 'console: steps when they end, not when they begin',
        },
        endpoint: { type: 'string', description: 'webhook: where events are POSTed to' },
        timeout: {
          type: 'number',
          default: 10,
          exclusiveMinimum: 0,
          maximum: 300,
          description: 'webhook: seconds for an event',
        },
        headers: {
          type: 'object',
          default: {},
          additionalProperties: { type: 'string' },
          writeOnly: true,
          description: 'webhook: beside the usual ones',
        },
        auth_token: {
          type: 'string',
          format: 'password',
          description: 'webhook: bearer token; else TODO_WEBHOOK_TOKEN',
        },
        base_path: {
          type: 'string',
          description: 'file: the folder; else one in the data folder of the plugin',
        },
      },
    },
    storage_type: {
      enum: ['memory', 'file', 'hybrid'],
      default: 'memory',
      description:
        'memory: gone with the process; file: read and written each time; hybrid: a file, read from memory',
    },
    storage_path: {
      type: 'string',
      description:
        'A file or folder; else TODO_STORAGE_PATH, else plans.json in the data folder of the plugin.',
    },
    storage_use_directory: {
      type: 'boolean',
      default: false,
      description: 'storage_path is a folder with a file for each plan.',
    },
    keep_plans: {
      type: 'integer',
      default: 50,
      minimum: 1,
      maximum: 1000,
      description: 'How many are kept; those under way always are.',
    },
  },
} as const;

export type TodoConfig = ObjectFromSchema<typeof todoConfig>;

export interface TodoSettings {
  readonly reporters: readonly ReporterSettings[];
  readonly storage: {
    readonly type: 'memory' | 'file' | 'hybrid';
    readonly path: string;
    readonly isFolder: boolean;
    readonly keep: number;
  };
}

type ReporterSettings =
  | ({ readonly type: 'console' } & ConsoleSettings)
  | ({ readonly type: 'webhook' } & Webhook)
  | { readonly type: 'file'; readonly basePath: string };

export interface ConsoleSettings {
  readonly showTimestamps: boolean;
  readonly progressBar: boolean;
  readonly colors: boolean;
  readonly width: number;
  /** Beginnings of steps are not told. */
  readonly compact: boolean;
}

export interface SettingsParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Made when it is looked at. */
  readonly dataFolder: () => string;
}

export function settingsOf(config: TodoConfig, parts: SettingsParts): TodoSettings {
  const { reporter_type, storage_type, storage_path, storage_use_directory, keep_plans } = config;
  const types = typeof reporter_type === 'string' ? [reporter_type] : textsIn(reporter_type);
  const stored = storage_path ?? parts.env['TODO_STORAGE_PATH'];
  const inDataFolder = () => path.join(parts.dataFolder(), storage_use_directory ? 'plans' : 'plans.json');
  return {
    reporters: types.map((type) => reporterOf(type, config.reporter_config, parts)),
    storage: {
      type: storage_type,
      path: storage_type === 'memory' ? '' : stored ? path.resolve(parts.cwd, stored) : inDataFolder(),
      isFolder: storage_use_directory,
      keep: keep_plans,
    },
  };
}

function reporterOf(
  type: string,
  config: TodoConfig['reporter_config'],
  parts: SettingsParts,
): ReporterSettings {
  if (type === 'webhook') {
    const { endpoint, timeout, headers, auth_token: token = parts.env['TODO_WEBHOOK_TOKEN'] } = config;
    const problem = problemOfEndpoint(endpoint);
    if (problem !== undefined)
      fail({
        code: 'INVALID_ARGUMENTS',
        message: `reporter_config does not make a webhook: ${sentence(problem)}`,
      });
    return { type, endpoint: endpoint ?? '', timeoutMs: timeout * 1000, headers: textsOf(headers), token };
  }
  if (type === 'file') {
    const { base_path: base } = config;
    const basePath = base ? path.resolve(parts.cwd, base) : path.join(parts.dataFolder(), 'progress');
    return { type, basePath };
  }
  const { show_timestamps, progress_bar, colors, width, compact } = config;
  return {
    type: 'console',
    showTimestamps: show_timestamps,
    progressBar: progress_bar,
    colors,
    width,
    compact,
  };
}

function textsOf(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
