// Whatever has no input of its own, typed as JSON. What is not readable yet stays where it was typed.
import { useState } from 'preact/hooks';
import type { Json } from '../../../../base/json.ts';
import { prettyJson } from '../lib/json-node.ts';
import type { InputProps } from './input-props.ts';

export function JsonInput({ id, described, isWrong, value, onChange, onUnreadable }: InputProps) {
  const [typed, setTyped] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const type = (text: string) => {
    setTyped(text);
    const read = readJson(text);
    setProblem(read.problem);
    onUnreadable(read.problem);
    if (read.problem === undefined) onChange(read.value);
  };
  return (
    <>
      <textarea
        id={id}
        class="mono"
        rows={4}
        aria-describedby={described}
        aria-invalid={isWrong || problem !== undefined}
        spellcheck={false}
        placeholder="JSON"
        value={typed ?? (value === undefined ? '' : prettyJson(value))}
        onInput={({ currentTarget }) => type(currentTarget.value)}
      />
      {problem === undefined ? null : <p class="bad-text small">{problem}</p>}
    </>
  );
}

function readJson(text: string): { readonly value?: Json; readonly problem?: string } {
  if (text.trim() === '') return {};
  try {
    return { value: JSON.parse(text) as Json };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
