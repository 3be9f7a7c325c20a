// What somebody types for a value that is no text: it is shown as it was typed, for as long as the value is the one that it was typed for.
import type { Value } from './value.ts';

export interface TypedText {
  readonly text: string;
  /** Of the field since then: what was read, or what was there where nothing could be read. */
  readonly value: Value;
  readonly problem?: string;
}

export type ReadText = { readonly value: Value } | { readonly problem: string };

export function typedText(text: string, read: ReadText, before: Value): TypedText {
  return 'problem' in read ? { text, value: before, problem: read.problem } : { text, value: read.value };
}

/** Undefined where the value has become another since. */
export function stillTyped(typed: TypedText | undefined, value: Value): TypedText | undefined {
  if (typed === undefined) return undefined;
  return typed.value === value || JSON.stringify(typed.value) === JSON.stringify(value) ? typed : undefined;
}
