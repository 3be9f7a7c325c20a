// The limits of requests, connections and streams.
import { KiB, MiB } from '../../base/units.ts';
import type { JsonLimits } from '../../channel/message/json-limits.ts';

/** Of one request, whether it comes to the API, to /mcp or over a pipe. */
export interface RequestLimits {
  /** @default 4 MiB */
  readonly bodyBytes: number;
  /** @default 5000 keys, 25,000 values, 100 levels */
  readonly json: JsonLimits;
}

export const usualRequestLimits: RequestLimits = {
  bodyBytes: 4 * MiB,
  json: { keys: 5000, values: 25_000, depth: 100 },
};

/** As `server.limits` of a configuration says it. */
export function requestLimits(
  settings: Partial<JsonLimits & Pick<RequestLimits, 'bodyBytes'>> = {},
): RequestLimits {
  const { bodyBytes = usualRequestLimits.bodyBytes, ...json } = settings;
  return { bodyBytes, json: { ...usualRequestLimits.json, ...json } };
}

export interface HttpLimits extends RequestLimits {
  readonly urlCharacters: number;
  readonly headerBytes: number;
  /** For the head of a request. */
  readonly headersMs: number;
  /** For a request as a whole, its body included. */
  readonly requestMs: number;
  /** How long a client may leave an answer unread. */
  readonly stallMs: number;
  /** What may wait for one client who follows events; the rest is dropped and counted. */
  readonly waitingBytes: number;
  readonly heartbeatMs: number;
  readonly connections: number;
  /** Under way at once, of all clients. */
  readonly calls: number;
  readonly talks: number;
  /** Clients who follow events or logs. */
  readonly streams: number;
  /** For what is under way when the server closes, and for a client to take leave. */
  readonly closeMs: number;
}

export const usualHttpLimits: HttpLimits = {
  ...usualRequestLimits,
  urlCharacters: 8 * KiB,
  headerBytes: 16 * KiB,
  headersMs: 10_000,
  requestMs: 60_000,
  stallMs: 30_000,
  waitingBytes: MiB,
  heartbeatMs: 15_000,
  connections: 1024,
  calls: 1000,
  talks: 100,
  streams: 200,
  closeMs: 3000,
};
