// What looks like a secret: names that things of that kind are given, and the shapes of values. A guess, and rather one too many.
import { replaceReferencesIn } from './replace-references.ts';

export const MASK = '***';

/** What a name has in it, wherever it stands, also in a command line. In any case. */
export const SECRET_WORDS =
  'token|secret|passw|passphrase|passcode|credential|api[-_]?key|access[-_]?key|private[-_]?key';
/** `DB_PASS`, `smtpPass`, and no bypass. */
export const PASS_AT_END = '(?<!by|com|sur|tres|over|under)pass$';

const secretName = new RegExp(
  `${SECRET_WORDS}|${PASS_AT_END}|pwd|auth(?!ors?([-_]|$))|cookie|session|dsn|bearer|private|connection[-_]?string|(^|[-_])(key|pat)$`,
  'i',
);
/** How many, how long, until when, and whose progress it is. */
const plainNumberName =
  /tokens|progress[-_]?token$|expir|(?:count|limit|size|length|timeout|seconds|[-_]?ms)$/i;

/** Beginnings that services give their keys, an address with a password in it, or something long and random. */
const secretValue =
  /^(sk|pk|rk)[-_]|^gh[pousr]_|^github_pat_|^glpat-|^xox[abeprs]-|^A[KS]IA|^AIza|^ya29\.|^eyJ[\w-]+\.|^npm_|^hf_|^pypi-|^SG\.|:\/\/[^/\s:@]*:[^/\s@]+@|^(?=.*\d)(?=.*[A-Za-z])\w[\w+/=-]{31,}$/;

/** Whether a value under this name is one, by either; references such as `${env:X}` are none. */
export function isSecret(name: string, value: string): boolean {
  const literal = literalOf(value);
  return literal !== '' && (secretValue.test(literal) || (isSecretName(name) && !isPlain(literal)));
}

/** What is too long for a name is not searched: what stands under it is kept from view. */
export function isSecretName(name: string): boolean {
  return name.length > NAME_MAX || secretName.test(name);
}

const NAME_MAX = 1024;

/** Whether a number is one. `isNamed`: this name, or that of what it stands in, is one of secrets. */
export function isSecretNumber(name: string, value: number, isNamed: boolean): boolean {
  return isNamed && !plainNumberName.test(name) && !isHarmless(String(value));
}

/** Says nothing, whatever its name is: no value of its own, or a word or a small number that everybody uses. */
export function isHarmless(value: string): boolean {
  const literal = literalOf(value);
  return literal === '' || isPlain(literal);
}

/** What is left of a value without its references. */
function literalOf(value: string): string {
  return replaceReferencesIn(value, /\$\{[^}]*\}/g, () => '')
    .replace(/^\s*(bearer|basic|token)\b/i, '')
    .trim();
}

function isPlain(value: string): boolean {
  return /^(true|false|\d{1,5}|debug|info|warn|error|production|development|localhost|default|enabled|disabled|undefined)$/i.test(
    value,
  );
}
