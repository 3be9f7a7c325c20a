// What real plugins and hosts get wrong and the other end can survive. Each has a name, so that a strict end can refuse it.

export interface Tolerances {
  /** `"result": null` beside an error: the error counts. Seen in gevals extensions. */
  readonly nullResultBesideError?: boolean;
  /** `"error": null` beside a result: the result counts. Seen in YAMS plugins. */
  readonly nullErrorBesideResult?: boolean;
  /** No `"jsonrpc": "2.0"`. */
  readonly missingVersion?: boolean;
  /** `"id": "7"` in the answer to our 7. */
  readonly stringIds?: boolean;
  /** `"params": null`, which counts as left out. */
  readonly nullParams?: boolean;
  /** Bare NaN and Infinity, as Python writes them; read as null. */
  readonly nan?: boolean;
}

export const strict: Tolerances = {};

/** What a host grants to plugins it did not write. */
export const tolerant: Tolerances = {
  nullResultBesideError: true,
  nullErrorBesideResult: true,
  missingVersion: true,
  stringIds: true,
  nullParams: true,
  nan: true,
};
