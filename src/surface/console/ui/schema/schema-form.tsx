// A form for a JSON Schema. What is inside of something closed is not even read.
import { useMemo } from 'preact/hooks';
import type { Json } from '../../../../base/json.ts';
import { visible } from '../lib/visible.ts';
import { fieldReader, type Field } from './field.ts';
import type { FormPorts, RowProps } from './form-ports.ts';
import { Group, Properties } from './group.tsx';
import { FieldInput } from './inputs.tsx';
import { shownPath, type Value } from './value.ts';
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
  const place = { value, path: [], ports: { ...ports, read, Row: FieldRow } };
  const field = read(schema, 0);
  if (field.kind === 'object') return <Properties field={field} {...place} />;
  return <FieldRow name="arguments" schema={schema} isRequired {...place} />;
}

function FieldRow({ name, schema, isRequired, value, path, ports }: RowProps) {
  const field = ports.read(schema, path.length);
  const id = `field-${path.join('-')}`;
  const problem = ports.problems.find((one) => shownPath(one.path) === shownPath(path))?.problem;
  const isGroup = field.kind === 'object' || field.kind === 'list' || field.kind === 'variants';
  const hints = [
    ...field.rules,
    ...(field.fallback === undefined ? [] : [`usually ${JSON.stringify(field.fallback).slice(0, 80)}`]),
  ];
  const head = (
    <>
      <span class="field-name">
        <code>{visible(name)}</code>
        {field.title === undefined || field.title === name ? null : <span>{field.title}</span>}
        {isRequired ? <span class="needed">required</span> : null}
      </span>
      <span class="faint small">{[kindWord(field), ...hints].join(' · ')}</span>
    </>
  );
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
  if (isGroup)
    return (
      <fieldset class="field group">
        <legend class="field-head">{head}</legend>
        {note}
        <Group field={field} isRequired={isRequired} value={value} path={path} ports={ports} name={name} />
      </fieldset>
    );
  return (
    <div class="field">
      <label class="field-head" for={id}>
        {head}
      </label>
      <FieldInput
        id={id}
        field={field}
        isRequired={isRequired}
        isWrong={problem !== undefined}
        value={value}
        path={path}
        ports={ports}
      />
      {note}
    </div>
  );
}

function kindWord(field: Field): string {
  switch (field.kind) {
    case 'number':
      return field.isInteger ? 'whole number' : 'number';
    case 'choice':
      return field.options.length === 1 ? 'fixed' : 'choice';
    case 'variants':
      return 'one of';
    case 'json':
      return 'any JSON';
    case 'text':
    case 'boolean':
    case 'list':
    case 'object':
      return field.kind;
  }
}
