// What one client, or all of them, may cost.
import { KiB, MiB } from '../../base/limits.ts';

export interface HttpLimits {
  /** Arguments of calls are the largest that comes in. @default 16 MiB */
  readonly bodyBytes: number;
  readonly urlCharacters: number;
  readonly headerBytes: number;
  /** For the head of a request. */
  readonly headersMs: number;
  /** For a request as a whole, its body included. */
  readonly requestMs: number;
  /** How long a client may leave what it was sent unread. */
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
  /** For what is under way when the server closes. */
  readonly closeMs: number;
}

export const usualHttpLimits: HttpLimits = {
  bodyBytes: 16 * MiB,
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
