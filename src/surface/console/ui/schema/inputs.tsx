// The inputs of a form, one for each kind of value.
import { counted } from '../lib/format.ts';
import type { Field } from './field.ts';
import type { PlaceProps } from './form-ports.ts';
import type { InputProps } from './input-props.ts';
import { JsonInput } from './json-input.tsx';
import { isMoment, momentOf, picked, pickers } from './moments.ts';
import type { ReadText } from './typed-text.ts';
import { useTyped } from './use-typed.ts';
import type { Value } from './value.ts';

/** The input that fits a field; what has fields of its own and is too deep for them is typed as JSON. */
export function FieldInput({
  id,
  field,
  isRequired,
  isWrong,
  isKept = false,
  value,
  path,
  ports,
}: PlaceProps & {
  readonly id: string;
  readonly field: Field;
  readonly isRequired: boolean;
  readonly isWrong: boolean;
  readonly isKept?: boolean;
}) {
  const common: InputProps = {
    id,
    described: `${id}-note ${id}-problem`,
    isWrong,
    isRequired,
    isKept,
    value,
    path,
    ports,
    onChange: (next) => ports.change(path, next),
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
  isKept,
  value,
  onChange,
  field,
}: InputProps & { readonly field: Extract<Field, { kind: 'text' }> }) {
  const text = typeof value === 'string' ? value : '';
  const { format } = field;
  const common = { id, 'aria-describedby': described, 'aria-invalid': isWrong, spellcheck: false };
  // An empty field is one that was left out, but for a row.
  const change = (next: string | undefined) =>
    onChange((next ?? '') === '' ? (isKept ? '' : undefined) : next);
  const typed = ({ currentTarget }: { currentTarget: { value: string } }) => change(currentTarget.value);
  const inPicker = isMoment(format) ? (text === '' ? '' : picked(format, text)) : undefined;
  if (isMoment(format) && inPicker !== undefined)
    return (
      <div class="picker">
        <input
          {...common}
          type={pickers[format]}
          value={inPicker}
          onInput={({ currentTarget }) => change(momentOf(format, currentTarget.value))}
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
  field,
  ...props
}: InputProps & { readonly field: Extract<Field, { kind: 'number' }> }) {
  const { id, described, isWrong, value } = props;
  const { typed, type } = useTyped(props, readNumber);
  return (
    <>
      <input
        id={id}
        type="text"
        inputMode={field.isInteger ? 'numeric' : 'decimal'}
        aria-describedby={described}
        aria-invalid={isWrong || typed?.problem !== undefined}
        autocomplete="off"
        value={typed?.text ?? (typeof value === 'number' ? String(value) : '')}
        onInput={({ currentTarget }) => type(currentTarget.value)}
      />
      {typed?.problem === undefined ? null : <p class="bad-text small">{typed.problem}</p>}
    </>
  );
}

function readNumber(text: string): ReadText {
  if (text.trim() === '') return { value: undefined };
  const number = Number(text.trim());
  return Number.isFinite(number) ? { value: number } : { problem: 'This is no number.' };
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
