// Before anything is written down: secrets become `***`, and what is long is cut, with its length and hash.
import { createHash } from 'node:crypto';
import { isJsonArray, type Json, type JsonObject } from '../../base/json.ts';
import { maskedWords } from '../../secrets/masked-command.ts';
import { maskedText, mayHoldSecret } from '../../secrets/masked-text.ts';
import { isHarmless, isSecretName, isSecretNumber, MASK } from '../../secrets/secret-shapes.ts';
import type { Secrets } from '../../secrets/secrets.ts';

/** What of one value is kept: enough to know what happened, never enough to fill the disk. */
const TEXT_MAX = 2048;
const ITEMS_MAX = 100;
const DEPTH_MAX = 12;
const TOTAL_MAX = 32_768;
/** Looked through beyond what is kept, so that no secret is cut in half and then not known any more. */
const TEXT_MARGIN = 4096;

export type Redact = (value: Json) => Json;

/** Never throws, whatever the value; what it gives has a bounded size. */
export function redactor(secrets: Pick<Secrets, 'mask'> = { mask: maskedText }): Redact {
  return (value) => new Redaction(secrets).of(value, false, 0);
}

/** The same, as text of JSON: what is short and has nothing to hide is not taken apart for it. */
export function jsonRedactor(
  secrets: Pick<Secrets, 'mask' | 'isClean'> = { mask: maskedText, isClean: (json) => !mayHoldSecret(json) },
): (value: Json) => string {
  const redact = redactor(secrets);
  return (value) => {
    const json = sizeOf(value, TEXT_MAX) <= TEXT_MAX ? writtenJson(value) : undefined;
    return json !== undefined && json.length <= TEXT_MAX && secrets.isClean(json)
      ? json
      : JSON.stringify(redact(value));
  };
}

/** About as many characters as its JSON has, and never more than that; counting ends above `most`, so that large values cost no more. */
function sizeOf(value: Json, most: number): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  let size = 2;
  if (isJsonArray(value))
    for (const item of value) {
      if (size > most) break;
      size += sizeOf(item, most - size);
    }
  else
    for (const key in value) {
      if (size > most) break;
      size += key.length + sizeOf(value[key] ?? null, most - size);
    }
  return size;
}

/** Undefined where it has no such form: it nests too deeply, or has a toJSON of its own. */
function writtenJson(value: Json): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

class Redaction {
  readonly #secrets: Pick<Secrets, 'mask'>;
  #left = TOTAL_MAX;

  constructor(secrets: Pick<Secrets, 'mask'>) {
    this.#secrets = secrets;
  }

  /** `name`: the key it stands under. `program`: the program whose arguments a list may hold. */
  of(value: Json, isUnderSecretName: boolean, depth: number, name = '', program?: Json): Json {
    if (typeof value === 'string') return this.#text(value, isUnderSecretName);
    if (typeof value === 'number' && this.#isSecret(name, value, isUnderSecretName)) return MASK;
    this.#left -= 8;
    if (typeof value !== 'object' || value === null) return value ?? null;
    if (depth >= DEPTH_MAX) return '… (nested too deeply)';
    return isJsonArray(value)
      ? this.#array(maskedArray(value, program), isUnderSecretName, depth, name)
      : this.#object(value, isUnderSecretName, depth);
  }

  #isSecret(name: string, value: number, isUnderSecretName: boolean): boolean {
    const text = String(value);
    return isSecretNumber(name, value, isUnderSecretName) || this.#secrets.mask(text) !== text;
  }

  #array(items: readonly Json[], isUnderSecretName: boolean, depth: number, name: string): Json {
    const kept: Json[] = [];
    for (const item of items.slice(0, ITEMS_MAX)) {
      if (this.#left <= 0) break;
      kept.push(this.of(item, isUnderSecretName, depth + 1, name));
    }
    if (kept.length < items.length) kept.push(`… (${items.length - kept.length} more)`);
    return kept;
  }

  #object(value: JsonObject, isUnderSecretName: boolean, depth: number): Json {
    const kept: [string, Json][] = [];
    let left = 0;
    for (const key in value) {
      if (!Object.hasOwn(value, key)) continue;
      if (this.#left <= 0 || kept.length >= ITEMS_MAX) {
        left += 1;
        continue;
      }
      const name = this.#text(key, false);
      const isSecret = isUnderSecretName || isSecretName(key);
      kept.push([name, this.of(value[key] ?? null, isSecret, depth + 1, key, value['command'])]);
    }
    if (left > 0) kept.push(['…', `${left} more`]);
    return Object.fromEntries(kept);
  }

  #text(text: string, isUnderSecretName: boolean): string {
    if (isUnderSecretName && !isHarmless(text)) return MASK;
    const max = Math.min(TEXT_MAX, Math.max(this.#left, 0));
    const shown =
      text.length > TEXT_MARGIN
        ? this.#secrets.mask(text.slice(0, TEXT_MARGIN), 'piece')
        : this.#secrets.mask(text);
    this.#left -= Math.min(shown.length, max) + 2;
    if (text.length <= max && shown.length <= TEXT_MAX) return shown;
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
    return `${wholeCharacters(shown.slice(0, max))}… (${text.length} characters, sha256 ${hash}…)`;
  }
}

/** The words of a command line one by one: what a secret is stands in the word before it. */
function maskedArray(items: readonly Json[], program: Json | undefined): readonly Json[] {
  const words = items.slice(0, ITEMS_MAX);
  if (!words.every((item) => typeof item === 'string')) return items;
  const before = typeof program === 'string' ? program.slice(0, TEXT_MARGIN).split(/\s+/) : [];
  const masked = maskedWords([...before, ...words]).slice(before.length);
  return [...masked, ...items.slice(ITEMS_MAX)];
}

/** Half of a surrogate pair has no form in UTF-8. */
function wholeCharacters(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}
