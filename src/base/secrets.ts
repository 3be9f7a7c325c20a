// What is secret to a host, known in one place: whoever keeps or shows something masks it first.
import type { Json } from './json.ts';
import { maskedJson } from './masked-json.ts';
import { maskedText, mayHoldSecret } from './masked-text.ts';
import { formsOf } from './secret-forms.ts';
import { partsOf } from './secret-parts.ts';
import { SecretMatcher } from './secret-matcher.ts';
import { MASK } from './secret-shapes.ts';

export interface Secrets {
  /**
   * From now on these values are masked, also as they stand in JSON, in addresses, in HTML, in base64 and as Python prints them, and so
   * are their lines. Those under four characters are left out: they stand in every text.
   */
  learn(values: Iterable<string>): void;
  /** Without the values that are known, and without what looks like a secret. */
  mask(text: string, of?: TextPart): string;
  /** Without the values that are known, for texts that a guess would spoil. */
  maskKnown(text: string, of?: TextPart): string;
  /** The same as `mask`, by the names of members too. @throws RangeError when it is nested too deeply */
  maskJson(json: Json): Json;
  /** Whether `maskJson` would leave what has this text as it is. A yes is certain. */
  isClean(jsonText: string): boolean;
}

/** `piece`: it was cut out of a longer text, so that only half of a value may be at its ends. */
export type TextPart = 'whole' | 'piece';

/** @param values what is known from the beginning */
export function createSecrets(values: Iterable<string> = []): Secrets {
  const secrets = new KnownSecrets();
  secrets.learn(values);
  return secrets;
}

/** More than a host has; tokens that are renewed every hour would fill any memory. The oldest are forgotten. */
const VALUES_MAX = 5000;
/** Values under so many characters are no secrets. */
const VALUE_MIN = 4;

class KnownSecrets implements Secrets {
  /** With the forms of each; the one that was told last stands last. */
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
    if (matcher === undefined) return text;
    return of === 'piece' ? matcher.maskPiece(text) : matcher.mask(text);
  }

  maskJson(json: Json): Json {
    return maskedJson(json, { text: (text) => this.mask(text) });
  }

  isClean(jsonText: string): boolean {
    return !mayHoldSecret(jsonText) && this.#known()?.has(jsonText) !== true;
  }

  /** To make a matcher anew for each of many plugins would take its time. */
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
