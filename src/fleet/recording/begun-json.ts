// The beginning of a value that is too long to be looked through, as a value: names stay before what they name.
import type { Json } from '../../base/json.ts';

export interface BegunJson {
  readonly value: Json;
  /** The text that was cut, of which only the beginning is there. */
  readonly cut: string | undefined;
}

/**
 * At most so many characters of texts, names and signs; takes no longer than these, whatever comes behind.
 * @param value what JSON.stringify takes
 * @throws RangeError when it is nested too deeply
 */
export function begunJson(value: unknown, characters: number): BegunJson {
  const beginning = new Beginning(characters);
  return { value: beginning.of(value) ?? null, cut: beginning.cut };
}

class Beginning {
  #left: number;
  cut: string | undefined;

  constructor(characters: number) {
    this.#left = characters;
  }

  /** Undefined where JSON has nothing. */
  of(value: unknown): Json | undefined {
    if (typeof value === 'string') return this.#text(value);
    this.#left -= NODE_COST;
    if (typeof value === 'number') return Number.isFinite(value) ? value : null;
    if (typeof value === 'boolean' || value === null) return value;
    if (typeof value !== 'object') return undefined;
    if (writesItself(value)) return this.of(value.toJSON());
    return Array.isArray(value) ? this.#array(value) : this.#object(value);
  }

  #text(text: string): string {
    const length = Math.max(this.#left, 0);
    this.#left -= text.length + NODE_COST;
    if (text.length <= length) return text;
    return (this.cut = text.slice(0, length));
  }

  #array(items: readonly unknown[]): Json {
    const begun: Json[] = [];
    for (const item of items) {
      if (this.#left <= 0) break;
      begun.push(this.of(item) ?? null);
    }
    return begun;
  }

  #object(value: object): Json {
    const begun: [string, Json][] = [];
    for (const key in value) {
      if (this.#left <= key.length) {
        this.#left = 0;
        break;
      }
      if (!Object.hasOwn(value, key)) continue;
      this.#left -= key.length;
      const inner = this.of((value as Record<string, unknown>)[key]);
      if (inner !== undefined) begun.push([key, inner]);
    }
    return Object.fromEntries(begun);
  }
}

/** As dates do. */
function writesItself(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}

/** Quotes, a comma. */
const NODE_COST = 1;
