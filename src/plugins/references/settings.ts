// The configuration of the plugin. It overrides what the file with the sources says.
import type { ObjectFromSchema } from '../../definition/schema/from-schema.ts';

const text = { type: 'string' } as const;

const channel = {
  type: 'object',
  additionalProperties: false,
  properties: {
    timeout: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 3600,
      description: 'Seconds; default: 60 for the console, otherwise 300.',
    },
    endpoint: { type: 'string', description: 'webhook' },
    headers: { type: 'object', additionalProperties: text, writeOnly: true, description: 'webhook' },
    auth_token: {
      type: 'string',
      format: 'password',
      description: 'webhook; default: REFERENCES_WEBHOOK_TOKEN',
    },
    base_path: {
      type: 'string',
      description: 'file: the folder; default: one in the data folder of the plugin',
    },
    poll_interval: {
      type: 'number',
      minimum: 0.05,
      maximum: 60,
      description: 'file: seconds; default: 0.5',
    },
  },
} as const;

export const referencesConfig = {
  type: 'object',
  additionalProperties: false,
  properties: {
    config_path: {
      type: 'string',
      description:
        'A file with sources; default: REFERENCES_CONFIG_PATH, ./references.json, ./.references.json, or references.json of the user.',
    },
    sources: {
      type: 'array',
      description: 'Sources, instead of those in a file.',
      maxItems: 200,
      items: {
        type: 'object',
        required: ['id', 'name'],
        properties: {
          id: text,
          name: text,
          description: text,
          type: { enum: ['local', 'url', 'mcp', 'inline'] },
          mode: { enum: ['auto', 'selectable'] },
          path: { type: 'string', description: 'local: a file or folder' },
          url: { type: 'string', description: 'url' },
          server: { type: 'string', description: 'mcp: the name of the server' },
          tool: { type: 'string', description: 'mcp' },
          args: { type: 'object', description: 'mcp: of the tool' },
          content: { type: 'string', description: 'inline' },
          fetchHint: { type: 'string', description: 'How a model may get it.' },
          tags: { type: 'array', items: text },
        },
      },
    },
    channel_type: {
      enum: ['console', 'webhook', 'file'],
      description: 'How the user selects sources; default: the channel of the file, otherwise console.',
    },
    channel_config: channel,
    actor_type: { enum: ['console', 'webhook', 'file'], description: 'An older name of channel_type.' },
    actor_config: channel,
    allowed_roots: {
      type: 'array',
      items: text,
      default: [],
      description:
        'Folders that local sources may be read from, beside the project and the folder of the file that names them.',
    },
    fetch_urls: {
      type: 'boolean',
      default: true,
      description: 'false: models get the address and fetch it themselves.',
    },
    allow_private_addresses: {
      type: 'boolean',
      default: false,
      description: 'Addresses of this machine and of local networks.',
    },
    url_timeout: { type: 'number', default: 10, exclusiveMinimum: 0, maximum: 120, description: 'Seconds.' },
    mcp_timeout: { type: 'number', default: 30, exclusiveMinimum: 0, maximum: 300, description: 'Seconds.' },
    max_source_chars: {
      type: 'integer',
      default: 20_000,
      minimum: 100,
      maximum: 200_000,
      description: 'Of one source.',
    },
    max_total_chars: {
      type: 'integer',
      default: 60_000,
      minimum: 1000,
      maximum: 1_000_000,
      description: 'Of all sources in the instructions, and of all in one answer.',
    },
  },
} as const;

export type ReferencesConfig = ObjectFromSchema<typeof referencesConfig>;
