// Values from author code as JSON: a copy, or which value cannot be written as JSON, and where it is.
import { types } from 'node:util';
import { errorCodes } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import { shown, textOf } from '../../base/text.ts';
import { failureOf } from '../failure.ts';
import type { CallFailure } from '../outcome.ts';

type PlainJson = { readonly json: Json } | { readonly problem: string };

/** Nothing that is meant to be read is as deep, and a wire could not write it. */
const DEPTH_MAX = 1000;
const PATH_SHOWN = 10;

/**
 * As JSON.stringify would write it, except that nothing is lost silently but properties that are undefined, which authors leave out
 * that way. Never throws.
 */
export function plainJson(value: unknown, where: string): PlainJson {
  const copy = new Copy();
  try {
    return { json: copy.of(value, '') };
  } catch (thrown) {
    const words = thrown instanceof NoJson ? thrown.message : 'cannot be read';
    return { problem: `${where}${copy.place()} ${words}` };
  }
}

const OWN = { enumerable: true, writable: true, configurable: true };

class NoJson extends Error {}

class Copy {
  /** Where it stands now; where it stopped, when something has no JSON form. */
  readonly #path: (string | number)[] = [];
  readonly #parents = new Set<object>();

  place(): string {
    const steps = this.#path
      .slice(0, PATH_SHOWN)
      .map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`));
    return steps.join('') + (this.#path.length > PATH_SHOWN ? '…' : '');
  }

  of(given: unknown, key: string): Json {
    const value = hasOwnForm(given) ? given.toJSON(key) : given;
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    // JSON has one zero.
    if (typeof value === 'number' && Number.isFinite(value)) return value === 0 ? 0 : value;
    if (typeof value !== 'object') throw new NoJson(`is ${named(value)}, which JSON has no form for`);
    if (isNoData(value))
      throw new NoJson(`is ${named(value)}, which JSON has no form for; give an object, an array or a text`);
    if (this.#parents.has(value)) throw new NoJson('contains itself');
    if (this.#parents.size >= DEPTH_MAX) throw new NoJson('is nested too deeply');
    this.#parents.add(value);
    const copy = Array.isArray(value) ? this.#ofArray(value) : this.#ofObject(value);
    this.#parents.delete(value);
    return copy;
  }

  #ofArray(value: readonly unknown[]): Json {
    const copy: Json[] = [];
    for (let index = 0; index < value.length; index++) {
      this.#path.push(index);
      copy.push(this.of(value[index], String(index)));
      this.#path.pop();
    }
    return copy;
  }

  #ofObject(value: object): Json {
    const copy: Record<string, Json> = {};
    // Any object is a record of its own members.
    for (const [name, inner] of Object.entries(value as Readonly<Record<string, unknown>>)) {
      if (inner === undefined) continue;
      this.#path.push(name);
      const json = this.of(inner, name);
      // Plain assignment to `__proto__` would set the prototype.
      if (name === '__proto__') Object.defineProperty(copy, name, { ...OWN, value: json });
      else copy[name] = json;
      this.#path.pop();
    }
    return copy;
  }
}

function hasOwnForm(value: unknown): value is { toJSON(key: string): unknown } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'toJSON' in value &&
    typeof value.toJSON === 'function' &&
    // The list of numbers that a Buffer turns into is never what was meant.
    !ArrayBuffer.isView(value)
  );
}

/** What JSON.stringify would silently write as `{}`, or as an object of numbers. */
function isNoData(value: object): boolean {
  return (
    types.isMap(value) ||
    types.isSet(value) ||
    types.isPromise(value) ||
    types.isRegExp(value) ||
    types.isNativeError(value) ||
    types.isAnyArrayBuffer(value) ||
    ArrayBuffer.isView(value)
  );
}

function named(value: unknown): string {
  if (typeof value === 'object' && value !== null) return `a ${value.constructor.name}`;
  if (typeof value === 'undefined' || typeof value === 'number') return String(value);
  return `a ${typeof value}`;
}

export function safeFailure(thrown: unknown, debug = false): CallFailure {
  const { code, message, reason, data, details, recoverable, suggestions } = failureOf(thrown, { debug });
  return {
    code: Object.hasOwn(errorCodes, code) ? code : 'TOOL_FAILED',
    message: textOf(message),
    ...(reason === undefined ? {} : { reason: textOf(reason) }),
    ...(data === undefined ? {} : { data: safe(data) }),
    ...(details === undefined ? {} : { details: safe(details) }),
    ...(recoverable === undefined ? {} : { recoverable }),
    ...(Array.isArray(suggestions) ? { suggestions: suggestions.map(textOf) } : {}),
  };
}

function safe(value: unknown): Json {
  const plain = plainJson(value, 'it');
  return 'json' in plain ? plain.json : shown(value);
}
