// A map of names and values, a row each.
import { useRef, useState } from 'preact/hooks';
import { isJsonObject, type Json } from '../../../../base/json.ts';
import { Icon } from '../parts/icon.tsx';
import { emptyOf } from './empty-of.ts';
import type { PlaceProps } from './form-ports.ts';
import { entriesOf, freeId, isFirst, isSame, isTwice, objectOf, type MapEntry } from './map-entries.ts';
import { useUnreadable } from './use-unreadable.ts';
import { initialValue, withValueAt } from './value.ts';

const SHOWN = 100;

export function MapRows({
  schema,
  name,
  value,
  path,
  ports,
  except = new Set(),
}: PlaceProps & {
  /** Of its values. */
  readonly schema: Json;
  readonly name: string;
  /** Names that have fields of their own. */
  readonly except?: ReadonlySet<string>;
}) {
  const [typed, setTyped] = useState<readonly MapEntry[]>(() => entriesOf(value, except));
  const place = useRef<HTMLDivElement>(null);
  const entries = isSame(typed, value, except) ? typed : entriesOf(value, except, typed);
  const hasTwice = entries.some((entry) => isTwice(entries, entry));
  useUnreadable(ports, path, hasTwice ? 'has a name twice' : undefined);
  const change = (next: readonly MapEntry[]) => {
    setTyped(next);
    const others = isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).filter(([one]) => except.has(one)))
      : {};
    ports.change(path, objectOf(next, others));
  };
  /** What is typed into a value is told by its name, and kept in its row. */
  const portsOf = (entry: MapEntry): typeof ports => ({
    ...ports,
    change(at, next) {
      const inner = withValueAt(entry.value, at.slice(path.length + 1), next) ?? null;
      setTyped(entries.map((one) => (one.id === entry.id ? { ...one, value: inner } : one)));
      if (isFirst(entries, entry)) ports.change(at, next);
    },
  });
  const add = () => {
    const id = freeId(entries);
    const depth = path.length + 1;
    const fresh = initialValue(schema, ports.root, { depth }) ?? emptyOf(ports.read(schema, depth));
    change([...entries, { id, name: '', value: fresh }]);
    requestAnimationFrame(() =>
      place.current?.querySelector<HTMLElement>('.map-row:last-of-type .map-name')?.focus(),
    );
  };
  return (
    <div class="items" ref={place}>
      {entries.slice(0, SHOWN).map((entry) => (
        <div key={entry.id} class="map-row">
          <label class="map-key">
            <span class="faint small">name</span>
            <input
              class="map-name mono"
              value={entry.name}
              autocomplete="off"
              spellcheck={false}
              aria-invalid={entry.name === '' || isTwice(entries, entry)}
              onInput={({ currentTarget }) =>
                change(
                  entries.map((one) => (one.id === entry.id ? { ...one, name: currentTarget.value } : one)),
                )
              }
            />
            {isTwice(entries, entry) ? <span class="bad-text small">is there twice</span> : null}
          </label>
          <ports.Row
            name="value"
            schema={schema}
            isRequired
            isItem
            isFresh
            value={entry.value}
            path={[...path, entry.name]}
            ports={portsOf(entry)}
          />
          <button
            type="button"
            class="button plain icon-only"
            aria-label={`Remove ${entry.name} from ${name}`}
            onClick={() => change(entries.filter((one) => one.id !== entry.id))}
          >
            <Icon name="bin" />
          </button>
        </div>
      ))}
      {entries.length > SHOWN ? (
        <p class="soft">{entries.length - SHOWN} more are not shown; they are there as JSON.</p>
      ) : null}
      <button
        type="button"
        class="button plain add"
        disabled={entries.some((entry) => entry.name === '')}
        onClick={add}
      >
        <Icon name="plus" /> Add to {name}
      </button>
    </div>
  );
}
