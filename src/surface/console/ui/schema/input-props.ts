// What every input of a form is given.
import type { PlaceProps } from './form-ports.ts';
import type { Value } from './value.ts';

export interface InputProps extends PlaceProps {
  readonly id: string;
  readonly described: string;
  readonly isWrong: boolean;
  readonly isRequired: boolean;
  /** Whoever empties it does not take it away: it is a row of its own. */
  readonly isKept: boolean;
  readonly onChange: (value: Value) => void;
}
