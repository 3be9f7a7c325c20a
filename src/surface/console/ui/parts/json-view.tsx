// A JSON value as a tree that opens node by node.
import { useState } from 'preact/hooks';
import type { Json } from '../../../../base/json.ts';
import { counted, grouped } from '../lib/format.ts';
import {
  childCount,
  childrenOf,
  CHILDREN_SHOWN,
  preview,
  isBranch,
  scalarText,
  TEXT_SHOWN,
} from '../lib/json.ts';
import { visible } from '../lib/text.ts';
import { Icon } from './icon.tsx';

export function JsonView({ value, openTo = 2 }: { readonly value: Json; readonly openTo?: number }) {
  return (
    <div class="json">
      <Node value={value} depth={0} openTo={openTo} />
    </div>
  );
}

function Node({
  name,
  value,
  depth,
  openTo,
}: {
  readonly name?: string | number;
  readonly value: Json;
  readonly depth: number;
  readonly openTo: number;
}) {
  const [isOpen, setOpen] = useState(depth < openTo && childCount(value) <= CHILDREN_SHOWN);
  const [shown, setShown] = useState(CHILDREN_SHOWN);
  if (!isBranch(value) || childCount(value) === 0)
    return (
      <div class="leaf">
        <Key name={name} />
        <Leaf value={value} />
      </div>
    );
  const count = childCount(value);
  return (
    <div>
      <button type="button" class="toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="chevron" />
        <span>
          <Key name={name} />
          <span class="glimpse">
            {isOpen ? (Array.isArray(value) ? `[${count}]` : `{${count}}`) : visible(preview(value))}
          </span>
        </span>
      </button>
      {isOpen ? (
        <ul>
          {childrenOf(value, shown).map(({ key, value: child }) => (
            <li key={key}>
              <Node name={key} value={child} depth={depth + 1} openTo={openTo} />
            </li>
          ))}
          {count > shown ? (
            <li>
              <button type="button" class="link-button more" onClick={() => setShown(shown * 4)}>
                {grouped(count - shown)} more
              </button>
            </li>
          ) : null}
        </ul>
      ) : null}
    </div>
  );
}

function Key({ name }: { readonly name: string | number | undefined }) {
  return name === undefined ? null : <span class="key">{visible(String(name))}: </span>;
}

function Leaf({ value }: { readonly value: Json }) {
  const [isWhole, setWhole] = useState(false);
  if (typeof value !== 'string')
    return <span class={typeof value === 'number' ? 'number' : 'word'}>{visible(preview(value))}</span>;
  return (
    <>
      <span class="string">{visible(scalarText(value, isWhole ? TEXT_SHOWN * 100 : TEXT_SHOWN))}</span>
      {value.length > TEXT_SHOWN && !isWhole ? (
        <button type="button" class="link-button" onClick={() => setWhole(true)}>
          {counted(value.length - TEXT_SHOWN, 'more character')}
        </button>
      ) : null}
    </>
  );
}
