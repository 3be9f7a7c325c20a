// Latency and throughput of small calls to one plugin, measured for a moment: an impression, not a benchmark.
import type { Peer } from '../../../channel/peer/peer.ts';

export interface Figures {
  readonly p50Us: number;
  readonly p99Us: number;
  /** Calls per second by how many are under way at once. */
  readonly callsPerSecond: { readonly [inFlight: string]: number };
}

const levels = [1, 64, 1024];
const WARM_UP_MS = 150;
const WINDOW_MS = 350;

/** About 120 bytes on the wire, as most calls of tools are. */
const params = { tool: 'search', arguments: { query: 'the quick brown fox', limit: 10 } };

export async function measure(peer: Peer, signal: AbortSignal): Promise<Figures> {
  const latencies: number[] = [];
  const callsPerSecond: Record<string, number> = {};
  await callFor(peer, 64, WARM_UP_MS, signal);
  for (const inFlight of levels) {
    const record = inFlight === 1 ? latencies : undefined;
    callsPerSecond[inFlight] = await callFor(peer, inFlight, WINDOW_MS, signal, record);
  }
  latencies.sort((a, b) => a - b);
  return { p50Us: quantile(latencies, 0.5), p99Us: quantile(latencies, 0.99), callsPerSecond };
}

/** Keeps so many calls under way for a while; gives calls per second. */
async function callFor(
  peer: Peer,
  inFlight: number,
  durationMs: number,
  signal: AbortSignal,
  latencies?: number[],
): Promise<number> {
  const startedAt = performance.now();
  let now = startedAt;
  let calls = 0;
  const lane = async (): Promise<void> => {
    while (now - startedAt < durationMs && !signal.aborted) {
      const sentAt = latencies ? performance.now() : 0;
      await peer.request('echo', params);
      calls += 1;
      // Looking at the clock costs: with many lanes, one look in 64 calls is enough.
      if (latencies) latencies.push((now = performance.now()) - sentAt);
      else if (calls % 64 === 0) now = performance.now();
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return Math.round((calls / (performance.now() - startedAt)) * 1000);
}

function quantile(sortedMs: readonly number[], share: number): number {
  return Math.round((sortedMs[Math.floor((sortedMs.length - 1) * share)] ?? 0) * 1000);
}
