// What has fields of its own: objects, maps, lists, and one of several forms.
import { useState } from 'preact/hooks';
import { isJsonObject, type Json } from '../../../../base/json.ts';
import { Icon } from '../parts/icon.tsx';
import { emptyOf } from './empty-of.ts';
import type { Field } from './field.ts';
import type { PlaceProps } from './form-ports.ts';
import { FieldInput } from './inputs.tsx';
import { Items } from './items.tsx';
import { MapRows } from './map-rows.tsx';
import { fittingVariant } from './fitting-variant.ts';
import { initialValue, shownPath } from './value.ts';

const OPEN_DEPTH = 2;
/** Forms that are one of several forms again, in one place; further in, JSON is typed. */
const NESTING_MAX = 3;

/** Where it is not needed it is left out until somebody adds it. */
export function Group({
  field,
  isRequired,
  isFresh = false,
  value,
  path,
  ports,
  name,
  nesting = 0,
}: PlaceProps & {
  readonly field: Field;
  readonly isRequired: boolean;
  readonly isFresh?: boolean;
  readonly name: string;
  readonly nesting?: number;
}) {
  // One of several forms that is needed is there before anything is filled in: it may be a text.
  const isNeeded = isRequired && field.kind === 'variants';
  const isThere = value !== undefined || path.length === 0 || isNeeded;
  // What is deep inside is opened one by one: a schema may hold itself.
  const [isOpen, setOpen] = useState(isFresh || path.length < OPEN_DEPTH);
  if (isThere && !isOpen)
    return (
      <button type="button" class="button plain add" onClick={() => setOpen(true)}>
        <Icon name="chevron" /> Fill in {name}
      </button>
    );
  if (!isThere && field.kind !== 'list') {
    const begin = () => {
      setOpen(true);
      ports.change(path, begun(field, 0, { path, ports }));
    };
    return (
      <button type="button" class="button plain add" onClick={begin}>
        <Icon name="plus" /> Add {name}
      </button>
    );
  }
  const place = { value, path, ports, name };
  return (
    <>
      {field.kind === 'object' ? (
        <Properties field={field} {...place} />
      ) : field.kind === 'map' ? (
        <MapRows schema={field.value} {...place} />
      ) : field.kind === 'list' ? (
        <Items field={field} {...place} />
      ) : field.kind === 'variants' ? (
        <Variants field={field} nesting={nesting} {...place} />
      ) : null}
      {isRequired || value === undefined || field.kind === 'list' ? null : (
        <button type="button" class="button plain add" onClick={() => ports.change(path, undefined)}>
          <Icon name="bin" /> Leave out {name}
        </button>
      )}
    </>
  );
}

/** What is added: an object, or one of several forms. */
function begun(field: Field, variant: number, { path, ports }: Pick<PlaceProps, 'path' | 'ports'>): Json {
  if (field.kind !== 'variants') return {};
  const schema = field.variants[variant]?.schema ?? true;
  const depth = path.length;
  return initialValue(schema, ports.root, { depth }) ?? emptyOf(ports.read(schema, depth));
}

function Variants({
  field,
  value,
  path,
  ports,
  name,
  nesting,
}: PlaceProps & {
  readonly field: Extract<Field, { kind: 'variants' }>;
  readonly name: string;
  readonly nesting: number;
}) {
  const [variant, setVariant] = useState(() =>
    fittingVariant(
      field.variants.map(({ schema }) => ports.read(schema, path.length)),
      value,
    ),
  );
  return (
    <>
      <select
        aria-label={`Which form of ${name}`}
        value={variant}
        onChange={({ currentTarget }) => {
          const next = Number(currentTarget.value);
          setVariant(next);
          ports.change(path, begun(field, next, { path, ports }));
        }}
      >
        {field.variants.map(({ title }, index) => (
          <option key={index} value={index}>
            {title}
          </option>
        ))}
      </select>
      <Nested
        key={variant}
        schema={field.variants[variant]?.schema ?? true}
        value={value}
        path={path}
        ports={ports}
        name={name}
        nesting={nesting}
      />
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
  nesting,
}: PlaceProps & { readonly schema: Json; readonly name: string; readonly nesting: number }) {
  const field = ports.read(schema, path.length);
  const id = `field-${path.join('-')}`;
  const place = { value, path, ports, name };
  if (field.kind === 'object') return <Properties field={field} {...place} />;
  if (field.kind === 'map') return <MapRows schema={field.value} {...place} />;
  if (field.kind === 'list' || (field.kind === 'variants' && nesting < NESTING_MAX))
    return <Group field={field} isRequired isFresh nesting={nesting + 1} {...place} />;
  return (
    <>
      <label class="unseen" for={id}>
        {name}
      </label>
      <FieldInput
        id={id}
        field={field}
        isRequired
        isWrong={ports.problems.some((one) => shownPath(one.path) === shownPath(path))}
        isKept
        value={value}
        path={path}
        ports={ports}
      />
    </>
  );
}

export function Properties({
  field,
  value,
  path,
  ports,
  name,
}: PlaceProps & { readonly field: Extract<Field, { kind: 'object' }>; readonly name: string }) {
  const { properties, omitted, rest } = field;
  return (
    <div class="fields">
      {properties.length === 0 && rest === undefined ? (
        <p class="soft">{path.length === 0 ? 'It takes no arguments.' : 'It has no fields.'}</p>
      ) : null}
      {properties.map(({ name: one, schema, isRequired }) => (
        <ports.Row
          key={one}
          name={one}
          schema={schema}
          isRequired={isRequired}
          value={isJsonObject(value) && Object.hasOwn(value, one) ? value[one] : undefined}
          path={[...path, one]}
          ports={ports}
        />
      ))}
      {omitted > 0 ? <p class="soft">{omitted} more fields are not shown; type them as JSON.</p> : null}
      {rest === undefined ? null : (
        <MapRows
          schema={rest}
          name={properties.length === 0 ? name : 'others'}
          value={value}
          path={path}
          ports={ports}
          except={new Set(properties.map(({ name: one }) => one))}
        />
      )}
    </div>
  );
}
