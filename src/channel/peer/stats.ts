// What a peer counts and measures.

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
  /** Bodies that are not JSON-RPC messages. */
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

const SUB_BITS = 4;
const SUB_BUCKETS = 1 << SUB_BITS;
const MAX_MICROSECONDS = 0x7fffffff;
const BUCKETS = (31 - SUB_BITS + 1) * SUB_BUCKETS;

export type LatencySummary = {
  readonly count: number;
  readonly meanMs: number;
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
};

/** Latencies in buckets of at most 6 % width, from a microsecond to half an hour, in fixed memory. */
export class Histogram {
  /** Made at the first record: most connections of a fleet are idle. */
  #buckets: Uint32Array | undefined;
  #count = 0;
  #sumMs = 0;
  #maxMs = 0;

  record(ms: number): void {
    this.#buckets ??= new Uint32Array(BUCKETS);
    // An answer that was sent before the question is older than it.
    const microseconds = Math.max(0, Math.min(MAX_MICROSECONDS, ms * 1000)) | 0;
    const index = bucketOf(microseconds);
    this.#buckets[index] = (this.#buckets[index] ?? 0) + 1;
    this.#count += 1;
    this.#sumMs += ms;
    if (ms > this.#maxMs) this.#maxMs = ms;
  }

  summary(): LatencySummary {
    return {
      count: this.#count,
      meanMs: this.#count === 0 ? 0 : this.#sumMs / this.#count,
      p50Ms: this.#quantile(0.5),
      p90Ms: this.#quantile(0.9),
      p99Ms: this.#quantile(0.99),
      maxMs: this.#maxMs,
    };
  }

  #quantile(share: number): number {
    let left = Math.ceil(this.#count * share);
    for (const [index, count] of (this.#buckets ?? []).entries()) {
      left -= count;
      if (left <= 0 && count > 0) return Math.min(this.#maxMs, middleOf(index) / 1000);
    }
    return 0;
  }
}

/** Below 16 one bucket each; above, 16 buckets for every doubling. */
function bucketOf(microseconds: number): number {
  if (microseconds < SUB_BUCKETS) return microseconds;
  const exponent = 31 - Math.clz32(microseconds);
  return (
    (exponent - SUB_BITS + 1) * SUB_BUCKETS + ((microseconds >>> (exponent - SUB_BITS)) & (SUB_BUCKETS - 1))
  );
}

function middleOf(index: number): number {
  if (index < SUB_BUCKETS) return index + 0.5;
  const exponent = Math.floor(index / SUB_BUCKETS) + SUB_BITS - 1;
  const width = 2 ** (exponent - SUB_BITS);
  return (SUB_BUCKETS + (index % SUB_BUCKETS)) * width + width / 2;
}
