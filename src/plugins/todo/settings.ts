// The configuration of the plugin.
import type { ObjectFromSchema } from '../../definition/schema/from-schema.ts';

export const todoConfig = {
  type: 'object',
  additionalProperties: false,
  properties: {
    reporter_type: {
      description:
        'Where the progress of plans is reported: console, webhook, file, or a list of them; [] for nowhere.',
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
        colors: { type: 'boolean', default: false, description: 'console: for terminals that support them' },
        width: {
          type: 'integer',
          default: 60,
          minimum: 20,
          maximum: 200,
          description: 'console: width of its rulers',
        },
        compact: {
          type: 'boolean',
          default: true,
          description: 'console: print steps when they end, not when they start',
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
          description: 'webhook: additional headers',
        },
        auth_token: {
          type: 'string',
          format: 'password',
          description: 'webhook: bearer token; default: TODO_WEBHOOK_TOKEN',
        },
        base_path: {
          type: 'string',
          description: 'file: the folder; default: one in the data folder of the plugin',
        },
      },
    },
    storage_type: {
      enum: ['memory', 'file', 'hybrid'],
      default: 'memory',
      description:
        'memory: lost with the process; file: read and written each time; hybrid: a file, read from memory',
    },
    storage_path: {
      type: 'string',
      description:
        'A file or folder; default: TODO_STORAGE_PATH, otherwise plans.json in the data folder of the plugin.',
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
      description: 'How many plans are kept; active ones always are.',
    },
  },
} as const;

export type TodoConfig = ObjectFromSchema<typeof todoConfig>;
