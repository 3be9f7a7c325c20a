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
  /** What its owner shows cannot be sent as it stands, and where that is; undefined: it can, or is gone. */
  readonly unreadable: (owner: object, problem: FieldProblem | undefined) => void;
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
