// A field to search with; the slash leads to it.
import { Icon } from './icon.tsx';

export function SearchField({
  value,
  onChange,
  label,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly label: string;
}) {
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
