// What was filled into a form: a JSON value that is replaced along a path, and what is wrong with it.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../../../base/json.ts';
import { DEPTH_MAX, fieldOf, type Field } from './field.ts';

export type Path = readonly (string | number)[];

/** Undefined: left empty. */
export type Value = Json | undefined;

/** What is looked at in all: a schema that needs itself many times over would have no end. */
const FILLED_MAX = 300;

/** What a form begins with: defaults, and what has only one way to be. What is beyond all measure is left for later. */
export function initialValue(
  schema: Json | undefined,
  root: Json,
  { isRequired = true, depth = 0, budget = { left: FILLED_MAX } }: InitialOptions = {},
): Value {
  budget.left -= 1;
  if (budget.left < 0) return undefined;
  const field = fieldOf(schema, root, depth);
  if (field.fallback !== undefined) return field.fallback;
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

/** A copy in which this stands there; undefined takes it away, and keeps the place of the others. */
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
  /** Whoever shows the value says so too, and says more. */
  readonly isToldThere?: boolean;
}

/** Whether it is that place, or inside of it. */
export function isWithin(path: Path, place: Path): boolean {
  return place.every((step, index) => path[index] === step);
}

/** Where a text cannot be read, nothing more is said of the value that it was typed for. */
export function allProblems(
  unreadable: readonly FieldProblem[],
  others: readonly FieldProblem[],
): FieldProblem[] {
  const isTold = ({ path }: FieldProblem) =>
    unreadable.some((one) => shownPath(one.path) === shownPath(path));
  return [...unreadable, ...others.filter((one) => !isTold(one))];
}

/** Only what would surely be refused and is easily said; the host checks the rest. */
export function problemsOf(
  schema: Json | undefined,
  root: Json,
  value: Value,
  isRequired = true,
): FieldProblem[] {
  const found: FieldProblem[] = [];
  look(schema, root, value, isRequired, [], found);
  return found;
}

const PROBLEMS_MAX = 20;

function look(
  schema: Json | undefined,
  root: Json,
  value: Value,
  isRequired: boolean,
  path: Path,
  found: FieldProblem[],
): void {
  if (found.length >= PROBLEMS_MAX) return;
  if (value === undefined) {
    if (isRequired) found.push({ path, problem: 'is needed' });
    return;
  }
  const field = fieldOf(schema, root, path.length);
  if (value === null && field.isNullable) return;
  const problem = plainProblem(field, value);
  if (problem !== undefined) found.push({ path, problem });
  else if (field.kind === 'object' && isJsonObject(value)) {
    for (const { name, schema: inner, isRequired: isNeeded } of field.properties)
      look(inner, root, valueAt(value, [name]), isNeeded, [...path, name], found);
    const named = new Set(field.properties.map(({ name }) => name));
    if (field.rest !== undefined) lookInMap(field.rest, root, value, path, found, named);
  } else if (field.kind === 'map' && isJsonObject(value)) lookInMap(field.value, root, value, path, found);
  else if (field.kind === 'list' && isJsonArray(value))
    value.slice(0, 200).forEach((item, index) => look(field.item, root, item, true, [...path, index], found));
}

function lookInMap(
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
    else look(schema, root, inner, true, [...path, name], found);
  }
}

function plainProblem(field: Field, value: Json): string | undefined {
  const { minimum, maximum, minLength, maxLength } = field.limits;
  switch (field.kind) {
    case 'number':
      if (typeof value !== 'number') return 'has to be a number';
      if (field.isInteger && !Number.isInteger(value)) return 'has to be a whole number';
      if (minimum !== undefined && value < minimum) return `has to be at least ${minimum}`;
      return maximum !== undefined && value > maximum ? `has to be at most ${maximum}` : undefined;
    case 'text':
      if (typeof value !== 'string') return 'has to be a text';
      if (minLength !== undefined && value.length < minLength)
        return `needs at least ${minLength} characters`;
      return maxLength !== undefined && Array.from(value).length > maxLength
        ? `has more than ${maxLength} characters`
        : undefined;
    case 'list':
      if (!isJsonArray(value)) return 'has to be a list';
      if (value.length < field.min) return `needs at least ${field.min} of them`;
      return value.length > field.max ? `may have at most ${field.max} of them` : undefined;
    case 'object':
    case 'map':
      return isJsonObject(value) ? undefined : 'has to be an object';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'has to be true or false';
    case 'choice':
    case 'variants':
    case 'json':
      return undefined;
  }
}

/** `servers[2].name` */
export function shownPath(path: Path): string {
  return path.reduce<string>(
    (shown, step) =>
      typeof step === 'number' ? `${shown}[${step}]` : shown === '' ? step : `${shown}.${step}`,
    '',
  );
}
