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
}
