// An error in a file on disk: where, why, and how to fix it.
import { sentences } from '../../base/text.ts';
import type { JsonReading } from './json-reader.ts';

export interface Problem {
  readonly file: string;
  /** From 1. */
  readonly line?: number;
  /** From 1. */
  readonly column?: number;
  /** `error`: something was skipped. `warning`: everything is used, but maybe not as intended. */
  readonly severity: 'error' | 'warning';
  readonly reason: string;
  readonly wayOut: string;
  /** The plugin that is missing because of it. */
  readonly plugin?: string;
  /** Calls are denied until it is fixed. Other errors leave the last valid version in force in a running host. */
  readonly denies?: true;
}

/** For a text that is not JSON. */
export function syntaxProblem(
  file: string,
  { line, column, reason }: JsonSyntaxError,
  wayOut: string,
): Problem {
  return { file, line, column, severity: 'error', reason: `invalid JSON: ${reason}`, wayOut };
}

type JsonSyntaxError = Extract<JsonReading, { readonly ok: false }>;

/** One line for people: `pluglot.json:3: unknown key "comand" … Did you mean "command"?` */
export function describeProblem({ file, line, column, reason, wayOut }: Problem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  return `${place}: ${sentences(reason, wayOut)}`;
}
