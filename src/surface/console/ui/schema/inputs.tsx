// The inputs of a form, one for each kind of value.
import { useState } from 'preact/hooks';
import type { Json } from '../../../../base/json.ts';
import { messageOf } from '../api/client.ts';
import { counted } from '../lib/format.ts';
import { prettyJson } from '../lib/json.ts';
import { visible } from '../lib/text.ts';
import type { Field } from './field.ts';
import { type FieldProps, useInputProblem } from './use-form.ts';
import type { Value } from './value.ts';

type FieldInputProps = FieldProps & {
  readonly id: string;
  readonly field: Field;
  readonly isRequired: boolean;
  readonly isInvalid: boolean;
  /** Emptying it does not remove the value, since it is a row of its own. */
  readonly isRow?: boolean;
};

interface InputProps extends Omit<FieldInputProps, 'field' | 'isRow'> {
  readonly describedBy: string;
  readonly isRow: boolean;
  readonly onChange: (value: Value) => void;
}

type Of<Kind extends Field['kind']> = InputProps & { readonly field: Extract<Field, { kind: Kind }> };

/** A field that is nested too deeply for fields of its own is typed as JSON. */
export function FieldInput({ field, isRow = false, ...props }: FieldInputProps) {
  const { id, path, form } = props;
  const common: InputProps = {
    ...props,
    isRow,
    describedBy: `${id}-note ${id}-problem`,
    onChange: (next) => form.change(path, next),
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

function TextInput({ id, describedBy, isInvalid, isRow, value, onChange, field }: Of<'text'>) {
  const text = typeof value === 'string' ? value : '';
  const { format } = field;
  const common = { id, 'aria-describedby': describedBy, 'aria-invalid': isInvalid, spellcheck: false };
  // An empty field removes the value, except in a row.
  const change = (next: string | undefined) =>
    onChange((next ?? '') === '' ? (isRow ? '' : undefined) : next);
  const onInput = ({ currentTarget }: { currentTarget: { value: string } }) => change(currentTarget.value);
  const inPicker = isDateFormat(format) ? (text === '' ? '' : pickerValue(format, text)) : undefined;
  if (isDateFormat(format) && inPicker !== undefined)
    return (
      <div class="picker">
        <input
          {...common}
          type={pickers[format]}
          value={inPicker}
          onInput={({ currentTarget }) => change(sentDate(format, currentTarget.value))}
        />
        {text === '' || format === 'date' ? null : (
          <span class="faint small">
            sent as <code>{text}</code>
          </span>
        )}
      </div>
    );
  if (field.isLong || text.includes('\n') || text.length > 120)
    return <textarea {...common} rows={4} value={text} onInput={onInput} />;
  const type = Object.hasOwn(inputTypes, format) ? inputTypes[format] : 'text';
  return <input {...common} type={type} autocomplete="off" value={text} onInput={onInput} />;
}

function NumberInput({ field, ...props }: Of<'number'>) {
  const { value } = props;
  const { input, problem } = useTyped(props, parseNumber, typeof value === 'number' ? String(value) : '');
  return (
    <>
      <input {...input} type="text" inputMode={field.isInteger ? 'numeric' : 'decimal'} autocomplete="off" />
      {problem}
    </>
  );
}

function parseNumber(text: string): Parsed {
  if (text.trim() === '') return { value: undefined };
  const number = Number(text.trim());
  return Number.isFinite(number) ? { value: number } : { problem: 'This is not a number.' };
}

/** An optional value can also be "not set". */
function SwitchInput({ id, describedBy, isRequired, value, onChange }: InputProps) {
  const choices: readonly (readonly [label: string, value: Value])[] = [
    ...(isRequired ? [] : [['not set', undefined] as const]),
    ['true', true],
    ['false', false],
  ];
  return (
    <div class="switch" role="group" id={id} aria-describedby={describedBy}>
      {choices.map(([label, choice]) => (
        <button key={label} type="button" aria-pressed={value === choice} onClick={() => onChange(choice)}>
          {label}
        </button>
      ))}
    </div>
  );
}

const LABEL_MAX = 200;

/** With invisible characters written out: two choices must not look the same. */
export function optionLabel(option: Json, label?: string): string {
  return visible(label ?? (typeof option === 'string' ? option : JSON.stringify(option))).slice(0, LABEL_MAX);
}

function ChoiceInput({ id, describedBy, isInvalid, isRequired, value, onChange, field }: Of<'choice'>) {
  const { options, labels, omitted } = field;
  const isChosen = (option: Json) => value !== undefined && JSON.stringify(option) === JSON.stringify(value);
  const index = options.findIndex(isChosen);
  return (
    <>
      <select
        id={id}
        aria-describedby={describedBy}
        aria-invalid={isInvalid}
        value={index}
        onChange={({ currentTarget }) => onChange(options[Number(currentTarget.value)])}
      >
        {isRequired && index >= 0 ? null : <option value={-1}>{isRequired ? 'Choose …' : 'not set'}</option>}
        {options.map((option, at) => (
          <option key={at} value={at}>
            {optionLabel(option, labels?.[at])}
          </option>
        ))}
      </select>
      {omitted > 0 ? (
        <p class="soft small">{counted(omitted, 'more choice')} not shown; type them as JSON.</p>
      ) : null}
    </>
  );
}

function JsonInput(props: InputProps) {
  const { value } = props;
  const { input, problem } = useTyped(props, parseJson, value === undefined ? '' : prettyJson(value));
  return (
    <>
      <textarea {...input} class="mono" rows={4} spellcheck={false} placeholder="JSON" />
      {problem}
    </>
  );
}

function parseJson(text: string): Parsed {
  if (text.trim() === '') return { value: undefined };
  try {
    return { value: JSON.parse(text) as Json };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** An input whose text is parsed, and its problem. `shown`: the value as text, where the user has not typed another one. */
function useTyped(props: InputProps, parse: (text: string) => Parsed, shown: string) {
  const { id, describedBy, isInvalid, value, isRow, path, form, onChange } = props;
  const [last, setLast] = useState<TypedText>();
  const typed = stillTyped(last, value);
  const problem = typed?.problem;
  useInputProblem(form, path, problem === undefined ? undefined : 'is not valid');
  const onInput = ({ currentTarget: { value: text } }: { currentTarget: { value: string } }) => {
    const isMissing = isRow && text.trim() === '';
    const parsed: Parsed = isMissing ? { problem: 'A value is required.' } : parse(text);
    setLast(typedText(text, parsed, value));
    if ('value' in parsed) onChange(parsed.value);
  };
  return {
    input: {
      id,
      'aria-describedby': describedBy,
      'aria-invalid': isInvalid || problem !== undefined,
      value: typed?.text ?? shown,
      onInput,
    },
    problem: problem === undefined ? null : <p class="bad-text small">{problem}</p>,
  };
}

export type Parsed = { readonly value: Value } | { readonly problem: string };

/** Text as typed, shown for as long as the value is the one that it was typed for. */
export interface TypedText {
  readonly text: string;
  /** The parsed value, or the one before where the text could not be parsed. */
  readonly value: Value;
  readonly problem?: string;
}

export function typedText(text: string, parsed: Parsed, before: Value): TypedText {
  return 'problem' in parsed
    ? { text, value: before, problem: parsed.problem }
    : { text, value: parsed.value };
}

/** Undefined where the value has changed since. */
export function stillTyped(typed: TypedText | undefined, value: Value): TypedText | undefined {
  if (typed === undefined) return undefined;
  return typed.value === value || JSON.stringify(typed.value) === JSON.stringify(value) ? typed : undefined;
}

export type DateFormat = 'date' | 'date-time' | 'time';

const pickers: Readonly<Record<DateFormat, string>> = {
  date: 'date',
  'date-time': 'datetime-local',
  time: 'time',
};

export function isDateFormat(format: string): format is DateFormat {
  return Object.hasOwn(pickers, format);
}

/** Undefined where no picker can show it; then it is a text field. */
export function pickerValue(format: DateFormat, value: string): string | undefined {
  switch (format) {
    case 'date':
      return /^\d{4}-\d\d-\d\d$/.test(value) ? value : undefined;
    case 'time':
      return /^(\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)Z?$/i.exec(value)?.[1];
    case 'date-time':
      return localTime(value);
  }
}

/** The value to send. */
export function sentDate(format: DateFormat, text: string): string | undefined {
  if (text === '') return undefined;
  switch (format) {
    case 'date':
      return text;
    case 'time':
      return `${text.length === 5 ? `${text}:00` : text}Z`;
    case 'date-time': {
      const date = new Date(text);
      return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace('.000Z', 'Z');
    }
  }
}

function localTime(value: string): string | undefined {
  const date = new Date(value);
  if (!/^\d{4}-\d\d-\d\dT/i.test(value) || Number.isNaN(date.getTime())) return undefined;
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const seconds = date.getSeconds();
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}${seconds === 0 ? '' : `:${two(seconds)}`}`;
}
