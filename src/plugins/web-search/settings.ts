// The configuration of the plugin, read once at setup.
import { PluglotError } from '../../base/error.ts';
import type { FromSchema } from '../../definition/schema/from-schema.ts';
import { replaceReferences } from '../../fleet/supervisor/references.ts';
import type { HostPorts } from '../host-ports.ts';

export const configSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    engine: {
      enum: ['duckduckgo', 'searxng', 'brave'],
      default: 'duckduckgo',
      description:
        'Who is asked: DuckDuckGo, a SearXNG of your own (base_url), or the Brave Search API (api_key).',
    },
    max_results: {
      type: 'integer',
      minimum: 1,
      maximum: 50,
      default: 10,
      description: 'How many results are given, unless the call asks for fewer or more.',
    },
    timeout: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 120,
      default: 10,
      description: 'How many seconds a search may take.',
    },
    region: {
      type: 'string',
      pattern: '^[A-Za-z]{2}-[A-Za-z]{2,3}$',
      default: 'wt-wt',
      description: 'A country and a language, such as "us-en" or "de-de"; "wt-wt" means any region.',
    },
    safesearch: { enum: ['off', 'moderate', 'strict'], default: 'moderate' },
    base_url: {
      type: 'string',
      description: 'The address of the engine. SearXNG needs it; the others have one.',
    },
    api_key: {
      type: 'string',
      writeOnly: true,
      description:
        'The key of the Brave Search API, best as a reference: "${env:BRAVE_API_KEY}", which is the default.',
    },
  },
} as const;

type SearchConfig = FromSchema<typeof configSchema>;

export interface Settings extends Omit<SearchConfig, 'base_url' | 'api_key'> {
  readonly baseUrl: URL;
  readonly apiKey: string | undefined;
}

/** @throws PluglotError CONFIG_INVALID when the address or the key is missing or cannot be used */
export function readSettings(config: SearchConfig, { env }: Pick<HostPorts, 'env'>): Settings {
  const apiKey = config.engine === 'brave' ? keyOf(config, env) : undefined;
  return { ...config, region: config.region.toLowerCase(), baseUrl: baseUrlOf(config), apiKey };
}

const defaultUrls = {
  duckduckgo: 'https://html.duckduckgo.com/html/',
  searxng: undefined,
  brave: 'https://api.search.brave.com/res/v1/web/search',
} as const;

function baseUrlOf({ engine, base_url: given }: SearchConfig): URL {
  const text = given ?? defaultUrls[engine];
  if (text === undefined)
    return invalid(
      'engine "searxng" needs "base_url", the address of your SearXNG, such as "http://localhost:8080".',
    );
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return invalid('"base_url" is not an http or https address such as "https://search.example".');
  if (url.username !== '' || url.password !== '')
    return invalid(
      '"base_url" has a user name or a password in it, which would be sent in the open. Leave them out.',
    );
  return url;
}

/** Never in an error: it is a secret. */
function keyOf({ api_key: given }: SearchConfig, env: HostPorts['env']): string {
  const key = replaceReferences(given ?? '${env:BRAVE_API_KEY:-}', 'api_key', {
    plugin: 'web_search',
    env,
    pluginFolder: '/',
  }).trim();
  if (key === '')
    return invalid(
      'engine "brave" needs a key: set BRAVE_API_KEY, or give "api_key" as a reference to it. Keys come from https://brave.com/search/api/.',
    );
  // It becomes a header.
  if (!/^[\x21-\x7e]+$/.test(key)) return invalid('"api_key" has characters that no key has.');
  return key;
}

function invalid(what: string): never {
  throw new PluglotError(
    'CONFIG_INVALID',
    `The configuration of plugin "web_search" cannot be used: ${what}`,
  );
}
