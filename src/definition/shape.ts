// What an author's object has to look like, for authors whose editor does not tell them: keys, what stands in them, and what was meant.
import { shown } from '../base/shown.ts';
import { didYouMean } from '../base/suggest.ts';

/** By key. */
export type Shape = Readonly<Record<string, Kind>>;

export interface Kind {
  /** To end a sentence with. */
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
  readonly isRequired?: boolean;
}

export const text: Kind = { expected: 'a text', fits: (value) => typeof value === 'string' };
export const yesOrNo: Kind = { expected: 'true or false', fits: (value) => typeof value === 'boolean' };
export const aFunction: Kind = { expected: 'a function', fits: (value) => typeof value === 'function' };
export const anObject: Kind = { expected: 'an object', fits: isRecord };
export const texts: Kind = {
  expected: 'an array of texts',
  fits: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
};

export function required(kind: Kind): Kind {
  return { ...kind, isRequired: true };
}

/** Sentences without their full stop; none when all is well. */
export function problemsOfShape(value: unknown, shape: Shape, where: string): string[] {
  if (!isRecord(value)) return [`${where || 'what was given'} is ${shownKind(value)}; expected an object`];
  const prefix = where === '' ? '' : `${where}.`;
  const problems: string[] = [];
  for (const key of Object.keys(value))
    if (!Object.hasOwn(shape, key))
      problems.push(`${prefix}${key} is not known.${didYouMean(key, Object.keys(shape))}`.replace(/\.$/, ''));
  for (const [key, { expected, fits, isRequired = false }] of Object.entries(shape)) {
    const part = value[key];
    if (part === undefined ? isRequired : !fits(part))
      problems.push(`${prefix}${key} is ${shownKind(part)}; expected ${expected}`);
  }
  return problems;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shownKind(value: unknown): string {
  if (value === undefined) return 'missing';
  return typeof value === 'function' ? 'a function' : shown(value);
}
