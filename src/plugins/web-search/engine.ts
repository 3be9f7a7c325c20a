// What all search engines have in common, whoever is asked.
import type { FailureOptions } from '../../definition/failure.ts';
import type { Settings } from './settings.ts';

export interface Query {
  readonly query: string;
  /** At most so many results are wanted. */
  readonly maxResults: number;
}

/** As an engine tells it: an address may be anything, and text has any length. */
export interface Found {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

export interface Engine {
  /** For errors. */
  readonly name: string;
  request(query: Query, settings: Settings): EngineRequest;
  /** What it means by a status that is no success; undefined: as anyone. */
  failure?(status: number): FailureOptions | undefined;
  /**
   * An empty list means that the engine says so.
   * @throws Failure UNAVAILABLE when the answer cannot be read, RATE_LIMITED when it is a refusal
   */
  read(answer: EngineAnswer): Promise<readonly Found[]>;
}

/** A GET. */
export interface EngineRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether a header is for this host alone. */
  readonly isSecret: boolean;
}

export interface EngineAnswer {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | undefined;
}
