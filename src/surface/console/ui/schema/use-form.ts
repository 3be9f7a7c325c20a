// A form that somebody fills in: what is wrong with it is told when it is to be sent, and no longer once that is mended.
import { useMemo, useRef, useState } from 'preact/hooks';
import type { Json } from '../../../../base/json.ts';
import type { FormPorts } from './form-ports.ts';
import { problemsOf, shownPath, withValueAt, type FieldProblem, type Value } from './value.ts';

export interface Form {
  readonly ports: FormPorts;
  readonly problems: readonly FieldProblem[];
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
  const unreadable = useRef(new Map<string, FieldProblem>()).current;
  const ports = useMemo<FormPorts>(
    () => ({
      root: schema,
      problems,
      change(path, next) {
        setValue((before) => withValueAt(before, path, next));
        setProblems((before) => before.filter((one) => shownPath(one.path) !== shownPath(path)));
      },
      unreadable(path, problem) {
        if (problem === undefined) unreadable.delete(shownPath(path));
        else unreadable.set(shownPath(path), { path, problem: 'cannot be read' });
      },
    }),
    [schema, problems, setValue, unreadable],
  );
  return {
    ports,
    problems,
    check() {
      const found = [...unreadable.values(), ...problemsOf(schema, schema, value)];
      setProblems(found);
      if (found.length > 0)
        requestAnimationFrame(() => document.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
      return found.length === 0;
    },
    forget() {
      unreadable.clear();
      setProblems([]);
    },
  };
}
