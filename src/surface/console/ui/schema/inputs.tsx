// The inputs of a form, one for each kind of value. What is not readable yet stays where it was typed.
import { useState } from 'preact/hooks';
import type { Json } from '../../../../base/json.ts';
import { prettyJson } from '../lib/json-node.ts';
import type { Field } from './field.ts';
import type { PlaceProps } from './form-ports.ts';
import type { Value } from './value.ts';

/** The input that fits a field; what has fields of its own and is too deep for them is typed as JSON. */
export function FieldInput({
  id,
  field,
  isRequired,
  isWrong,
  value,
  path,
  ports,
}: PlaceProps & {
  readonly id: string;
  readonly field: Field;
  readonly isRequired: boolean;
  readonly isWrong: boolean;
}) {
  const common = {
    id,
    described: `${id}-note ${id}-problem`,
    isWrong,
    isRequired,
    value,
    onChange: (next: Value) => ports.change(path, next),
  };
  switch (field.kind) {
    case 'text':
      return <TextInput {...common} field={field} />;
    case 'number':
      return <NumberInput {...common} field={field} />;
    case 'boolean':
      return <SwitchInput {...common} />;
    case 'choice':
      return <ChoiceInput {...common} field={field} />;
    case 'object':
    case 'list':
    case 'variants':
    case 'json':
      return <JsonInput {...common} />;
  }
}

interface InputProps {
  readonly id: string;
  readonly described: string;
  readonly isWrong: boolean;
  readonly isRequired: boolean;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

const inputTypes: Readonly<Record<string, string>> = {
  date: 'date',
  email: 'email',
  uri: 'url',
  url: 'url',
  password: 'password',
  color: 'color',
};

function TextInput({
  id,
  described,
  isWrong,
  value,
  onChange,
  field,
}: InputProps & { readonly field: Extract<Field, { kind: 'text' }> }) {
  const text = typeof value === 'string' ? value : '';
  const common = {
    id,
    'aria-describedby': described,
    'aria-invalid': isWrong,
    value: text,
    spellcheck: false,
    // An empty field is one that was left out.
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onChange(currentTarget.value === '' ? undefined : currentTarget.value),
  };
  if (field.isLong || text.includes('\n') || text.length > 120) return <textarea {...common} rows={4} />;
  const type = Object.hasOwn(inputTypes, field.format) ? inputTypes[field.format] : 'text';
  return <input {...common} type={type} autocomplete="off" />;
}

function NumberInput({
  id,
  described,
  isWrong,
  value,
  onChange,
  field,
}: InputProps & { readonly field: Extract<Field, { kind: 'number' }> }) {
  const [typed, setTyped] = useState<string>();
  const shown =
    typed !== undefined && readNumber(typed) === value
      ? typed
      : typeof value === 'number'
        ? String(value)
        : '';
  const isUnreadable = typed !== undefined && typed.trim() !== '' && readNumber(typed) === undefined;
  return (
    <input
      id={id}
      type="text"
      inputMode={field.isInteger ? 'numeric' : 'decimal'}
      aria-describedby={described}
      aria-invalid={isWrong || isUnreadable}
      autocomplete="off"
      value={isUnreadable ? typed : shown}
      onInput={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onChange(readNumber(currentTarget.value));
      }}
    />
  );
}

function readNumber(text: string): number | undefined {
  const number = Number(text.trim());
  return text.trim() === '' || !Number.isFinite(number) ? undefined : number;
}

/** Three ways where it may be left out, two where not. */
function SwitchInput({ id, described, isRequired, value, onChange }: InputProps) {
  const choices: readonly (readonly [label: string, value: Value])[] = [
    ...(isRequired ? [] : [['not set', undefined] as const]),
    ['true', true],
    ['false', false],
  ];
  return (
    <div class="switch" role="group" id={id} aria-describedby={described}>
      {choices.map(([label, choice]) => (
        <button key={label} type="button" aria-pressed={value === choice} onClick={() => onChange(choice)}>
          {label}
        </button>
      ))}
    </div>
  );
}

function ChoiceInput({
  id,
  described,
  isWrong,
  isRequired,
  value,
  onChange,
  field,
}: InputProps & { readonly field: Extract<Field, { kind: 'choice' }> }) {
  const index =
    value === undefined
      ? -1
      : field.options.findIndex((option) => JSON.stringify(option) === JSON.stringify(value));
  return (
    <>
      <select
        id={id}
        aria-describedby={described}
        aria-invalid={isWrong}
        value={index}
        onChange={({ currentTarget }) => onChange(field.options[Number(currentTarget.value)])}
      >
        {isRequired && index >= 0 ? null : <option value={-1}>{isRequired ? 'choose …' : 'not set'}</option>}
        {field.options.map((option, place) => (
          <option key={place} value={place}>
            {(typeof option === 'string' ? option : JSON.stringify(option)).slice(0, 200)}
          </option>
        ))}
      </select>
      {field.omitted > 0 ? (
        <p class="soft small">{field.omitted} more choices are not shown; type them as JSON.</p>
      ) : null}
    </>
  );
}

function JsonInput({ id, described, isWrong, value, onChange }: InputProps) {
  const [typed, setTyped] = useState<string>();
  const [problem, setProblem] = useState<string>();
  return (
    <>
      <textarea
        id={id}
        class="mono"
        rows={4}
        aria-describedby={described}
        aria-invalid={isWrong || problem !== undefined}
        spellcheck={false}
        value={typed ?? (value === undefined ? '' : prettyJson(value))}
        onInput={({ currentTarget }) => {
          const text = currentTarget.value;
          setTyped(text);
          try {
            onChange(text.trim() === '' ? undefined : (JSON.parse(text) as Json));
            setProblem(undefined);
          } catch (error) {
            setProblem(error instanceof Error ? error.message : String(error));
          }
        }}
      />
      {problem === undefined ? null : <p class="bad-text small">{problem}</p>}
    </>
  );
}
