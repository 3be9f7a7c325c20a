// Tabs by the book: arrows move between them, and each names what it shows.
import type { ComponentChildren } from 'preact';

export interface Tab<Name extends string> {
  readonly name: Name;
  readonly label: string;
}

export function Tabs<Name extends string>({
  id,
  tabs,
  chosen,
  onChoose,
  label,
  children,
}: {
  readonly id: string;
  readonly tabs: readonly Tab<Name>[];
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
  readonly label: string;
  readonly children?: ComponentChildren;
}) {
  const move = (event: KeyboardEvent, by: number) => {
    event.preventDefault();
    const index = tabs.findIndex(({ name }) => name === chosen);
    const next = tabs[(index + by + tabs.length) % tabs.length];
    if (next === undefined) return;
    onChoose(next.name);
    document.getElementById(`${id}-${next.name}`)?.focus();
  };
  return (
    <div class="row tab-row">
      <div
        class="tabs"
        role="tablist"
        aria-label={label}
        onKeyDown={(event) => {
          if (event.key === 'ArrowRight') move(event, 1);
          if (event.key === 'ArrowLeft') move(event, -1);
        }}
      >
        {tabs.map(({ name, label: words }) => (
          <button
            key={name}
            id={`${id}-${name}`}
            type="button"
            role="tab"
            aria-selected={name === chosen}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => onChoose(name)}
          >
            {words}
          </button>
        ))}
      </div>
      {children}
    </div>
  );
}
