// Secrets inside of a text: values that are known, shapes that services give their keys, and what stands behind names such as `password=`.
import { maskedCommands } from './masked-command.ts';
import { MASK } from './secret-shapes.ts';

/** `exact` are values that are known to be secret, from `exactSecrets`. In linear time, whatever the text is. */
export function maskedText(text: string, exact?: RegExp): string {
  let result = exact === undefined ? text : text.replace(exact, MASK);
  if (result.length < 8) return result;
  if (result.includes('-----BEGIN')) result = result.replace(privateKey, MASK);
  if (result.includes('://')) result = result.replace(password, `://${MASK}@`);
  return maskedCommands(result)
    .replace(named, maskedValue)
    .replace(scheme, `$1 ${MASK}`)
    .replace(shapes, MASK);
}

/** In a command line, what runs another command is no secret, and has to be seen. */
function maskedValue(whole: string, name: string, between: string, value: string): string {
  const isWord = between === '=' || /^\s+$/.test(between);
  return isWord && /\$\(|`/.test(value) ? whole : `${name}${between}${MASK}`;
}

/** Each as it is, and as it stands in JSON, in an address and in base64. */
export function exactSecrets(secrets: readonly string[]): RegExp | undefined {
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

/** Shorter ones stand in every text. */
const EXACT_MIN = 4;

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
