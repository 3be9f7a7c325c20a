// Lists and maps: rows that the user adds, fills in and removes.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../../../base/json.ts';
import { Button, IconButton } from '../parts/buttons.tsx';
import type { Field } from './field.ts';
import { useInputProblem, type FieldProps } from './use-form.ts';
import { startValue, withValueAt, type Value } from './value.ts';

const ROWS_SHOWN = 100;

type ItemsProps = FieldProps & { readonly field: Extract<Field, { kind: 'list' }>; readonly name: string };

export function Items({ field, value, path, form, name }: ItemsProps) {
  const items = isJsonArray(value) ? value : [];
  const place = useRef<HTMLDivElement>(null);
  const [fresh, setFresh] = useState<number>();
  const rowIds = useRef(new RowIds()).current;
  const ids = rowIds.of(items.length);
  const add = () => {
    setFresh(rowIds.of(items.length + 1)[items.length]);
    form.change(path, [...items, startValue(field.item, form, path.length + 1)]);
  };
  const remove = (index: number) => {
    rowIds.remove(index);
    form.change(
      path,
      items.filter((_, other) => other !== index),
    );
  };
  useLayoutEffect(() => {
    if (fresh === undefined) return;
    const input = place.current?.querySelector<HTMLElement>(
      ':scope > .item:last-of-type :is(input, select, textarea, .switch button)',
    );
    input?.focus();
    // Typing replaces the initial value.
    if (input instanceof HTMLInputElement || input instanceof HTMLTextAreaElement) input.select();
  }, [fresh]);
  return (
    <div class="items" ref={place}>
      {items.slice(0, ROWS_SHOWN).map((item, index) => (
        <div key={ids[index]} class="item">
          <form.Row
            name={`${index + 1}`}
            schema={field.item}
            isRequired
            isItem
            isFresh={ids[index] === fresh}
            value={item}
            path={[...path, index]}
            form={form}
          />
          <IconButton icon="bin" label={`Remove ${name} ${index + 1}`} onClick={() => remove(index)} />
        </div>
      ))}
      <MoreRows count={items.length} />
      <Button look="plain" icon="plus" class="add" disabled={items.length >= field.max} onClick={add}>
        Add to {name}
      </Button>
    </div>
  );
}

function MoreRows({ count }: { readonly count: number }) {
  return count > ROWS_SHOWN ? (
    <p class="soft">{count - ROWS_SHOWN} more not shown; edit them as JSON.</p>
  ) : null;
}

/** Items have no names: each row gets a number that stays when other rows are removed. */
export class RowIds {
  #ids: number[] = [];
  #next = 0;

  of(count: number): readonly number[] {
    this.#ids.length = Math.min(this.#ids.length, count);
    while (this.#ids.length < count) this.#ids.push(this.#next++);
    return this.#ids;
  }

  remove(index: number): void {
    this.#ids.splice(index, 1);
  }
}

type MapProps = FieldProps & {
  /** Of its values. */
  readonly schema: Json;
  readonly name: string;
  /** Names that have fields of their own. */
  readonly except?: ReadonlySet<string>;
};

export function MapRows({ schema, name, value, path, form, except = new Set() }: MapProps) {
  const [typed, setTyped] = useState<readonly MapEntry[]>(() => entriesOf(value, except));
  const [added, setAdded] = useState(0);
  const place = useRef<HTMLDivElement>(null);
  const entries = isSame(typed, value, except) ? typed : entriesOf(value, except, typed);
  const hasDuplicate = entries.some((entry) => isDuplicate(entries, entry));
  useInputProblem(form, path, hasDuplicate ? 'has a duplicate name' : undefined);
  const change = (next: readonly MapEntry[]) => {
    setTyped(next);
    const others = isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).filter(([one]) => except.has(one)))
      : {};
    form.change(path, objectOf(next, others));
  };
  /** Changes inside of a value also stay in its row, which may have a duplicate name. */
  const formOf = (entry: MapEntry): typeof form => ({
    ...form,
    change(at, next) {
      const inner = withValueAt(entry.value, at.slice(path.length + 1), next) ?? null;
      setTyped(entries.map((one) => (one.id === entry.id ? { ...one, value: inner } : one)));
      if (isFirst(entries, entry)) form.change(at, next);
    },
  });
  const rename = (entry: MapEntry, next: string) =>
    change(entries.map((one) => (one.id === entry.id ? { ...one, name: next } : one)));
  const add = () => {
    change([...entries, { id: freeId(entries), name: '', value: startValue(schema, form, path.length + 1) }]);
    setAdded(added + 1);
  };
  useLayoutEffect(() => {
    if (added > 0) place.current?.querySelector<HTMLElement>('.map-row:last-of-type .map-name')?.focus();
  }, [added]);
  return (
    <div class="items" ref={place}>
      {entries.slice(0, ROWS_SHOWN).map((entry) => (
        <div key={entry.id} class="map-row">
          <label class="map-key">
            <span class="faint small">name</span>
            <input
              class="map-name mono"
              value={entry.name}
              autocomplete="off"
              spellcheck={false}
              aria-invalid={entry.name === '' || isDuplicate(entries, entry)}
              onInput={({ currentTarget }) => rename(entry, currentTarget.value)}
            />
            {isDuplicate(entries, entry) ? <span class="bad-text small">duplicate</span> : null}
          </label>
          <form.Row
            name="value"
            schema={schema}
            isRequired
            isItem
            isFresh
            value={entry.value}
            path={[...path, entry.name]}
            form={formOf(entry)}
          />
          <IconButton
            icon="bin"
            label={`Remove ${entry.name} from ${name}`}
            onClick={() => change(entries.filter((one) => one.id !== entry.id))}
          />
        </div>
      ))}
      <MoreRows count={entries.length} />
      <Button
        look="plain"
        icon="plus"
        class="add"
        disabled={entries.some((entry) => entry.name === '')}
        onClick={add}
      >
        Add to {name}
      </Button>
    </div>
  );
}

/** A row of a map. While the user types, its name may be empty or a duplicate. */
export interface MapEntry {
  /** Stays when the name changes. */
  readonly id: number;
  readonly name: string;
  readonly value: Json;
}

/** The entries of the value without some names. An entry that had a row keeps it. */
export function entriesOf(
  value: Value,
  except: ReadonlySet<string> = new Set(),
  before: readonly MapEntry[] = [],
): MapEntry[] {
  if (!isJsonObject(value)) return [];
  const rows = new Map(before.map(({ name, id }) => [name, id]));
  let next = freeId(before);
  return Object.entries(value)
    .filter(([name]) => !except.has(name))
    .map(([name, inner]) => ({ id: rows.get(name) ?? next++, name, value: inner }));
}

function freeId(entries: readonly MapEntry[]): number {
  return Math.max(-1, ...entries.map(({ id }) => id)) + 1;
}

/** Of entries with the same name, the first counts. */
export function objectOf(entries: readonly MapEntry[], others: JsonObject = {}): JsonObject {
  const named = new Map<string, Json>(Object.entries(others));
  for (const { name, value } of entries) if (!named.has(name)) named.set(name, value);
  return Object.fromEntries(named);
}

export function isFirst(entries: readonly MapEntry[], { id, name }: MapEntry): boolean {
  return entries.find((other) => other.name === name)?.id === id;
}

export function isDuplicate(entries: readonly MapEntry[], { id, name }: MapEntry): boolean {
  return entries.some((other) => other.id !== id && other.name === name);
}

/** False where the value was changed elsewhere, such as in the JSON tab. */
export function isSame(entries: readonly MapEntry[], value: Value, except: ReadonlySet<string>): boolean {
  const sorted = (list: readonly MapEntry[]) =>
    JSON.stringify(Object.entries(objectOf(list)).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  return sorted(entries) === sorted(entriesOf(value, except));
}
