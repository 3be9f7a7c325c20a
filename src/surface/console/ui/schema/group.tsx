// What has fields of its own: objects, lists, and one of several forms.
import { useState } from 'preact/hooks';
import { isJsonArray, isJsonObject, type Json } from '../../../../base/json.ts';
import { Icon } from '../parts/icon.tsx';
import type { Field } from './field.ts';
import type { PlaceProps } from './form-ports.ts';
import { FieldInput } from './inputs.tsx';
import { initialValue } from './value.ts';

const OPEN_DEPTH = 2;

/** What has fields of its own; where it is not needed it is left out until somebody adds it. */
export function Group({
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
    <FieldInput
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
          <ports.Row
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

export function Properties({
  field,
  value,
  path,
  ports,
}: PlaceProps & { readonly field: Extract<Field, { kind: 'object' }> }) {
  return (
    <div class="fields">
      {field.properties.length === 0 ? <p class="soft">It takes no arguments.</p> : null}
      {field.properties.map(({ name, schema, isRequired }) => (
        <ports.Row
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
