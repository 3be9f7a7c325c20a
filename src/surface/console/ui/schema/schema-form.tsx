// A form for a JSON Schema. What is inside of something closed is not even read.
import { useMemo } from 'preact/hooks';
import type { Json } from '../../../../base/json.ts';
import { visible } from '../lib/visible.ts';
import { emptyOf } from './empty-of.ts';
import { fieldReader, type Field } from './field.ts';
import type { FormPorts, RowProps } from './form-ports.ts';
import { Group, Properties } from './group.tsx';
import { FieldInput } from './inputs.tsx';
import { MapRows } from './map-rows.tsx';
import { initialValue, shownPath, type Value } from './value.ts';
import './schema-form.css';

export function SchemaForm({
  schema,
  value,
  ports,
}: {
  readonly schema: Json;
  readonly value: Value;
  readonly ports: FormPorts;
}) {
  const read = useMemo(() => fieldReader(ports.root), [ports.root]);
  const place = { value, path: [], ports: { ...ports, read, Row: FieldRow }, name: 'arguments' };
  const field = read(schema, 0);
  if (field.kind === 'object') return <Properties field={field} {...place} />;
  if (field.kind === 'map') return <MapRows schema={field.value} {...place} />;
  const row = <FieldRow schema={schema} isRequired={field.kind !== 'json'} {...place} />;
  if (field.kind !== 'json') return row;
  return (
    <div class="fields">
      <p class="soft">It does not say which arguments it takes. Leave {'{}'} where it needs none.</p>
      {row}
    </div>
  );
}

function FieldRow({
  name,
  schema,
  isRequired,
  isItem = false,
  isFresh = false,
  value,
  path,
  ports,
}: RowProps) {
  const field = ports.read(schema, path.length);
  const id = `field-${path.join('-')}`;
  const problem = ports.problems.find(
    (one) => one.isToldThere !== true && shownPath(one.path) === shownPath(path),
  )?.problem;
  const isGroup = ['object', 'map', 'list', 'variants'].includes(field.kind);
  const words = <FieldWords name={name} field={field} isNeeded={isRequired && !isItem} />;
  const nullOr = (isNull: boolean): Value => {
    if (isNull) return null;
    if (!isRequired) return undefined;
    const depth = path.length;
    return initialValue(schema, ports.root, { depth }) ?? emptyOf({ ...field, isNullable: false });
  };
  const nullSwitch = hasNullSwitch(field) ? (
    <NullSwitch
      name={name}
      isNull={value === null}
      onChange={(isNull) => ports.change(path, nullOr(isNull))}
    />
  ) : null;
  const note = (
    <>
      {field.description === undefined ? null : (
        <p class="field-note" id={`${id}-note`}>
          {visible(field.description)}
        </p>
      )}
      {problem === undefined ? null : (
        <p class="bad-text small" id={`${id}-problem`}>
          {name} {problem}
        </p>
      )}
    </>
  );
  if (value === null && hasNullSwitch(field))
    return (
      <div class="field">
        <div class="field-head">
          <span class="field-label">{words}</span>
          {nullSwitch}
        </div>
        {note}
      </div>
    );
  if (isGroup)
    return (
      <fieldset class="field group">
        <legend class="field-head">
          <span class="field-label">{words}</span>
          {nullSwitch}
        </legend>
        {note}
        <Group {...{ field, isRequired, isFresh, value, path, ports, name }} />
      </fieldset>
    );
  return (
    <div class="field">
      <div class="field-head">
        <label class="field-label" for={id}>
          {words}
        </label>
        {nullSwitch}
      </div>
      <FieldInput
        {...{ id, field, isRequired, isWrong: problem !== undefined, isKept: isItem, value, path, ports }}
      />
      {note}
    </div>
  );
}

function FieldWords({
  name,
  field,
  isNeeded,
}: {
  readonly name: string;
  readonly field: Field;
  readonly isNeeded: boolean;
}) {
  const hints = [
    ...field.rules,
    ...(field.fallback === undefined ? [] : [`usually ${JSON.stringify(field.fallback).slice(0, 80)}`]),
  ];
  return (
    <>
      <span class="field-name">
        <code>{visible(name)}</code>
        {field.title === undefined || field.title === name ? null : <span>{field.title}</span>}
        {isNeeded ? <span class="needed">required</span> : null}
      </span>
      <span class="faint small">{[kindWord(field), ...hints].join(' · ')}</span>
    </>
  );
}

function NullSwitch({
  name,
  isNull,
  onChange,
}: {
  readonly name: string;
  readonly isNull: boolean;
  readonly onChange: (isNull: boolean) => void;
}) {
  return (
    <button
      type="button"
      class="null-switch"
      aria-pressed={isNull}
      aria-label={`${name} is null`}
      title={isNull ? 'It is null; press for a value' : 'Send null'}
      onClick={() => onChange(!isNull)}
    >
      null
    </button>
  );
}

/** Where null is one of the choices it is chosen there. */
function hasNullSwitch(field: Field): boolean {
  return (
    field.isNullable && !(field.kind === 'choice' && field.options.includes(null)) && field.kind !== 'json'
  );
}

function kindWord(field: Field): string {
  switch (field.kind) {
    case 'number':
      return field.isInteger ? 'whole number' : 'number';
    case 'choice':
      return field.options.length === 1 ? 'fixed' : 'choice';
    case 'variants':
      return `one of: ${variantWords(field)}`;
    case 'map':
      return 'names and values';
    case 'json':
      return 'any JSON';
    case 'text':
    case 'boolean':
    case 'list':
    case 'object':
      return field.kind;
  }
}

const VARIANTS_NAMED = 5;

function variantWords({ variants, omitted }: Extract<Field, { kind: 'variants' }>): string {
  const named = variants.slice(0, VARIANTS_NAMED).map(({ title }) => visible(title));
  const rest = variants.length - named.length + omitted;
  return [...named, ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}
