// The secrets that a host knows, in one place: everything that is stored or shown is masked here first.
import type { Json } from '../base/json.ts';
import { maskedJson, maskedText, maskedTokens, mayHoldSecret } from './masked-text.ts';
import { SecretMatcher } from './secret-matcher.ts';
import { partsOf } from './secret-parts.ts';
import { MASK } from './secret-shapes.ts';

export interface Secrets {
  /**
   * Masks these values from now on, also as written in JSON, URLs, HTML and base64 and as Python prints them, and their lines.
   * Values under four characters are left out: they occur in any text.
   */
  learn(values: Iterable<string>): void;
  /** Masks known values and what looks like a secret. */
  mask(text: string, of?: TextPart): string;
  /** Masks known values alone, for texts that a guess would damage. */
  maskKnown(text: string, of?: TextPart): string;
  /** As `mask`, also by member names. @throws RangeError when it is nested too deeply */
  maskJson(json: Json): Json;
  /** Whether `maskJson` would not change the value with this text. `true` is certain. */
  isClean(jsonText: string): boolean;
}

/** `piece`: part of a longer text, with partial values at its ends. */
export type TextPart = 'whole' | 'piece';

/** @param values known from the start */
export function createSecrets(values: Iterable<string> = []): Secrets {
  const secrets = new KnownSecrets();
  secrets.learn(values);
  return secrets;
}

/** More than a host has; tokens that are renewed every hour would fill the memory. The oldest are dropped. */
const VALUES_MAX = 5000;
/** Shorter values are not secrets. */
const VALUE_MIN = 4;

class KnownSecrets implements Secrets {
  /** With the forms of each; the last one added is last. */
  readonly #values = new Map<string, readonly string[]>();
  /** Undefined while there is none. */
  #matcher: SecretMatcher | undefined;
  #isStale = false;

  learn(values: Iterable<string>): void {
    for (const value of [...values].flatMap(partsOf)) {
      if (value.length < VALUE_MIN) continue;
      const known = this.#values.get(value);
      const forms = known ?? formsOf(value);
      this.#values.delete(value);
      this.#values.set(value, forms);
      if (known === undefined) this.#add(forms);
    }
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= VALUES_MAX) return;
      this.#values.delete(oldest);
      this.#isStale = true;
    }
  }

  mask(text: string, of?: TextPart): string {
    return maskedText(this.maskKnown(text, of));
  }

  maskKnown(text: string, of: TextPart = 'whole'): string {
    const matcher = this.#known();
    if (matcher === undefined) return maskedTokens(text);
    return maskedTokens(of === 'piece' ? matcher.maskPiece(text) : matcher.mask(text));
  }

  maskJson(json: Json): Json {
    return maskedJson(json, { text: (text) => this.mask(text) });
  }

  isClean(jsonText: string): boolean {
    return !mayHoldSecret(jsonText) && this.#known()?.has(jsonText) !== true;
  }

  /** Building a matcher again for each of many plugins would be slow. */
  #add(forms: readonly string[]): void {
    const matcher = this.#isStale ? undefined : this.#matcher;
    this.#isStale = matcher === undefined || !forms.every((form) => matcher.add(form));
  }

  #known(): SecretMatcher | undefined {
    if (this.#isStale) {
      this.#isStale = false;
      const forms = new Set([...this.#values.values()].flat());
      this.#matcher = forms.size === 0 ? undefined : new SecretMatcher(forms, MASK);
    }
    return this.#matcher;
  }
}

/** Each form once. Of a very long value, only those in JSON. */
export function formsOf(value: string): readonly string[] {
  const forms = new Set([value]);
  addNested(forms, value, NESTED_MAX);
  // In form data a plus stands for a blank.
  if (value.includes(' ')) forms.add(value.replaceAll(' ', '+'));
  if (value.length > ENCODED_MAX) return [...forms];
  for (const form of inPython(value)) addNested(forms, form, 2);
  for (const form of inBase64(value)) if (form.length >= ENCODED_MIN) forms.add(form);
  return [...forms];
}

/** JSON inside a JSON string, several times: a plugin logs what it sent, and the log goes over the wire. */
function addNested(forms: Set<string>, form: string, levels: number): void {
  let texts = [form, asciiOnly(form)];
  for (let level = 0; level <= levels; level++) {
    // A quote that HTML escaped is not escaped again.
    for (const text of texts) forms.add(text).add(text.replaceAll(/\\+"/g, '"'));
    texts = [...new Set(texts.map(inJson).flatMap((text) => [text, asciiOnly(text)]))];
  }
}

/** Each level doubles what is escaped. */
const NESTED_MAX = 4;
const ENCODED_MAX = 4096;
/** Shorter ones occur by chance. */
const ENCODED_MIN = 7;

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** As Python and others write JSON. */
function asciiOnly(json: string): string {
  return json.replaceAll(/[^\x20-\x7e]/g, (character) => `\\u${hex(character.charCodeAt(0), 4)}`);
}

/** Of a text, `repr` and `ascii`, and of its bytes, `repr`; in quotes of either kind, of which one is escaped. */
function inPython(value: string): string[] {
  const text = value.replaceAll(/[\\\p{Cc}]/gu, (sign) => SHORT[sign] ?? `\\x${hex(sign.charCodeAt(0), 2)}`);
  const ascii = text.replaceAll(/[^\x20-\x7e]/gu, (sign) => {
    const code = sign.codePointAt(0) ?? 0;
    return code < 0x100 ? `\\x${hex(code, 2)}` : code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
  });
  const bytes = value.replaceAll(
    /[\\]|[^\x20-\x7e]/gu,
    (sign) => SHORT[sign] ?? Array.from(Buffer.from(sign), (byte) => `\\x${hex(byte, 2)}`).join(''),
  );
  return [text, ascii, bytes].flatMap((form) => [form, form.replaceAll("'", "\\'")]);
}

const SHORT: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

/** After any prefix, such as `user:`: three bytes are four letters, so there are three alignments. */
function inBase64(value: string): string[] {
  const bytes = Buffer.from(value);
  const forms = [bytes.toString('base64').replace(/=+$/, '')];
  for (const before of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    // Only letters that hold no bits of the prefix.
    const start = Math.ceil((before * 8) / 6);
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    forms.push(encoded.slice(start, end));
  }
  return forms.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}
