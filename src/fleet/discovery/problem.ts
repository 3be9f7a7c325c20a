// What is wrong with something on disk, in words that help: where, why, and what to do.
import { sentences } from '../../base/sentence.ts';

export interface Problem {
  readonly file: string;
  /** From 1. */
  readonly line?: number;
  /** From 1. */
  readonly column?: number;
  /** `error`: something was skipped. `warning`: all is used, but maybe not as meant. */
  readonly severity: 'error' | 'warning';
  readonly reason: string;
  readonly wayOut: string;
  /** Which plugin is not there because of it. */
  readonly plugin?: string;
}

/** One line for people: `pluglot.json:3: unknown key "comand" … Did you mean "command"?` */
export function describeProblem({ file, line, column, reason, wayOut }: Problem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  return `${place}: ${sentences(reason, wayOut)}`;
}
