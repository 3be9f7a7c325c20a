// A form for a JSON Schema. The schema of a closed field is not read.
import { useMemo, useState } from 'preact/hooks';
import { isJsonObject, type Json } from '../../../../base/json.ts';
import { counted } from '../lib/format.ts';
import { visible } from '../lib/text.ts';
import { Button } from '../parts/buttons.tsx';
import { Select } from '../parts/layout.tsx';
import { Items, MapRows } from './collections.tsx';
import { fieldReader, type Field } from './field.ts';
import { FieldInput } from './inputs.tsx';
import type { FieldProps, FormContext, RowProps } from './use-form.ts';
import { emptyOf, fittingVariant, initialValue, pathText, startValue, type Value } from './value.ts';
import './schema-form.css';

interface SchemaFormProps {
  readonly schema: Json;
  readonly value: Value;
  readonly form: FormContext;
}

export function SchemaForm({ schema, value, form }: SchemaFormProps) {
  const read = useMemo(() => fieldReader(form.root), [form.root]);
  const props = { value, path: [], form: { ...form, read, Row: FieldRow }, name: 'arguments' };
  const field = read(schema, 0);
  if (field.kind === 'object') return <Properties field={field} {...props} />;
  if (field.kind === 'map') return <MapRows schema={field.value} {...props} />;
  const row = <FieldRow schema={schema} isRequired={field.kind !== 'json'} {...props} />;
  if (field.kind !== 'json') return row;
  return (
    <div class="fields">
      <p class="soft">The tool does not describe its arguments. Keep {'{}'} if it needs none.</p>
      {row}
    </div>
  );
}

export function FormProblems({ count }: { readonly count: number }) {
  if (count === 0) return null;
  return (
    <span class="bad-text" role="alert">
      {counted(count, 'field is', 'fields are')} invalid
    </span>
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
  form,
}: RowProps) {
  const field = form.read(schema, path.length);
  const id = `field-${path.join('-')}`;
  const problem = form.problems.find(
    (one) => one.isShownByInput !== true && pathText(one.path) === pathText(path),
  )?.problem;
  const label = <FieldLabel name={name} field={field} isRequired={isRequired && !isItem} />;
  const nullOr = (isNull: boolean): Value => {
    if (isNull) return null;
    if (!isRequired) return undefined;
    return (
      initialValue(schema, form.root, { depth: path.length }) ?? emptyOf({ ...field, isNullable: false })
    );
  };
  const nullSwitch = hasNullSwitch(field) ? (
    <button
      type="button"
      class="null-switch"
      aria-pressed={value === null}
      aria-label={`${name} is null`}
      title={value === null ? 'Set a value instead of null' : 'Send null'}
      onClick={() => form.change(path, nullOr(value !== null))}
    >
      null
    </button>
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
          <span class="field-label">{label}</span>
          {nullSwitch}
        </div>
        {note}
      </div>
    );
  if (['object', 'map', 'list', 'variants'].includes(field.kind))
    return (
      <fieldset class="field group">
        <legend class="field-head">
          <span class="field-label">{label}</span>
          {nullSwitch}
        </legend>
        {note}
        <Group {...{ field, isRequired, isFresh, value, path, form, name }} />
      </fieldset>
    );
  const input = { id, field, isRequired, isInvalid: problem !== undefined, isRow: isItem, value, path, form };
  return (
    <div class="field">
      <div class="field-head">
        <label class="field-label" for={id}>
          {label}
        </label>
        {nullSwitch}
      </div>
      <FieldInput {...input} />
      {note}
    </div>
  );
}

interface LabelProps {
  readonly name: string;
  readonly field: Field;
  readonly isRequired: boolean;
}

function FieldLabel({ name, field, isRequired }: LabelProps) {
  const { rules, defaultValue, title } = field;
  const hints = defaultValue === undefined ? [] : [`default: ${JSON.stringify(defaultValue).slice(0, 80)}`];
  return (
    <>
      <span class="field-name">
        <code>{visible(name)}</code>
        {title === undefined || title === name ? null : <span>{title}</span>}
        {isRequired ? <span class="needed">required</span> : null}
      </span>
      <span class="faint small">{[kindText(field), ...rules, ...hints].join(' · ')}</span>
    </>
  );
}

/** A choice that includes null needs no switch. */
function hasNullSwitch(field: Field): boolean {
  return (
    field.isNullable && !(field.kind === 'choice' && field.options.includes(null)) && field.kind !== 'json'
  );
}

const VARIANTS_NAMED = 5;

function kindText(field: Field): string {
  switch (field.kind) {
    case 'number':
      return field.isInteger ? 'integer' : 'number';
    case 'choice':
      return field.options.length === 1 ? 'fixed' : 'choice';
    case 'variants': {
      const named = field.variants.slice(0, VARIANTS_NAMED).map(({ title }) => visible(title));
      const rest = field.variants.length - named.length + field.omitted;
      return `one of: ${[...named, ...(rest > 0 ? [`${rest} more`] : [])].join(', ')}`;
    }
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

const OPEN_DEPTH = 2;
/** Variants inside of variants, in one place; deeper ones are typed as JSON. */
const NESTING_MAX = 3;

type GroupProps = FieldProps & {
  readonly field: Field;
  readonly isRequired: boolean;
  readonly isFresh?: boolean;
  readonly name: string;
  readonly nesting?: number;
};

/** A field with fields of its own. An optional one is absent until the user adds it. */
function Group({ field, isRequired, isFresh = false, value, path, form, name, nesting = 0 }: GroupProps) {
  // Required variants are shown before there is a value: the first may be a text.
  const isShown = value !== undefined || path.length === 0 || (isRequired && field.kind === 'variants');
  // Deep groups open one by one, since a schema may contain itself.
  const [isOpen, setOpen] = useState(isFresh || path.length < OPEN_DEPTH);
  if (isShown && !isOpen)
    return (
      <Button look="plain" icon="chevron" class="add" onClick={() => setOpen(true)}>
        Fill in {name}
      </Button>
    );
  if (!isShown && field.kind !== 'list') {
    const add = () => {
      setOpen(true);
      form.change(path, field.kind === 'variants' ? variantValue(field, 0, { path, form }) : {});
    };
    return (
      <Button look="plain" icon="plus" class="add" onClick={add}>
        Add {name}
      </Button>
    );
  }
  const props = { value, path, form, name };
  return (
    <>
      {field.kind === 'object' ? (
        <Properties field={field} {...props} />
      ) : field.kind === 'map' ? (
        <MapRows schema={field.value} {...props} />
      ) : field.kind === 'list' ? (
        <Items field={field} {...props} />
      ) : field.kind === 'variants' ? (
        <Variants field={field} nesting={nesting} {...props} />
      ) : null}
      {isRequired || value === undefined || field.kind === 'list' ? null : (
        <Button look="plain" icon="bin" class="add" onClick={() => form.change(path, undefined)}>
          Remove {name}
        </Button>
      )}
    </>
  );
}

type VariantsField = Extract<Field, { kind: 'variants' }>;
type VariantsProps = FieldProps & {
  readonly field: VariantsField;
  readonly name: string;
  readonly nesting: number;
};

function Variants({ field, value, path, form, name, nesting }: VariantsProps) {
  const [variant, setVariant] = useState(() =>
    fittingVariant(
      field.variants.map(({ schema }) => form.read(schema, path.length)),
      value,
    ),
  );
  const choose = (next: number) => {
    setVariant(next);
    form.change(path, variantValue(field, next, { path, form }));
  };
  return (
    <>
      <Select
        label={`Variant of ${name}`}
        value={variant}
        options={field.variants.map(({ title }, index) => [index, visible(title)] as const)}
        onChange={(index) => choose(Number(index))}
      />
      <Variant
        key={variant}
        schema={field.variants[variant]?.schema ?? true}
        {...{ value, path, form, name, nesting }}
      />
    </>
  );
}

function variantValue(
  field: VariantsField,
  index: number,
  { path, form }: Pick<FieldProps, 'path' | 'form'>,
): Json {
  return startValue(field.variants[index]?.schema ?? true, form, path.length);
}

type VariantProps = FieldProps & { readonly schema: Json; readonly name: string; readonly nesting: number };

/** The chosen variant, at the path of its field. */
function Variant({ schema, value, path, form, name, nesting }: VariantProps) {
  const field = form.read(schema, path.length);
  const id = `field-${path.join('-')}`;
  const props = { value, path, form, name };
  if (field.kind === 'object') return <Properties field={field} {...props} />;
  if (field.kind === 'map') return <MapRows schema={field.value} {...props} />;
  if (field.kind === 'list' || (field.kind === 'variants' && nesting < NESTING_MAX))
    return <Group field={field} isRequired isFresh nesting={nesting + 1} {...props} />;
  const isInvalid = form.problems.some((one) => pathText(one.path) === pathText(path));
  return (
    <>
      <label class="unseen" for={id}>
        {name}
      </label>
      <FieldInput {...{ id, field, isInvalid, value, path, form }} isRequired isRow />
    </>
  );
}

type PropertiesProps = FieldProps & {
  readonly field: Extract<Field, { kind: 'object' }>;
  readonly name: string;
};

function Properties({ field, value, path, form, name }: PropertiesProps) {
  const { properties, omitted, rest } = field;
  return (
    <div class="fields">
      {properties.length === 0 && rest === undefined ? (
        <p class="soft">{path.length === 0 ? 'No arguments.' : 'No fields.'}</p>
      ) : null}
      {properties.map(({ name: one, schema, isRequired }) => (
        <FieldRow
          key={one}
          name={one}
          schema={schema}
          isRequired={isRequired}
          value={isJsonObject(value) && Object.hasOwn(value, one) ? value[one] : undefined}
          path={[...path, one]}
          form={form}
        />
      ))}
      {omitted > 0 ? <p class="soft">{omitted} more fields not shown; type them as JSON.</p> : null}
      {rest === undefined ? null : (
        <MapRows
          schema={rest}
          name={properties.length === 0 ? name : 'others'}
          value={value}
          path={path}
          form={form}
          except={new Set(properties.map(({ name: one }) => one))}
        />
      )}
    </div>
  );
}
