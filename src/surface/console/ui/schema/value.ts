// The value of a form: its initial state, changes along a path, and problems.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../../../base/json.ts';
import type { ToolView } from '../api/types.ts';
import { counted } from '../lib/format.ts';
import { DEPTH_MAX, type Field, fieldOf } from './field.ts';

export type Path = readonly (string | number)[];

/** Undefined: not filled in. */
export type Value = Json | undefined;

/** Fields to fill in at the start: a schema that requires itself several times would never end. */
const FILLED_MAX = 300;

/** Defaults, and values that have only one possibility. */
export function initialValue(
  schema: Json | undefined,
  root: Json,
  { isRequired = true, depth = 0, budget = { left: FILLED_MAX } }: InitialOptions = {},
): Value {
  budget.left -= 1;
  if (budget.left < 0) return undefined;
  const field = fieldOf(schema, root, depth);
  if (field.defaultValue !== undefined) return field.defaultValue;
  switch (field.kind) {
    case 'choice':
      return isRequired && field.options.length === 1 && field.omitted === 0 ? field.options[0] : undefined;
    case 'boolean':
      return isRequired ? false : undefined;
    case 'list':
      return isRequired ? [] : undefined;
    case 'object':
      return isRequired ? initialObject(field, root, { depth, budget }) : undefined;
    case 'map':
      return isRequired ? {} : undefined;
    case 'variants':
      return isRequired
        ? initialValue(field.variants[0]?.schema, root, { depth: depth + 1, budget })
        : undefined;
    case 'json':
      return isRequired && depth === 0 ? {} : undefined;
    case 'text':
    case 'number':
      return undefined;
  }
}

interface InitialOptions {
  readonly isRequired?: boolean;
  readonly depth?: number;
  readonly budget?: { left: number };
}

function initialObject(
  field: Extract<Field, { kind: 'object' }>,
  root: Json,
  { depth, budget }: { depth: number; budget: { left: number } },
): JsonObject {
  const entries = depth >= DEPTH_MAX ? [] : field.properties;
  return Object.fromEntries(
    entries.flatMap(({ name, schema, isRequired }) => {
      const value = initialValue(schema, root, { isRequired, depth: depth + 1, budget });
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

export function valueAt(value: Value, path: Path): Value {
  let at = value;
  for (const step of path) {
    if (typeof step === 'number') at = isJsonArray(at) ? at[step] : undefined;
    else at = isJsonObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  }
  return at;
}

/** A copy with the new value at the path; undefined removes it. Other entries keep their order. */
export function withValueAt(value: Value, path: Path, next: Value): Value {
  const [step, ...rest] = path;
  if (step === undefined) return next;
  if (typeof step === 'number') {
    const list: Json[] = isJsonArray(value) ? [...value] : [];
    const inner = withValueAt(list[step], rest, next);
    if (inner === undefined && rest.length === 0) list.splice(step, 1);
    else list[step] = inner ?? null;
    return list;
  }
  const object = isJsonObject(value) ? value : {};
  const inner = withValueAt(Object.hasOwn(object, step) ? object[step] : undefined, rest, next);
  const entries = Object.entries(object);
  const known = entries.findIndex(([name]) => name === step);
  if (inner === undefined) return Object.fromEntries(entries.filter(([name]) => name !== step));
  if (known < 0) entries.push([step, inner]);
  else entries[known] = [step, inner];
  return Object.fromEntries(entries);
}

export interface FieldProblem {
  readonly path: Path;
  readonly problem: string;
  /** The input shows its own, more precise message. */
  readonly isShownByInput?: boolean;
}

/** Whether the path is that place or inside of it. */
export function isWithin(path: Path, place: Path): boolean {
  return place.every((step, index) => path[index] === step);
}

/** A problem of an input replaces other problems of the same field. */
export function allProblems(
  ofInputs: readonly FieldProblem[],
  others: readonly FieldProblem[],
): FieldProblem[] {
  const isReported = ({ path }: FieldProblem) =>
    ofInputs.some((one) => pathText(one.path) === pathText(path));
  return [...ofInputs, ...others.filter((one) => !isReported(one))];
}

/** Only simple problems that the host would refuse for certain; it checks the rest. */
export function problemsOf(
  schema: Json | undefined,
  root: Json,
  value: Value,
  isRequired = true,
): FieldProblem[] {
  const found: FieldProblem[] = [];
  check(schema, root, value, isRequired, [], found);
  return found;
}

const PROBLEMS_MAX = 20;

function check(
  schema: Json | undefined,
  root: Json,
  value: Value,
  isRequired: boolean,
  path: Path,
  found: FieldProblem[],
): void {
  if (found.length >= PROBLEMS_MAX) return;
  if (value === undefined) {
    if (isRequired) found.push({ path, problem: 'is required' });
    return;
  }
  const field = fieldOf(schema, root, path.length);
  if (value === null && field.isNullable) return;
  const problem = plainProblem(field, value);
  if (problem !== undefined) found.push({ path, problem });
  else if (field.kind === 'object' && isJsonObject(value)) {
    for (const { name, schema: inner, isRequired: isInnerRequired } of field.properties)
      check(inner, root, valueAt(value, [name]), isInnerRequired, [...path, name], found);
    const named = new Set(field.properties.map(({ name }) => name));
    if (field.rest !== undefined) checkMap(field.rest, root, value, path, found, named);
  } else if (field.kind === 'map' && isJsonObject(value)) checkMap(field.value, root, value, path, found);
  else if (field.kind === 'list' && isJsonArray(value))
    value
      .slice(0, 200)
      .forEach((item, index) => check(field.item, root, item, true, [...path, index], found));
}

function checkMap(
  schema: Json,
  root: Json,
  value: JsonObject,
  path: Path,
  found: FieldProblem[],
  except: ReadonlySet<string> = new Set(),
): void {
  for (const [name, inner] of Object.entries(value).slice(0, 200)) {
    if (except.has(name)) continue;
    if (name === '') found.push({ path: [...path, name], problem: 'needs a name' });
    else check(schema, root, inner, true, [...path, name], found);
  }
}

function plainProblem(field: Field, value: Json): string | undefined {
  const { minimum, maximum, minLength, maxLength } = field.limits;
  switch (field.kind) {
    case 'number':
      if (typeof value !== 'number') return 'must be a number';
      if (field.isInteger && !Number.isInteger(value)) return 'must be an integer';
      if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`;
      return maximum !== undefined && value > maximum ? `must be at most ${maximum}` : undefined;
    case 'text':
      if (typeof value !== 'string') return 'must be text';
      if (minLength !== undefined && value.length < minLength)
        return `must have at least ${counted(minLength, 'character')}`;
      return maxLength !== undefined && Array.from(value).length > maxLength
        ? `must have at most ${counted(maxLength, 'character')}`
        : undefined;
    case 'list':
      if (!isJsonArray(value)) return 'must be a list';
      if (value.length < field.min) return `must have at least ${counted(field.min, 'item')}`;
      return value.length > field.max ? `must have at most ${counted(field.max, 'item')}` : undefined;
    case 'object':
    case 'map':
      return isJsonObject(value) ? undefined : 'must be an object';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'choice':
    case 'variants':
    case 'json':
      return undefined;
  }
}

/** `servers[2].name` */
export function pathText(path: Path): string {
  return path.reduce<string>(
    (shown, step) =>
      typeof step === 'number' ? `${shown}[${step}]` : shown === '' ? step : `${shown}.${step}`,
    '',
  );
}

/** The value of a field that the user adds. */
export function startValue(
  schema: Json,
  { root, read }: { readonly root: Json; readonly read: (schema: Json, depth: number) => Field },
  depth: number,
): Json {
  return initialValue(schema, root, { depth }) ?? emptyOf(read(schema, depth));
}

export function emptyOf(field: Field): Json {
  if (field.isNullable) return null;
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
    case 'map':
    case 'variants':
      return {};
    case 'json':
      return null;
  }
}

/** The first variant that fits the value, else the first one. */
export function fittingVariant(fields: readonly Field[], value: Value): number {
  if (value === undefined) return 0;
  const best = fields.findIndex((field) => fits(field, value));
  return Math.max(0, best);
}

function fits(field: Field, value: Json): boolean {
  switch (field.kind) {
    case 'text':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number' && (!field.isInteger || Number.isInteger(value));
    case 'boolean':
      return typeof value === 'boolean';
    case 'choice':
      return field.options.some((option) => JSON.stringify(option) === JSON.stringify(value));
    case 'list':
      return isJsonArray(value);
    case 'map':
      return isJsonObject(value);
    case 'object': {
      if (!isJsonObject(value)) return false;
      const names = new Set(field.properties.map(({ name }) => name));
      const isKnown = field.rest !== undefined || Object.keys(value).every((name) => names.has(name));
      // Variants often differ in one constant.
      return (
        isKnown &&
        field.properties.every(({ name, schema }) => {
          const constant = isJsonObject(schema) ? schema['const'] : undefined;
          return constant === undefined || value[name] === undefined || value[name] === constant;
        })
      );
    }
    case 'variants':
    case 'json':
      return false;
  }
}

/** A tool without a schema takes any object. */
export function argumentsSchema({ tool }: Pick<ToolView, 'tool'>): Json {
  return tool.inputSchema ?? true;
}
