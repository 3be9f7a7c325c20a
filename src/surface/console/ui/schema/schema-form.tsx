// A form for a JSON Schema. What is inside of something closed is not even read.
import { useMemo, useState } from 'preact/hooks';
import { isJsonArray, isJsonObject, type Json } from '../../../../base/json.ts';
import { visible } from '../lib/visible.ts';
import { Icon } from '../parts/icon.tsx';
import { fieldReader, type Field } from './field.ts';
import { ChoiceInput, JsonInput, NumberInput, SwitchInput, TextInput } from './inputs.tsx';
import { initialValue, shownPath, type FieldProblem, type Path, type Value } from './value.ts';
import './schema-form.css';

export interface FormPorts {
  readonly root: Json;
  readonly problems: readonly FieldProblem[];
  /** Undefined takes it away. */
  readonly change: (path: Path, value: Value) => void;
}

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
  const place = { value, path: [], ports: { ...ports, read } };
  const field = read(schema, 0);
  if (field.kind === 'object') return <Properties field={field} {...place} />;
  return <FieldRow name="arguments" schema={schema} isRequired {...place} />;
}

interface ReadingPorts extends FormPorts {
  readonly read: (schema: Json, depth: number) => Field;
}

interface PlaceProps {
  readonly value: Value;
  readonly path: Path;
  readonly ports: ReadingPorts;
}

function Properties({
  field,
  value,
  path,
  ports,
}: PlaceProps & { readonly field: Extract<Field, { kind: 'object' }> }) {
  return (
    <div class="fields">
      {field.properties.length === 0 ? <p class="soft">It takes no arguments.</p> : null}
      {field.properties.map(({ name, schema, isRequired }) => (
        <FieldRow
          key={name}
          name={name}
          schema={schema}
          isRequired={isRequired}
          value={isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined}
          path={[...path, name]}
          ports={ports}
        />
      ))}
      {field.omitted > 0 ? (
        <p class="soft">{field.omitted} more fields are not shown; type them as JSON.</p>
      ) : null}
    </div>
  );
}

function FieldRow({
  name,
  schema,
  isRequired,
  value,
  path,
  ports,
}: PlaceProps & { readonly name: string; readonly schema: Json; readonly isRequired: boolean }) {
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
      <Input
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

function Input({
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
  const described = `${id}-note ${id}-problem`;
  const common = {
    id,
    described,
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

const OPEN_DEPTH = 2;

/** What has fields of its own; where it is not needed it is left out until somebody adds it. */
function Group({
  field,
  isRequired,
  value,
  path,
  ports,
  name,
}: PlaceProps & { readonly field: Field; readonly isRequired: boolean; readonly name: string }) {
  const [variant, setVariant] = useState(0);
  // Also what is needed, where there was too much of it to begin with.
  const isThere = value !== undefined || path.length === 0;
  // What is deep inside is opened one by one: a schema may hold itself.
  const [isOpen, setOpen] = useState(path.length < OPEN_DEPTH);
  if (isThere && !isOpen)
    return (
      <button type="button" class="button plain add" onClick={() => setOpen(true)}>
        <Icon name="chevron" /> Fill in {name}
      </button>
    );
  if (!isThere && field.kind !== 'list') {
    const schema = field.kind === 'variants' ? field.variants[0]?.schema : undefined;
    const begin = () => {
      setOpen(true);
      ports.change(
        path,
        (schema === undefined ? undefined : initialValue(schema, ports.root, { depth: path.length })) ?? {},
      );
    };
    return (
      <button type="button" class="button plain add" onClick={begin}>
        <Icon name="plus" /> Add {name}
      </button>
    );
  }
  const remove =
    isRequired || value === undefined ? null : (
      <button type="button" class="button plain add" onClick={() => ports.change(path, undefined)}>
        <Icon name="bin" /> Leave out {name}
      </button>
    );
  if (field.kind === 'object')
    return (
      <>
        <Properties field={field} value={value} path={path} ports={ports} />
        {remove}
      </>
    );
  if (field.kind === 'list')
    return <Items field={field} value={value} path={path} ports={ports} name={name} />;
  if (field.kind !== 'variants') return null;
  const { schema } = field.variants[variant] ?? { schema: true };
  return (
    <>
      <select
        aria-label={`Which form of ${name}`}
        value={variant}
        onChange={({ currentTarget }) => {
          const next = Number(currentTarget.value);
          setVariant(next);
          ports.change(path, initialValue(field.variants[next]?.schema, ports.root, { depth: path.length }));
        }}
      >
        {field.variants.map(({ title }, index) => (
          <option key={index} value={index}>
            {title}
          </option>
        ))}
      </select>
      <Nested key={variant} schema={schema} value={value} path={path} ports={ports} name={name} />
      {remove}
    </>
  );
}

/** The chosen variant, in the same place. */
function Nested({
  schema,
  value,
  path,
  ports,
  name,
}: PlaceProps & { readonly schema: Json; readonly name: string }) {
  const field = ports.read(schema, path.length);
  if (field.kind === 'object') return <Properties field={field} value={value} path={path} ports={ports} />;
  if (field.kind === 'list' || field.kind === 'variants')
    return <Group field={field} isRequired value={value} path={path} ports={ports} name={name} />;
  return (
    <Input
      id={`field-${path.join('-')}`}
      field={field}
      isRequired
      isWrong={false}
      value={value}
      path={path}
      ports={ports}
    />
  );
}

const ITEMS_SHOWN = 100;

function Items({
  field,
  value,
  path,
  ports,
  name,
}: PlaceProps & { readonly field: Extract<Field, { kind: 'list' }>; readonly name: string }) {
  const items = isJsonArray(value) ? value : [];
  const fresh = () =>
    initialValue(field.item, ports.root, { depth: path.length + 1 }) ??
    emptyOf(ports.read(field.item, path.length + 1));
  return (
    <div class="items">
      {items.slice(0, ITEMS_SHOWN).map((item, index) => (
        // Items have no names, and their order is what they are.
        <div key={index} class="item">
          <FieldRow
            name={`${index + 1}`}
            schema={field.item}
            isRequired
            value={item}
            path={[...path, index]}
            ports={ports}
          />
          <button
            type="button"
            class="button plain icon-only"
            aria-label={`Remove ${name} ${index + 1}`}
            onClick={() => ports.change([...path, index], undefined)}
          >
            <Icon name="bin" />
          </button>
        </div>
      ))}
      {items.length > ITEMS_SHOWN ? (
        <p class="soft">{items.length - ITEMS_SHOWN} more are not shown; they are there as JSON.</p>
      ) : null}
      <button
        type="button"
        class="button plain add"
        disabled={items.length >= field.max}
        onClick={() => ports.change(path, [...items, fresh()])}
      >
        <Icon name="plus" /> Add to {name}
      </button>
    </div>
  );
}

function emptyOf(field: Field): Json {
  switch (field.kind) {
    case 'text':
      return '';
    case 'number':
      return 0;
    case 'boolean':
      return false;
    case 'list':
      return [];
    case 'choice':
      return field.options[0] ?? null;
    case 'object':
    case 'variants':
      return {};
    case 'json':
      return null;
  }
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
