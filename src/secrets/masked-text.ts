// Masks what looks like a secret in text and JSON: the shapes of keys of known services, and values after names such as `password=`. A guess.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { maskedCommands } from './masked-command.ts';
import { isHarmless, isSecretName, isSecretNumber, MASK } from './secret-shapes.ts';

/** In linear time for any text. A quick test for each kind comes first, since most texts have none. */
export function maskedText(text: string): string {
  if (text.length < 8) return text;
  let result = text;
  if (text.includes('-----BEGIN')) result = result.replace(privateKey, MASK);
  if (text.includes('://')) result = result.replace(password, `://${MASK}@`);
  result = maskedCommands(result);
  if (namesHint.test(text.toLowerCase()))
    result = result.replace(named, maskedValue).replace(scheme, `$1 ${MASK}`);
  return maskedTokens(beginnings.test(text) ? result.replace(shapes, MASK) : result);
}

/** Tokens of pluglot are secrets wherever they stand, also where a guess would spoil the text. A host knows only the hashes of most. */
export function maskedTokens(text: string): string {
  return text.includes('plt_') ? text.replace(ownTokens, MASK) : text;
}

/**
 * Whether JSON text, as JSON.stringify writes it, may contain something that looks like a secret, by name or shape. `false` is
 * certain, and far cheaper than looking at every value.
 */
export function mayHoldSecret(json: string): boolean {
  const lower = json.toLowerCase();
  return (
    hintsInJson.test(lower) ||
    namesInJson.test(lower) ||
    hasToken(lower) ||
    (json.includes('://') && passwordInJson.test(json)) ||
    (json.includes('-') && optionInJson.test(json)) ||
    (json.includes('=') && variableInJson.test(json))
  );
}

/** A progress token has the name of a secret, and many messages have one. */
function hasToken(lower: string): boolean {
  for (let at = lower.indexOf('token'); at !== -1; at = lower.indexOf('token', at + 1)) {
    const isNumber = lower.startsWith('":', at + 5) && /\d/.test(lower.charAt(at + 7));
    if (!isNumber || !lower.endsWith('progress', at)) return true;
  }
  return false;
}

/** In a command line, what runs another command is not a secret and has to be seen. The token count of a model is not one either. */
function maskedValue(whole: string, name: string, between: string, value: string): string {
  const isWord = between === '=' || /^\s+$/.test(between);
  const runs = isWord && /\$\(|`/.test(value);
  const isCount = /tokens$/i.test(name) && /^[\d.]+$/.test(value);
  return runs || isCount || /^(?:true|false|null|undefined|none)$/i.test(value)
    ? whole
    : `${name}${between}${MASK}`;
}

// Every text with a match has one of these words in lower case. Expressions of words alone are fast.
const namesHint = /token|secret|passw|passphrase|passcode|pwd|credential|cookie|key|bearer|basic/;
const hintsInJson =
  /secret|passw|passphrase|passcode|pass"|pwd|credential|cookie|bearer|basic|private|key"|pat"|apikey|api_key|api-key|accesskey|access_key|access-key|-----begin|sk-|sk_|pk-|pk_|rk-|rk_|ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|glpat-|xox|akia|asia|aiza|ya29|eyj|npm_|hf_|pypi-|plt_|sg\./;
/** Words that matter in names alone: not near the end of a string that no colon follows. */
const namesInJson = /(?:auth|session|dsn|connection)(?!(?:[^"\\]|\\.){0,60}"(?!:))/;
/** Also in shell quotes. */
const optionInJson = /-[#A-Za-z"'\\-](?<=(?:[\s"'\\]|\\[fnrt]|\\u[\da-f]{4})..)/;
const variableInJson = /=(?<=[A-Z\d_].)/;

// Each is linear: it begins at a rare character or at the beginning of a word, and long parts have one way to match.
const privateKey =
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:(?!-----END)[^])*(?:-----END [A-Z ]{0,40}-----)?/g;
const password = /:\/\/[^/\s:@]{0,200}:[^/\s@]{1,500}@/g;
const passwordInJson = new RegExp(password.source);
/** `password=…`, `"token": "…"`, `--api-key …`, `X-Api-Key: …`. */
const named =
  /(?<![\w-])([\w-]{0,40}?(?:token|secret|passw(?:or)?d|passphrase|passcode|pwd|credentials?|cookie|api[-_]?key|access[-_]?key|private[-_]?key)[\w-]{0,20})(["']?\s{0,4}[=:]\s{0,4}["']?|(?<=--[\w-]{1,80})\s{1,4}["']?)(?!\*\*\*)([^\s"'&,;)}\]]{1,2000})/gi;
const scheme = /\b(bearer|basic)\s{1,4}(?!\*\*\*)[\w.+/=~-]{8,}/gi;
const shapes =
  /\b(?:(?:sk|pk|rk)[-_][\w-]{16,}|gh[pousr]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{8,}|A[KS]IA[0-9A-Z]{12,}|AIza[\w-]{30,}|ya29\.[\w-]{8,}|eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?|npm_\w{20,}|hf_\w{20,}|pypi-[\w-]{20,}|SG\.[\w-]{8,}\.[\w-]{8,})/g;
/** Of our own tokens the first half is enough, and no name such as `plt_show_the_figure`. */
const ownTokens = /plt_(?=[a-z_-]{0,40}[A-Z\d])[\w-]{20,}/g;
/** Of the shapes. */
const beginnings =
  /\b(?:[spr]k[-_]|g(?:h[pousr]_|ithub_pat_|lpat-)|xox|A(?:[KS]IA|Iza)|ya29|eyJ|npm_|hf_|pypi-|SG\.)/;

// A JSON value with every string masked, and without the values under names of secrets.

export interface JsonMasks {
  /** Applied to every string and every member name. */
  text(text: string): string;
  /** Replaces a string under the name of a secret. @default `***` */
  stand?(value: string): string;
}

/** @throws RangeError when it is nested too deeply */
export function maskedJson(value: Json, masks: JsonMasks): Json {
  return maskIn(value, '', false, masks);
}

/** The value with all its strings changed, except member names. @throws RangeError when it is nested too deeply */
export function withTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (isJsonArray(value)) return value.map((item) => withTexts(item, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withTexts(inner, change)]));
}

function maskIn(value: Json, name: string, isSecret: boolean, masks: JsonMasks): Json {
  if (typeof value === 'string') {
    if ((isSecret || isSecretKey(name)) && !isHarmless(value)) return masks.stand?.(value) ?? MASK;
    return masks.text(value);
  }
  if (typeof value === 'number') return maskedNumber(value, name, isSecret, masks);
  // The items of a list count under the name of the list.
  if (isJsonArray(value)) return value.map((item) => maskIn(item, name, isSecret, masks));
  if (!isJsonObject(value)) return value;
  const isInside = isSecret || (isSecretKey(name) && !isSchema(value));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [masks.text(key), maskIn(inner, key, isInside, masks)]),
  );
}

function maskedNumber(value: number, name: string, isWithin: boolean, masks: JsonMasks): Json {
  const text = String(value);
  if (isSecretNumber(name, value, isWithin || isSecretKey(name))) return masks.stand?.(text) ?? MASK;
  // It may be known as a string.
  return masks.text(text) === text ? value : MASK;
}

/** Entries of a map have a `key` that is not a secret. */
function isSecretKey(name: string): boolean {
  return isSecretName(name) && name !== 'key';
}

/** The schema of a parameter "password" is not a password. */
function isSchema(value: JsonObject): boolean {
  return ['type', '$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'description'].some((key) =>
    Object.hasOwn(value, key),
  );
}
