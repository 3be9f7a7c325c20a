// What the parts of a form share.
import type { ComponentType } from 'preact';
import type { Json } from '../../../../base/json.ts';
import type { Field } from './field.ts';
import type { FieldProblem, Path, Value } from './value.ts';

export interface FormPorts {
  readonly root: Json;
  readonly problems: readonly FieldProblem[];
  /** Undefined takes it away. */
  readonly change: (path: Path, value: Value) => void;
  /** What was typed there is no value yet, with the reason; undefined: it is one again. */
  readonly unreadable: (path: Path, problem: string | undefined) => void;
}

interface ReadingPorts extends FormPorts {
  readonly read: (schema: Json, depth: number) => Field;
  /** A field with its name; handed in, since fields hold fields. */
  readonly Row: ComponentType<RowProps>;
}

export interface PlaceProps {
  readonly value: Value;
  readonly path: Path;
  readonly ports: ReadingPorts;
}

export interface RowProps extends PlaceProps {
  readonly name: string;
  readonly schema: Json;
  readonly isRequired: boolean;
  /** One of many: that it has to be there goes without saying. */
  readonly isItem?: boolean;
  /** Somebody has just added it: it is open, whatever it is. */
  readonly isFresh?: boolean;
}
