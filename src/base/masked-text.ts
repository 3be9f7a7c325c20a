// What looks like a secret inside of a text: shapes that services give their keys, and what stands behind names such as `password=`. A guess.
import { maskedCommands } from './masked-command.ts';
import { MASK } from './secret-shapes.ts';

/** In linear time, whatever the text is. A look for each kind comes first, since most texts have none. */
export function maskedText(text: string): string {
  if (text.length < 8) return text;
  let result = text;
  if (text.includes('-----BEGIN')) result = result.replace(privateKey, MASK);
  if (text.includes('://')) result = result.replace(password, `://${MASK}@`);
  result = maskedCommands(result);
  if (namesHint.test(text.toLowerCase()))
    result = result.replace(named, maskedValue).replace(scheme, `$1 ${MASK}`);
  return beginnings.test(text) ? result.replace(shapes, MASK) : result;
}

/**
 * Whether a text of JSON, as JSON.stringify writes it, may have something in it that looks like a secret, by a name or by its shape. A no
 * is certain, and far cheaper than to look at every value.
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

/** A number that tells whose progress it is has such a name, and is in every other message. */
function hasToken(lower: string): boolean {
  for (let at = lower.indexOf('token'); at !== -1; at = lower.indexOf('token', at + 1)) {
    const isNumber = lower.startsWith('":', at + 5) && /\d/.test(lower.charAt(at + 7));
    if (!isNumber || !lower.endsWith('progress', at)) return true;
  }
  return false;
}

/** In a command line, what runs another command is no secret, and has to be seen. How many tokens a model took is none either. */
function maskedValue(whole: string, name: string, between: string, value: string): string {
  const isWord = between === '=' || /^\s+$/.test(between);
  const runs = isWord && /\$\(|`/.test(value);
  const isCount = /tokens$/i.test(name) && /^[\d.]+$/.test(value);
  return runs || isCount || /^(?:true|false|null|undefined|none)$/i.test(value)
    ? whole
    : `${name}${between}${MASK}`;
}

// One of these words is in every text, made small, that something is found in. Expressions of words alone are the quick ones.
const namesHint = /token|secret|passw|passphrase|passcode|pwd|credential|cookie|key|bearer|basic/;
const hintsInJson =
  /secret|passw|passphrase|passcode|pass"|pwd|credential|cookie|bearer|basic|private|key"|pat"|apikey|api_key|api-key|accesskey|access_key|access-key|-----begin|sk-|sk_|pk-|pk_|rk-|rk_|ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|glpat-|xox|akia|asia|aiza|ya29|eyj|npm_|hf_|pypi-|sg\./;
/** Words that say something in names alone: not where the end of the text they stand in is near, and no colon follows it. */
const namesInJson = /(?:auth|session|dsn|connection)(?!(?:[^"\\]|\\.){0,60}"(?!:))/;
/** Also in the quotes of a shell, which say nothing. */
const optionInJson = /-[#A-Za-z"'\\-](?<=(?:[\s"'\\]|\\[fnrt]|\\u[\da-f]{4})..)/;
const variableInJson = /=(?<=[A-Z\d_].)/;

// Each is linear: it begins at something rare or at the beginning of a word, and what may be long has one way to match.
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
/** Of the shapes. */
const beginnings =
  /\b(?:[spr]k[-_]|g(?:h[pousr]_|ithub_pat_|lpat-)|xox|A(?:[KS]IA|Iza)|ya29|eyJ|npm_|hf_|pypi-|SG\.)/;
