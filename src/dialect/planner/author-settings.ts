// What the one who runs the plugin says for the wire, on its command line, and what is for the plugin itself.
import type { JsonObject } from '../../base/json.ts';

export interface AuthorSettings {
  /** Known to both ends: every message is signed with it. */
  readonly secret?: string;
  /** @default no limit */
  readonly requestsPerMinute?: number;
  readonly forPlugin: JsonObject;
}

const MOST_PER_MINUTE = 1_000_000;

export function authorSettings(config: JsonObject = {}): AuthorSettings {
  const { secret, requests_per_minute: perMinute, ...forPlugin } = config;
  return {
    ...(typeof secret === 'string' && secret !== '' ? { secret } : {}),
    ...(typeof perMinute === 'number' && perMinute >= 1
      ? { requestsPerMinute: Math.min(Math.floor(perMinute), MOST_PER_MINUTE) }
      : {}),
    forPlugin,
  };
}
