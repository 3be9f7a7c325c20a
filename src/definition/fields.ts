// Tables of the fields that an author's object may have. They are typed by the options they describe, so that types and checks are the
// same list, and they check the objects of authors whose editor does not.
import { didYouMean } from '../base/names.ts';
import { shown } from '../base/text.ts';

/** One entry for each field of the options, required where the field is. */
export type Fields<Options> = {
  readonly [Name in keyof Options]-?: undefined extends Options[Name] ? Field : RequiredField;
};

export interface Field {
  /** Ends a sentence. */
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
  /** Problems inside a value that fits. */
  readonly problemsIn?: (value: never, where: string) => string[];
  readonly isRequired?: boolean;
}

export interface RequiredField extends Field {
  readonly isRequired: true;
}

export function required(field: Field): RequiredField {
  return { ...field, isRequired: true };
}

export const text: Field = { expected: 'a text', fits: (value) => typeof value === 'string' };
export const yesOrNo: Field = { expected: 'true or false', fits: (value) => typeof value === 'boolean' };
export const aFunction: Field = { expected: 'a function', fits: (value) => typeof value === 'function' };
export const texts: Field = {
  expected: 'an array of texts',
  fits: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
};

type Problems<Value> = (value: Value, where: string) => string[];
type AnyObject = Readonly<Record<string, unknown>>;

/** @param more problems that no single field has */
export function objectOf<Options>(fields: Fields<Options>, more: Problems<AnyObject> = () => []): Field {
  const problemsIn = (value: AnyObject, where: string) => [
    ...problemsOfFields(value, fields, where),
    ...more(value, where),
  ];
  return { expected: 'an object', fits: isRecord, problemsIn };
}

/** Objects by name. */
export function mapOf<Options>(fields: Fields<Options>, problemsOfName: Problems<string>): Field {
  const problemsIn = (value: AnyObject, where: string) =>
    Object.entries(value).flatMap(([name, item]) => [
      ...problemsOfName(name, `${where}.${name}`),
      ...problemsOfFields(item, fields, `${where}.${name}`),
    ]);
  return { expected: 'an object', fits: isRecord, problemsIn };
}

export function listOf<Options>(fields: Fields<Options>, more: Problems<readonly unknown[]>): Field {
  const problemsIn = (value: readonly unknown[], where: string) => [
    ...value.flatMap((item, index) => problemsOfFields(item, fields, `${where}[${index}]`)),
    ...more(value, where),
  ];
  return { expected: 'an array', fits: Array.isArray, problemsIn };
}

/** Sentences without their full stop; empty when there are no problems. */
export function problemsOfFields<Options>(value: unknown, fields: Fields<Options>, where: string): string[] {
  if (!isRecord(value)) return [`${where || 'what was given'} is ${shownKind(value)}; expected an object`];
  const prefix = where === '' ? '' : `${where}.`;
  const names = Object.keys(fields);
  const problems = Object.keys(value)
    .filter((name) => !names.includes(name))
    .map((name) => `${prefix}${name} is not known.${didYouMean(name, names)}`.replace(/\.$/, ''));
  for (const [name, field] of Object.entries<Field>(fields)) {
    const { expected, fits, isRequired = false, problemsIn } = field;
    const part = value[name];
    if (part === undefined ? isRequired : !fits(part))
      problems.push(`${prefix}${name} is ${shownKind(part)}; expected ${expected}`);
    // What fits has the type that the field looks into.
    else if (part !== undefined) problems.push(...(problemsIn?.(part as never, `${prefix}${name}`) ?? []));
  }
  return problems;
}

export function isRecord(value: unknown): value is AnyObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shownKind(value: unknown): string {
  if (value === undefined) return 'missing';
  return typeof value === 'function' ? 'a function' : shown(value);
}
