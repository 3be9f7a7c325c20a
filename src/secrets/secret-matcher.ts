// Finds known values in text, also behind the escapes of URLs, HTML and JSON. Linear for any text; without a match it looks at every few
// characters once (after Wu and Manber: the last characters of a window give the distance to the next possible match).
import { type Escapes, placeIn, unescaped } from '../base/unescaped.ts';

/** The masked ranges, from and to. */
type Span = [start: number, end: number];

interface Form {
  readonly text: string;
  /** What has to match: all of it, or the beginning of a long one. */
  readonly key: string;
}

export class SecretMatcher {
  readonly #forms: Form[] = [];
  /** The length of the shortest key. */
  readonly #window: number;
  /** By the last two characters of a window: how far the next may be moved. */
  readonly #shifts = new Uint8Array(SLOTS);
  /** Keys whose window ends with these two. */
  readonly #ending = new Map<number, Form[]>();
  readonly #stand: string;
  /** A key contains something like `%2F`. */
  #looksEscaped = false;

  /** Each value has at least two characters. `stand` replaces what is found. */
  constructor(texts: Iterable<string>, stand: string) {
    this.#stand = stand;
    let shortest = SHIFT_MAX;
    const all = [...texts];
    for (const text of all) shortest = Math.min(shortest, keyOf(text).length);
    this.#window = shortest;
    this.#shifts.fill(Math.max(1, shortest - 1));
    for (const text of all) this.add(text);
  }

  /** Whether it could be added: a value shorter than all others needs a new matcher. */
  add(text: string): boolean {
    const form = { text, key: keyOf(text) };
    if (form.key.length < this.#window) return false;
    this.#forms.push(form);
    this.#looksEscaped ||= /%[\da-f]{2}|&#?\w{1,9};/i.test(text);
    this.#note(form);
    return true;
  }

  /** The text with the values masked; the same string if there is none. Overlapping ones are masked once. */
  mask(text: string): string {
    return this.#without(text, this.#allSpans(text));
  }

  /** The same for a piece of a longer text: partial values at its ends are masked too. */
  maskPiece(text: string): string {
    const spans = this.#allSpans(text) ?? [];
    return this.#without(text, joined([...spans, ...this.#ends(text)]));
  }

  /** One level deeper than `mask`: a value in a text is also found in the JSON of that text. */
  has(text: string, levels = LEVELS_MAX + 1, seen: string[] = []): boolean {
    if (this.#spans(text, true) !== undefined) return true;
    return this.#ways(text, levels).some((way) => {
      const plain = unescaped(text, way);
      if (plain === undefined || seen.includes(plain)) return false;
      seen.push(plain);
      return this.has(plain, levels - 1, seen);
    });
  }

  /** In the text and in its unescaped forms: `%252F` has two levels. */
  #allSpans(text: string, levels = LEVELS_MAX, seen: string[] = []): Span[] | undefined {
    let spans = this.#spans(text);
    for (const way of this.#ways(text, levels)) {
      const plain = unescaped(text, way);
      // Two kinds of escapes give the same text in either order.
      if (plain === undefined || seen.includes(plain)) continue;
      seen.push(plain);
      const within = this.#allSpans(plain, levels - 1, seen);
      if (within !== undefined) spans = joined([...(spans ?? []), ...placed(within, text, way)]);
    }
    return spans;
  }

  /** The partial values at both ends, with the remains of an escape that was cut. */
  #ends(text: string, levels = LEVELS_MAX): Span[] {
    const spans: Span[] = [];
    for (let cut = 0; cut <= CUT_MAX; cut++) {
      const head = CUT_BEFORE.test(text.slice(0, cut)) ? this.#headOf(text.slice(cut)) : 0;
      if (head > 0) spans.push([0, cut + head]);
      const end = text.length - cut;
      const tail = CUT_BEHIND.test(text.slice(end)) ? this.#tailOf(text.slice(0, end)) : 0;
      if (tail > 0) spans.push([end - tail, text.length]);
    }
    for (const way of this.#ways(text, levels)) {
      const plain = unescaped(text, way);
      if (plain !== undefined) spans.push(...placed(this.#ends(plain, levels - 1), text, way));
    }
    return spans;
  }

  /** Which escapes are unescaped. What looks like an escape inside a known value must not be unescaped with the others. */
  #ways(text: string, levels: number): readonly Escapes[] {
    if (levels === 0) return [];
    const ways = levels >= LEVELS_MAX && this.#looksEscaped ? EACH_WAY : ONE_WAY;
    // Most texts have no backslash, and most others are written like the known forms.
    return text.includes('\\') && UNLIKE_FORMS.test(text) ? [...ways, '\\'] : ways;
  }

  #note(form: Form): void {
    const window = this.#window;
    const { key } = form;
    for (let at = 1; at < window; at++) {
      const slot = slotOf(key.charCodeAt(at - 1), key.charCodeAt(at));
      const shift = window - 1 - at;
      if (shift < (this.#shifts[slot] ?? 0)) this.#shifts[slot] = shift;
    }
    const last = slotOf(key.charCodeAt(window - 2), key.charCodeAt(window - 1));
    const same = this.#ending.get(last);
    if (same === undefined) this.#ending.set(last, [form]);
    else same.push(form);
  }

  #spans(text: string, isOneEnough = false): Span[] | undefined {
    let spans: Span[] | undefined;
    const window = this.#window;
    const shifts = this.#shifts;
    for (let at = window - 1; at < text.length;) {
      const slot = slotOf(text.charCodeAt(at - 1), text.charCodeAt(at));
      const shift = shifts[slot] ?? 1;
      if (shift > 0) {
        at += shift;
        continue;
      }
      const start = at - window + 1;
      const last = spans?.at(-1);
      const masked = last === undefined || last[1] < start ? start : last[1];
      const end = this.#endOf(text, start, masked, this.#ending.get(slot) ?? []);
      if (end > masked) {
        if (isOneEnough) return [];
        if (last !== undefined && last[1] >= start) last[1] = end;
        else (spans ??= []).push([start, end]);
      }
      at += 1;
    }
    return spans;
  }

  /** The end of the longest match that begins here. The part up to `masked` is masked already. */
  #endOf(text: string, start: number, masked: number, forms: readonly Form[]): number {
    let end = masked;
    for (const { text: form, key } of forms) {
      if (!text.startsWith(key, start)) continue;
      let to = Math.max(start + key.length, end);
      while (to - start < form.length && text.charCodeAt(to) === form.charCodeAt(to - start)) to += 1;
      end = Math.max(end, to);
    }
    return end;
  }

  /** How much of its beginning is the end of a value. */
  #headOf(text: string): number {
    const first = text.slice(0, HALF_MIN);
    if (first.length < HALF_MIN) return 0;
    return this.#forms.reduce((most, form) => Math.max(most, headIn(text, form.text, first)), 0);
  }

  /** How much of its end is the beginning of a value. */
  #tailOf(text: string): number {
    const last = text.slice(-HALF_MIN);
    if (last.length < HALF_MIN) return 0;
    return this.#forms.reduce((most, form) => Math.max(most, tailIn(text, form.text, last)), 0);
  }

  #without(text: string, spans: readonly Span[] | undefined): string {
    if (spans === undefined || spans.length === 0) return text;
    let result = '';
    let from = 0;
    for (const [start, end] of spans) {
      result += text.slice(from, start) + this.#stand;
      from = end;
    }
    return result + text.slice(from);
  }
}

/** The deepest nesting of escapes that is searched. */
const LEVELS_MAX = 3;
const ONE_WAY: readonly Escapes[] = ['%&'];
const EACH_WAY: readonly Escapes[] = ['%&', '%', '&'];
/** Characters that JSON.stringify escapes, or writes in several ways. */
const UNLIKE_FORMS = /\\[/u]/;
/** The remains of an escape that was cut, or of a nested one: at most `25F0%9F%98%80`. */
const CUT_MAX = 15;
const CUT_BEFORE = /^(?:\\{0,3}u?[\da-f]{0,6}(?:%[\da-f]{2}){0,3}|(?:#?\w{0,9};){1,2})$/i;
const CUT_BEHIND = /^(?:(?:%[\da-f]{2}){0,3}(?:%[\da-f]?)?|&#?\w{0,9}|\\{1,3}(?:u[\da-f]{0,3})?)$/i;

const SLOTS = 1 << 14;
const SHIFT_MAX = 255;
/** A shorter part of a value gives nothing away. */
const HALF_MIN = 6;

/** A value that repeats itself more often is not a secret. */
const PLACES_MAX = 32;

/** How long the end of the form is that the text begins with. */
function headIn(text: string, form: string, first: string): number {
  let at = form.indexOf(first, 1);
  for (let places = 0; at !== -1 && places < PLACES_MAX; places++) {
    const rest = form.slice(at, at + text.length);
    if (text.startsWith(rest)) return rest.length;
    at = form.indexOf(first, at + 1);
  }
  return 0;
}

/** How long the beginning of the form is that the text ends with. */
function tailIn(text: string, form: string, last: string): number {
  let at = form.lastIndexOf(last);
  for (let places = 0; at !== -1 && places < PLACES_MAX; places++) {
    const begun = form.slice(0, at + last.length);
    if (text.endsWith(begun)) return begun.length;
    at = at === 0 ? -1 : form.lastIndexOf(last, at - 1);
  }
  return 0;
}

/** Half of a long value counts as all of it: others cut texts too. */
function keyOf(text: string): string {
  const length = Math.min(Math.max(Math.ceil(text.length / 2), 16), 64);
  return text.length <= length ? text : text.slice(0, length);
}

function slotOf(one: number, other: number): number {
  return ((one << 7) ^ other) & (SLOTS - 1);
}

/** The ranges of an unescaped text as ranges of the text itself. */
function placed(spans: readonly Span[], text: string, way: Escapes): Span[] {
  if (spans.length === 0) return [];
  const places: number[] = [];
  unescaped(text, way, places);
  return spans.map(([start, end]) => [placeIn(places, start), placeIn(places, end)]);
}

function joined(spans: Span[]): Span[] {
  const result: Span[] = [];
  for (const [start, end] of spans.toSorted(([one], [other]) => one - other)) {
    const last = result.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}
