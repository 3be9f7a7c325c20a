// Whatever has no input of its own, typed as JSON. What is not readable yet stays where it was typed.
import type { Json } from '../../../../base/json.ts';
import { prettyJson } from '../lib/json-node.ts';
import type { InputProps } from './input-props.ts';
import type { ReadText } from './typed-text.ts';
import { useTyped } from './use-typed.ts';

export function JsonInput(props: InputProps) {
  const { id, described, isWrong, value } = props;
  const { typed, type } = useTyped(props, readJson);
  return (
    <>
      <textarea
        id={id}
        class="mono"
        rows={4}
        aria-describedby={described}
        aria-invalid={isWrong || typed?.problem !== undefined}
        spellcheck={false}
        placeholder="JSON"
        value={typed?.text ?? (value === undefined ? '' : prettyJson(value))}
        onInput={({ currentTarget }) => type(currentTarget.value)}
      />
      {typed?.problem === undefined ? null : <p class="bad-text small">{typed.problem}</p>}
    </>
  );
}

function readJson(text: string): ReadText {
  if (text.trim() === '') return { value: undefined };
  try {
    return { value: JSON.parse(text) as Json };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
