// What a peer has counted.
import type { LatencySummary } from './histogram.ts';

export type Counters = {
  requestsSent: number;
  notificationsSent: number;
  requestsReceived: number;
  notificationsReceived: number;
  responsesReceived: number;
  /** Responses to exchanges that had been given up. */
  lateResponses: number;
  /** Second responses to an id. */
  duplicateResponses: number;
  /** Responses to an id that was never sent. */
  unknownResponses: number;
  /** Bodies that are no JSON-RPC message. */
  invalidMessages: number;
  timeouts: number;
  cancelled: number;
};

export type PeerStats = Readonly<Counters> & {
  /** Exchanges under way from this end. */
  readonly inFlight: number;
  /** Requests that wait to be sent. */
  readonly waiting: number;
  /** Requests of the other end that run or wait here. */
  readonly handling: number;
  /** From sending to response. */
  readonly latency: LatencySummary;
};

export function zeroCounters(): Counters {
  return {
    requestsSent: 0,
    notificationsSent: 0,
    requestsReceived: 0,
    notificationsReceived: 0,
    responsesReceived: 0,
    lateResponses: 0,
    duplicateResponses: 0,
    unknownResponses: 0,
    invalidMessages: 0,
    timeouts: 0,
    cancelled: 0,
  };
}
