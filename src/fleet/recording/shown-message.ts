// A message for display: as JSON, without secrets, shortened if it is very long.
import type { Json } from '../../base/json.ts';
import { KiB } from '../../base/units.ts';
import { maskedJson } from '../../secrets/masked-text.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { Message, Received } from '../../channel/message/message.ts';
import { onWire } from './cassette.ts';

interface ShownMessage {
  /** Characters of the whole message. */
  readonly size: number;
  /** At most the requested number. */
  readonly text: string;
}

/** All of it as JSON. */
export function writtenMessage(message: Message | Received): string {
  return written(() => onWire(message));
}

/** @param whole the message as JSON */
export function shownMessage(
  message: Message | Received,
  secrets: Secrets,
  maxLength: number,
  whole = writtenMessage(message),
): ShownMessage {
  if (isLong(whole)) {
    const begun = written(() => maskedBeginning(onWire(message), secrets, maxLength + CUT_MARGIN));
    return { size: whole.length, text: begun.slice(0, maxLength) };
  }
  // Most messages have no secret and need no parsing.
  const shown = secrets.isClean(whole)
    ? whole
    : // JSON.parse returns JSON.
      written(() => secrets.maskJson(JSON.parse(whole) as Json));
  return { size: shown.length, text: shown.slice(0, maxLength) };
}

/** Only the beginning of a very long message is read, which is all that is shown. */
export function isLong(whole: string): boolean {
  return whole.length > 128 * KiB;
}

/** Read beyond the shown part, so that no secret is cut in half there. */
const CUT_MARGIN = 4096;

function maskedBeginning(message: unknown, secrets: Secrets, characters: number): Json {
  const { value, cut } = begunJson(message, characters);
  return maskedJson(value, { text: (text) => secrets.mask(text, text === cut ? 'piece' : 'whole') });
}

/** JSON.stringify fails on values that are nested too deeply. */
function written(value: () => unknown): string {
  try {
    return JSON.stringify(value());
  } catch {
    return '"(nested too deeply to be shown)"';
  }
}

interface BegunJson {
  readonly value: Json;
  /** The beginning of the text that was cut. */
  readonly cut: string | undefined;
}

/**
 * At most `limit` characters of strings, names and punctuation; its time does not depend on the rest.
 * @param value as for JSON.stringify
 * @throws RangeError when it is nested too deeply
 */
function begunJson(value: unknown, characters: number): BegunJson {
  const beginning = new Beginning(characters);
  return { value: beginning.of(value) ?? null, cut: beginning.cut };
}

class Beginning {
  #left: number;
  cut: string | undefined;

  constructor(characters: number) {
    this.#left = characters;
  }

  /** Undefined if JSON has no form for it. */
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
