// What every input of a form is given.
import type { Value } from './value.ts';

export interface InputProps {
  readonly id: string;
  readonly described: string;
  readonly isWrong: boolean;
  readonly isRequired: boolean;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  /** What was typed is no value yet, and why; undefined: it is one again. */
  readonly onUnreadable: (problem: string | undefined) => void;
}
