// Finds known texts in others. Where none is there, it looks at every few characters once; linear, whatever the text is (after Wu and
// Manber: the end of a window tells how far the next beginning is at least).

/** What is masked, from and to. */
type Span = [start: number, end: number];

interface Form {
  readonly text: string;
  /** What has to be there for it to count: all of it, or of a long one its beginning. */
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

  /** Each has at least two characters. `stand` is put in the place of what is found. */
  constructor(texts: Iterable<string>, stand: string) {
    this.#stand = stand;
    let shortest = SHIFT_MAX;
    const all = [...texts];
    for (const text of all) shortest = Math.min(shortest, keyOf(text).length);
    this.#window = shortest;
    this.#shifts.fill(Math.max(1, shortest - 1));
    for (const text of all) this.add(text);
  }

  /** Whether it could be added: one that is shorter than all before needs a new matcher. */
  add(text: string): boolean {
    const form = { text, key: keyOf(text) };
    if (form.key.length < this.#window) return false;
    this.#forms.push(form);
    this.#note(form);
    return true;
  }

  /** The text without them; the same object where there is none. What overlaps becomes one. */
  mask(text: string): string {
    return this.#without(text, this.#spans(text));
  }

  /** The same of a text that was cut out of a longer one: the halves at its ends go too. */
  maskPiece(text: string): string {
    const [head, tail] = this.#halves(text);
    const ends: Span[] = [
      ...(head > 0 ? [[0, head] satisfies Span] : []),
      ...(tail > 0 ? [[text.length - tail, text.length] satisfies Span] : []),
    ];
    const spans = this.#spans(text) ?? [];
    return this.#without(text, joined([...spans, ...ends]));
  }

  has(text: string): boolean {
    return this.#spans(text, true) !== undefined;
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

  /** Where the longest of them ends that begins here. What is masked already, up to `masked`, is not looked at again. */
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

  /** How much of its beginning is the end of one of them, and how much of its end the beginning of one. */
  #halves(text: string): [head: number, tail: number] {
    if (text.length < HALF_MIN) return [0, 0];
    let head = 0;
    let tail = 0;
    const first = text.slice(0, HALF_MIN);
    const last = text.slice(-HALF_MIN);
    for (const { text: form } of this.#forms) {
      head = Math.max(head, headIn(text, form, first));
      tail = Math.max(tail, tailIn(text, form, last));
    }
    return [head, tail];
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

const SLOTS = 1 << 14;
const SHIFT_MAX = 255;
/** Less of one tells nobody anything. */
const HALF_MIN = 6;

/** A value that repeats itself so often is none. */
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

/** Half of a long one is as good as all of it: others cut texts too. */
function keyOf(text: string): string {
  const length = Math.min(Math.max(Math.ceil(text.length / 2), 16), 64);
  return text.length <= length ? text : text.slice(0, length);
}

function slotOf(one: number, other: number): number {
  return ((one << 7) ^ other) & (SLOTS - 1);
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
