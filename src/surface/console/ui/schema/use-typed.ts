// The state of an input whose text is read: as number, as JSON.
import { useState } from 'preact/hooks';
import type { InputProps } from './input-props.ts';
import { stillTyped, typedText, type ReadText, type TypedText } from './typed-text.ts';
import { useUnreadable } from './use-unreadable.ts';

export function useTyped(
  { value, isKept, path, ports, onChange }: InputProps,
  read: (text: string) => ReadText,
): { readonly typed: TypedText | undefined; readonly type: (text: string) => void } {
  const [last, setLast] = useState<TypedText>();
  const typed = stillTyped(last, value);
  useUnreadable(ports, path, typed?.problem === undefined ? undefined : 'cannot be read');
  const type = (text: string) => {
    const isMissing = isKept && text.trim() === '';
    const found: ReadText = isMissing ? { problem: 'It needs a value.' } : read(text);
    setLast(typedText(text, found, value));
    if ('value' in found) onChange(found.value);
  };
  return { typed, type };
}
