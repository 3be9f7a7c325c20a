// The state of a form. Problems are shown when the user wants to send it, and go when the field changes.
import type { ComponentType } from 'preact';
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Json } from '../../../../base/json.ts';
import type { Field } from './field.ts';
import {
  allProblems,
  isWithin,
  problemsOf,
  withValueAt,
  type FieldProblem,
  type Path,
  type Value,
} from './value.ts';

export interface Form {
  readonly context: FormContext;
  readonly problems: readonly FieldProblem[];
  /** For use as the key of the form's element: a new one discards the texts of its inputs. */
  readonly revision: number;
  /** Whether it can be sent; if not, the first invalid field gets the focus. */
  check(): boolean;
  /** The value was changed outside of the form. */
  reset(): void;
}

export interface FormContext {
  /** The schema of the whole form, for references. */
  readonly root: Json;
  readonly problems: readonly FieldProblem[];
  /** Undefined removes the value. */
  readonly change: (path: Path, value: Value) => void;
  /** Reports that the text of an input cannot be sent; undefined: it can, or the input is gone. */
  readonly setInputProblem: (owner: object, problem: FieldProblem | undefined) => void;
}

interface RenderContext extends FormContext {
  readonly read: (schema: Json, depth: number) => Field;
  /** The row of a field, passed in since fields contain fields. */
  readonly Row: ComponentType<RowProps>;
}

export interface FieldProps {
  readonly value: Value;
  readonly path: Path;
  readonly form: RenderContext;
}

export interface RowProps extends FieldProps {
  readonly name: string;
  readonly schema: Json;
  readonly isRequired: boolean;
  /** An item of a list or map: it is not marked as required. */
  readonly isItem?: boolean;
  /** Just added by the user: it is open, whatever its kind. */
  readonly isFresh?: boolean;
}

export function useForm(
  schema: Json,
  value: Value,
  setValue: (change: (before: Value) => Value) => void,
): Form {
  const [problems, setProblems] = useState<readonly FieldProblem[]>([]);
  /** By input, since paths change when items are removed. */
  const inputProblems = useRef(new Map<object, FieldProblem>()).current;
  const setInputProblem = useCallback<FormContext['setInputProblem']>(
    (owner, problem) => {
      if (problem === undefined) inputProblems.delete(owner);
      else inputProblems.set(owner, problem);
    },
    [inputProblems],
  );
  const [revision, setRevision] = useState(0);
  const context = useMemo<FormContext>(
    () => ({
      root: schema,
      problems,
      change(path, next) {
        setValue((before) => withValueAt(before, path, next));
        setProblems((before) => before.filter((one) => !isWithin(one.path, path)));
      },
      setInputProblem,
    }),
    [schema, problems, setValue, setInputProblem],
  );
  return {
    context,
    problems,
    revision,
    check() {
      const found = allProblems([...inputProblems.values()], problemsOf(schema, schema, value));
      setProblems(found);
      if (found.length > 0)
        requestAnimationFrame(() => document.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
      return found.length === 0;
    },
    reset() {
      inputProblems.clear();
      setProblems([]);
      setRevision((before) => before + 1);
    },
  };
}

/** Reports a problem for as long as the input shows it, wherever the input moves. */
export function useInputProblem(
  { setInputProblem }: FormContext,
  path: Path,
  problem: string | undefined,
): void {
  const owner = useRef({}).current;
  useLayoutEffect(() => {
    setInputProblem(owner, problem === undefined ? undefined : { path, problem, isShownByInput: true });
  }, [setInputProblem, owner, JSON.stringify(path), problem]);
  useLayoutEffect(() => () => setInputProblem(owner, undefined), [setInputProblem, owner]);
}
