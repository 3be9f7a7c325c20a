// A list, an item each. Who adds one fills it in next.
import { useRef, useState } from 'preact/hooks';
import { isJsonArray } from '../../../../base/json.ts';
import { Icon } from '../parts/icon.tsx';
import { emptyOf } from './empty-of.ts';
import type { Field } from './field.ts';
import type { PlaceProps } from './form-ports.ts';
import { ItemIds } from './item-ids.ts';
import { initialValue } from './value.ts';

const SHOWN = 100;

export function Items({
  field,
  value,
  path,
  ports,
  name,
}: PlaceProps & { readonly field: Extract<Field, { kind: 'list' }>; readonly name: string }) {
  const items = isJsonArray(value) ? value : [];
  const place = useRef<HTMLDivElement>(null);
  const [fresh, setFresh] = useState<number>();
  const known = useRef(new ItemIds()).current;
  const ids = known.of(items.length);
  const add = () => {
    const depth = path.length + 1;
    const item = initialValue(field.item, ports.root, { depth }) ?? emptyOf(ports.read(field.item, depth));
    setFresh(known.of(items.length + 1)[items.length]);
    ports.change(path, [...items, item]);
    requestAnimationFrame(() => {
      const input = place.current?.querySelector<HTMLElement>(
        ':scope > .item:last-of-type :is(input, select, textarea, .switch button)',
      );
      input?.focus();
      // What is typed next takes the place of what stands there to begin with.
      if (input instanceof HTMLInputElement || input instanceof HTMLTextAreaElement) input.select();
    });
  };
  return (
    <div class="items" ref={place}>
      {items.slice(0, SHOWN).map((item, index) => (
        <div key={ids[index]} class="item">
          <ports.Row
            name={`${index + 1}`}
            schema={field.item}
            isRequired
            isItem
            isFresh={ids[index] === fresh}
            value={item}
            path={[...path, index]}
            ports={ports}
          />
          <button
            type="button"
            class="button plain icon-only"
            aria-label={`Remove ${name} ${index + 1}`}
            onClick={() => {
              known.remove(index);
              ports.change(
                path,
                items.filter((_, other) => other !== index),
              );
            }}
          >
            <Icon name="bin" />
          </button>
        </div>
      ))}
      {items.length > SHOWN ? (
        <p class="soft">{items.length - SHOWN} more are not shown; they are there as JSON.</p>
      ) : null}
      <button type="button" class="button plain add" disabled={items.length >= field.max} onClick={add}>
        <Icon name="plus" /> Add to {name}
      </button>
    </div>
  );
}
