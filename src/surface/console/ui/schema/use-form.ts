// A form that somebody fills in: what is wrong with it is told when it is to be sent, and no longer once that is mended.
import { useCallback, useMemo, useRef, useState } from 'preact/hooks';
import type { Json } from '../../../../base/json.ts';
import type { FormPorts } from './form-ports.ts';
import { allProblems, isWithin, problemsOf, withValueAt, type FieldProblem, type Value } from './value.ts';

export interface Form {
  readonly ports: FormPorts;
  readonly problems: readonly FieldProblem[];
  /** The key of what shows it: what was typed there goes with what it was typed for. */
  readonly revision: number;
  /** Whether it can be sent; where not, the first field that is wrong gets the focus. */
  check(): boolean;
  /** It was filled in elsewhere. */
  forget(): void;
}

export function useForm(
  schema: Json,
  value: Value,
  setValue: (change: (before: Value) => Value) => void,
): Form {
  const [problems, setProblems] = useState<readonly FieldProblem[]>([]);
  /** By whoever shows it, since places move. */
  const unreadable = useRef(new Map<object, FieldProblem>()).current;
  const tellUnreadable = useCallback<FormPorts['unreadable']>(
    (owner, problem) => {
      if (problem === undefined) unreadable.delete(owner);
      else unreadable.set(owner, problem);
    },
    [unreadable],
  );
  const [revision, setRevision] = useState(0);
  const ports = useMemo<FormPorts>(
    () => ({
      root: schema,
      problems,
      change(path, next) {
        setValue((before) => withValueAt(before, path, next));
        setProblems((before) => before.filter((one) => !isWithin(one.path, path)));
      },
      unreadable: tellUnreadable,
    }),
    [schema, problems, setValue, tellUnreadable],
  );
  return {
    ports,
    problems,
    revision,
    check() {
      const found = allProblems([...unreadable.values()], problemsOf(schema, schema, value));
      setProblems(found);
      if (found.length > 0)
        requestAnimationFrame(() => document.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
      return found.length === 0;
    },
    forget() {
      unreadable.clear();
      setProblems([]);
      setRevision((before) => before + 1);
    },
  };
}
