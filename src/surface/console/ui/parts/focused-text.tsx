// A field for several lines that somebody asked for just now: it has the focus whenever it appears.
import { useEffect, useRef } from 'preact/hooks';

export function FocusedText({
  value,
  rows,
  placeholder,
  isWrong = false,
  isCode = false,
  onChange,
}: {
  readonly value: string;
  readonly rows: number;
  readonly placeholder?: string;
  readonly isWrong?: boolean;
  readonly isCode?: boolean;
  readonly onChange: (value: string) => void;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    // Browsers heed `autofocus` once in a page.
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
      aria-invalid={isWrong}
      value={value}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
