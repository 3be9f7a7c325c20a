// Before anything is written down: secrets become `***`, and what is long is cut, with its length and hash.
import { createHash } from 'node:crypto';
import { isJsonArray, type Json, type JsonObject } from '../../base/json.ts';
import { isHarmless, isSecretName, MASK } from '../../base/secret-shapes.ts';

/** What of one value is kept: enough to know what happened, never enough to fill the disk. */
const TEXT_MAX = 2048;
const ITEMS_MAX = 100;
const DEPTH_MAX = 12;
const TOTAL_MAX = 32_768;
/** Looked through beyond what is kept, so that no secret is cut in half and then not known any more. */
const TEXT_MARGIN = 4096;
/** Shorter ones stand in every text. */
const EXACT_MIN = 4;

export type Redact = (value: Json) => Json;

/** Never throws, whatever the value; what it gives has a bounded size. `secrets` are values that must not be seen, wherever they stand. */
export function redactor(secrets: () => readonly string[] = () => []): Redact {
  let known: readonly string[] = [];
  let exact: RegExp | undefined;
  return (value) => {
    const now = secrets();
    if (now.length !== known.length || now.some((secret, index) => secret !== known[index])) {
      known = [...now];
      exact = anyOf(known);
    }
    return new Redaction(exact).of(value, false, 0);
  };
}

/** A text with its secrets masked; its length is not bounded. */
export function redactedText(text: string, secrets: readonly string[] = []): string {
  return masked(text, anyOf(secrets));
}

class Redaction {
  readonly #exact: RegExp | undefined;
  #left = TOTAL_MAX;

  constructor(exact: RegExp | undefined) {
    this.#exact = exact;
  }

  of(value: Json, isUnderSecretName: boolean, depth: number): Json {
    if (typeof value === 'string') return this.#text(value, isUnderSecretName);
    if (typeof value === 'number' && isUnderSecretName && !isHarmless(String(value))) return MASK;
    this.#left -= 8;
    if (typeof value !== 'object' || value === null) return value ?? null;
    if (depth >= DEPTH_MAX) return '… (nested too deeply)';
    return isJsonArray(value)
      ? this.#array(value, isUnderSecretName, depth)
      : this.#object(value, isUnderSecretName, depth);
  }

  #array(items: readonly Json[], isUnderSecretName: boolean, depth: number): Json {
    const kept: Json[] = [];
    for (const item of items.slice(0, ITEMS_MAX)) {
      if (this.#left <= 0) break;
      kept.push(this.of(item, isUnderSecretName, depth + 1));
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
      kept.push([name, this.of(value[key] ?? null, isUnderSecretName || isSecretName(key), depth + 1)]);
    }
    if (left > 0) kept.push(['…', `${left} more`]);
    return Object.fromEntries(kept);
  }

  #text(text: string, isUnderSecretName: boolean): string {
    if (isUnderSecretName && !isHarmless(text)) return MASK;
    const max = Math.min(TEXT_MAX, Math.max(this.#left, 0));
    const shown = masked(text.length > TEXT_MARGIN ? text.slice(0, TEXT_MARGIN) : text, this.#exact);
    this.#left -= Math.min(shown.length, max) + 2;
    if (text.length <= max && shown.length <= TEXT_MAX) return shown;
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
    return `${wholeCharacters(shown.slice(0, max))}… (${text.length} characters, sha256 ${hash}…)`;
  }
}

/** Half of a surrogate pair has no form in UTF-8. */
function wholeCharacters(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}

function masked(text: string, exact: RegExp | undefined): string {
  let result = exact === undefined ? text : text.replace(exact, MASK);
  if (result.length < 8) return result;
  if (result.includes('-----BEGIN')) result = result.replace(privateKey, MASK);
  if (result.includes('://')) result = result.replace(password, `://${MASK}@`);
  return result
    .replace(named, (_, name: string, between: string) => `${name}${between}${MASK}`)
    .replace(scheme, `$1 ${MASK}`)
    .replace(shapes, MASK);
}

/** Itself, and as it stands in JSON, in an address and in base64. */
function anyOf(secrets: readonly string[]): RegExp | undefined {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < EXACT_MIN) continue;
    const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
    for (const form of [secret, JSON.stringify(secret).slice(1, -1), encoded(secret), base64])
      forms.add(form);
  }
  if (forms.size === 0) return undefined;
  const longestFirst = [...forms].toSorted((one, other) => other.length - one.length);
  return new RegExp(
    longestFirst.map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'),
    'g',
  );
}

function encoded(secret: string): string {
  try {
    return encodeURIComponent(secret);
  } catch {
    return secret;
  }
}

// Each is linear: it begins at something rare or at the beginning of a word, and what may be long has one way to match.
const privateKey =
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:(?!-----END)[^])*(?:-----END [A-Z ]{0,40}-----)?/g;
const password = /:\/\/[^/\s:@]{0,200}:[^/\s@]{1,500}@/g;
/** `password=…`, `"token": "…"`, `--api-key …`, `X-Api-Key: …`. */
const named =
  /(?<![\w-])([\w-]{0,40}?(?:token|secret|passw(?:or)?d|passwd|pwd|credentials?|cookie|api[-_]?key|access[-_]?key|private[-_]?key)[\w-]{0,20})(["']?\s{0,4}[=:]\s{0,4}["']?|(?<=--[\w-]{1,80})\s{1,4}["']?)(?!\*\*\*)([^\s"'&,;)}\]]{1,2000})/gi;
const scheme = /\b(bearer|basic)\s{1,4}(?!\*\*\*)[\w.+/=~-]{8,}/gi;
const shapes =
  /\b(?:(?:sk|pk|rk)[-_][\w-]{16,}|gh[pousr]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{8,}|A[KS]IA[0-9A-Z]{12,}|AIza[\w-]{30,}|ya29\.[\w-]{8,}|eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?|npm_\w{20,}|hf_\w{20,}|pypi-[\w-]{20,}|SG\.[\w-]{8,}\.[\w-]{8,})/g;
