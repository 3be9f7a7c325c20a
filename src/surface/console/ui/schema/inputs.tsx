// The inputs of a form, one for each kind of value.
import { useState } from 'preact/hooks';
import { counted } from '../lib/format.ts';
import type { Field } from './field.ts';
import type { PlaceProps } from './form-ports.ts';
import type { InputProps } from './input-props.ts';
import { JsonInput } from './json-input.tsx';
import { isMoment, momentOf, picked, pickers } from './moments.ts';
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
  const common: InputProps = {
    id,
    described: `${id}-note ${id}-problem`,
    isWrong,
    isRequired,
    value,
    onChange: (next) => ports.change(path, next),
    onUnreadable: (problem) => ports.unreadable(path, problem),
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
    case 'map':
    case 'list':
    case 'variants':
    case 'json':
      return <JsonInput {...common} />;
  }
}

const inputTypes: Readonly<Record<string, string>> = {
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
  const { format } = field;
  const common = { id, 'aria-describedby': described, 'aria-invalid': isWrong, spellcheck: false };
  // An empty field is one that was left out.
  const typed = ({ currentTarget }: { currentTarget: { value: string } }) =>
    onChange(currentTarget.value === '' ? undefined : currentTarget.value);
  const inPicker = isMoment(format) ? (text === '' ? '' : picked(format, text)) : undefined;
  if (isMoment(format) && inPicker !== undefined)
    return (
      <div class="picker">
        <input
          {...common}
          type={pickers[format]}
          value={inPicker}
          onInput={({ currentTarget }) => onChange(momentOf(format, currentTarget.value))}
        />
        {text === '' || format === 'date' ? null : (
          <span class="faint small">
            sent as <code>{text}</code>
          </span>
        )}
      </div>
    );
  if (field.isLong || text.includes('\n') || text.length > 120)
    return <textarea {...common} rows={4} value={text} onInput={typed} />;
  const type = Object.hasOwn(inputTypes, format) ? inputTypes[format] : 'text';
  return <input {...common} type={type} autocomplete="off" value={text} onInput={typed} />;
}

function NumberInput({
  id,
  described,
  isWrong,
  value,
  onChange,
  onUnreadable,
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
    <>
      <input
        id={id}
        type="text"
        inputMode={field.isInteger ? 'numeric' : 'decimal'}
        aria-describedby={described}
        aria-invalid={isWrong || isUnreadable}
        autocomplete="off"
        value={isUnreadable ? typed : shown}
        onInput={({ currentTarget: { value: text } }) => {
          const number = readNumber(text);
          setTyped(text);
          onUnreadable(number === undefined && text.trim() !== '' ? NO_NUMBER : undefined);
          onChange(number);
        }}
      />
      {isUnreadable ? <p class="bad-text small">{NO_NUMBER}</p> : null}
    </>
  );
}

const NO_NUMBER = 'This is no number.';

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
  const { options, labels, omitted } = field;
  const index =
    value === undefined
      ? -1
      : options.findIndex((option) => JSON.stringify(option) === JSON.stringify(value));
  return (
    <>
      <select
        id={id}
        aria-describedby={described}
        aria-invalid={isWrong}
        value={index}
        onChange={({ currentTarget }) => onChange(options[Number(currentTarget.value)])}
      >
        {isRequired && index >= 0 ? null : <option value={-1}>{isRequired ? 'choose …' : 'not set'}</option>}
        {options.map((option, place) => (
          <option key={place} value={place}>
            {(labels?.[place] ?? (typeof option === 'string' ? option : JSON.stringify(option))).slice(
              0,
              200,
            )}
          </option>
        ))}
      </select>
      {omitted > 0 ? (
        <p class="soft small">{counted(omitted, 'more choice')} are not shown; type them as JSON.</p>
      ) : null}
    </>
  );
}
