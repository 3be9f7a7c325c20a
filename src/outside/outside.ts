// Asks or notifies a person or program outside of this process: at a terminal, through files or by a webhook.
import type { Clock } from '../base/clock.ts';
import { toError } from '../base/error.ts';
import type { Json } from '../base/json.ts';
import { readJson } from '../fleet/discovery/json-reader.ts';

export interface Outside {
  /** What is asked, in the middle of a sentence; it holds no secret. */
  readonly name: string;
  /** Never rejects; ends with the signal or the time limit. */
  ask<Answer>(question: OutsideQuestion<Answer>, signal: AbortSignal): Promise<Asked<Answer>>;
  /** Never rejects; ends with the signal or the time limit. */
  notify(notice: Notice, signal: AbortSignal): Promise<Sent>;
}

export interface OutsideQuestion<Answer> {
  /** Becomes the name of a file. */
  readonly id: string;
  /** The question for a program, as JSON. */
  readonly body: object;
  /** Reads the answer of a program. @throws Error when it is not an answer */
  readAnswer(value: Json): Answer;
  /** The question for a person at a terminal. */
  dialog(readLine: ReadLine): Promise<Answer>;
}

/** Shows a text, then reads one line; undefined at the end of the input or of the question. The text must be printable. */
export type ReadLine = (shown: string, prompt: string) => Promise<string | undefined>;

export interface Notice {
  /** For a terminal, printable. */
  lines(): readonly string[];
  /** For a webhook, as JSON. */
  readonly body: object;
  /** For files. */
  write(folder: string): Promise<void>;
}

export type Asked<Answer> = { readonly kind: 'answered'; readonly answer: Answer } | Undelivered;

export type Sent = { readonly kind: 'sent' } | Undelivered;

type Undelivered =
  /** `reason` is a clause with its subject, and holds no secret. */
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'late' }
  | { readonly kind: 'withdrawn' };

export interface Limits {
  readonly limitMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Runs `work`, whose signal fires at the time limit or with the caller's. `work` must end then. */
export async function limited<Result>(
  { limitMs, clock, signal }: Limits,
  work: (ended: AbortSignal) => Promise<Result>,
): Promise<Result | Undelivered> {
  if (signal.aborted) return { kind: 'withdrawn' };
  const limit = new AbortController();
  const cancelLimit = clock.after(limitMs, () => limit.abort());
  const ended = AbortSignal.any([limit.signal, signal]);
  const result = await work(ended).catch((thrown: unknown): Undelivered => {
    return { kind: 'failed', reason: toError(thrown).message };
  });
  cancelLimit();
  if (signal.aborted) return { kind: 'withdrawn' };
  return limit.signal.aborted ? { kind: 'late' } : result;
}

/** The value, or undefined when the signal fires first. */
export function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const end = () => resolve(undefined);
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}

/** @throws Error when it is not JSON, or not an answer */
export function parseAnswer<Answer>(text: string, question: OutsideQuestion<Answer>): Answer {
  const reading = readJson(text, { syntax: 'json', depthLimit: 50 });
  if (!reading.ok) throw new Error(`the answer is not JSON: ${reading.reason}`);
  return question.readAnswer(reading.root.value);
}

/** The system's code of a failed request: the messages of fetch may quote what was sent. */
export function failureCode(thrown: unknown): string {
  const { cause, name } = toError(thrown);
  return cause instanceof Error && 'code' in cause ? String(cause.code) : name;
}
