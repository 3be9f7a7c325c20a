// What a check is: one sentence about good plugins, and how to find out whether it is true of this one.
// CONTRIBUTING.md says how to add one.
import type { Subject } from './subject/subject.ts';

export { Unmet } from './unmet.ts';

export interface Check {
  /** A requirement from the catalogue of the dialect, or `fault:…`. */
  readonly id: string;
  /** What a good plugin does. */
  readonly title: string;
  /** By the words of the specification: what has to be, what should be, what is merely good to know. */
  readonly severity: Severity;
  /** Under which heading it is shown. */
  readonly theme: string;
  /** What the author of a plugin that fails can do. */
  readonly fix: string;
  /** Rejects with an `Unmet` where what it waited for did not come: that is a failure, in words. */
  readonly run: (subject: Subject) => Promise<Finding>;
}

export type Severity = 'error' | 'warning' | 'info';

export interface Finding {
  /** `does-not-apply`: by its own words the plugin is not of the kind that this is asked of. What the check merely lacks is a failure. */
  readonly verdict: 'passed' | 'failed' | 'does-not-apply';
  /** What was seen, in a sentence or as an excerpt. */
  readonly seen: string;
}

export function passed(seen: string): Finding {
  return { verdict: 'passed', seen };
}

export function failed(seen: string): Finding {
  return { verdict: 'failed', seen };
}

export function doesNotApply(seen: string): Finding {
  return { verdict: 'does-not-apply', seen };
}

/** Passed when so; otherwise failed with the same words for what was seen. */
export function verdict(isGood: boolean, seen: string): Finding {
  return isGood ? passed(seen) : failed(seen);
}
