// Parts that every page is built from.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { IconButton } from './buttons.tsx';
import { Icon, type IconName } from './icon.tsx';

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
}

/** Stands where there is nothing to list, and says what to do. */
export function Empty({ icon, title, children }: EmptyProps) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}

interface CalloutProps {
  readonly tone: 'warn' | 'bad';
  readonly title: string;
  /** @default warning */
  readonly icon?: IconName;
  /** Announced when it appears. */
  readonly isAlert?: boolean;
  readonly children: ComponentChildren;
}

export function Callout({ tone, title, icon = 'warning', isAlert = false, children }: CalloutProps) {
  return (
    <div class={`callout ${tone}`} role={isAlert ? 'alert' : undefined}>
      <h3>
        <Icon name={icon} /> {title}
      </h3>
      {children}
    </div>
  );
}

interface SearchProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly label: string;
}

/** The `/` key focuses it. */
export function SearchField({ value, onChange, label }: SearchProps) {
  return (
    <div class="search">
      <Icon name="search" />
      <input
        type="search"
        data-search
        value={value}
        placeholder={label}
        aria-label={label}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <kbd aria-hidden="true">/</kbd>
    </div>
  );
}

interface SelectProps {
  /** Where no `<label>` stands around it. */
  readonly label?: string;
  readonly value: string | number;
  readonly options: readonly (readonly [value: string | number, label: string])[];
  readonly onChange: (value: string) => void;
  readonly autofocus?: boolean;
}

export function Select({ label, value, options, onChange, autofocus = false }: SelectProps) {
  return (
    <select
      aria-label={label}
      value={value}
      autofocus={autofocus}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    >
      {options.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  );
}

interface TabsProps<Name extends string> {
  readonly id: string;
  /** The label of each, by name. */
  readonly tabs: Readonly<Record<Name, string>>;
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
  readonly label: string;
  readonly children?: ComponentChildren;
}

export function Tabs<Name extends string>({ id, tabs, chosen, onChoose, label, children }: TabsProps<Name>) {
  const names = Object.keys(tabs) as Name[]; // its keys
  const move = (event: KeyboardEvent, by: number) => {
    event.preventDefault();
    const next = names[(names.indexOf(chosen) + by + names.length) % names.length];
    if (next === undefined) return;
    onChoose(next);
    document.getElementById(`${id}-${next}`)?.focus();
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
        {names.map((name) => (
          <button
            key={name}
            id={`${id}-${name}`}
            type="button"
            role="tab"
            aria-selected={name === chosen}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => onChoose(name)}
          >
            {tabs[name]}
          </button>
        ))}
      </div>
      {children}
    </div>
  );
}

interface TextAreaProps {
  readonly value: string;
  readonly rows: number;
  readonly placeholder?: string;
  readonly isInvalid?: boolean;
  readonly isCode?: boolean;
  readonly onChange: (value: string) => void;
}

/** A field of several lines that takes the focus when it appears. */
export function FocusedText({
  value,
  rows,
  placeholder,
  isInvalid = false,
  isCode = false,
  onChange,
}: TextAreaProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    // Browsers apply `autofocus` only once per page.
    field.current?.focus();
    field.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <textarea
      ref={field}
      class={isCode ? 'mono' : undefined}
      rows={rows}
      placeholder={placeholder}
      spellcheck={!isCode}
      aria-invalid={isInvalid}
      value={value}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

interface DialogProps {
  readonly title: string;
  /** Its class. */
  readonly name?: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Open while it is rendered. Escape and a click outside close it. */
export function Dialog({ title, name, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={name}
      aria-label={title}
      onClose={onClose}
      onClick={({ target, currentTarget }) => {
        // A click on the backdrop has the dialog itself as its target.
        if (target === currentTarget) currentTarget.close();
      }}
    >
      <div class="stack dialog-content">
        <div class="row nowrap">
          <h2>{title}</h2>
          <IconButton icon="close" label="Close" class="push" onClick={() => dialog.current?.close()} />
        </div>
        {children}
      </div>
    </dialog>
  );
}
