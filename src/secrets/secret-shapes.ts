// What looks like a secret: the names of such values and their shapes. A guess that prefers one too many.

export const MASK = '***';

/** Words inside the names of secrets, also in command lines. Any case. */
export const SECRET_WORDS =
  'token|secret|passw|passphrase|passcode|credential|api[-_]?key|access[-_]?key|private[-_]?key';
/** `DB_PASS`, `smtpPass`, but not `bypass`. */
export const PASS_AT_END = '(?<!by|com|sur|tres|over|under)pass$';

const secretName = new RegExp(
  `${SECRET_WORDS}|${PASS_AT_END}|pwd|auth(?!ors?([-_]|$))|cookie|session|dsn|bearer|private|connection[-_]?string|(^|[-_])(key|pat)$`,
  'i',
);
/** Counts, durations, expiry times and progress tokens. */
const plainNumberName =
  /tokens|progress[-_]?token$|expir|(?:count|limit|size|length|timeout|seconds|[-_]?ms)$/i;

/** Prefixes of the keys of known services, a URL with a password, or something long and random. */
const secretValue =
  /^(sk|pk|rk)[-_]|^gh[pousr]_|^github_pat_|^glpat-|^xox[abeprs]-|^A[KS]IA|^AIza|^ya29\.|^eyJ[\w-]+\.|^npm_|^plt_|^hf_|^pypi-|^SG\.|:\/\/[^/\s:@]*:[^/\s@]+@|^(?=.*\d)(?=.*[A-Za-z])\w[\w+/=-]{31,}$/;

/** Whether the value is a secret, by its name or shape; references such as `${env:X}` are not. */
export function isSecret(name: string, value: string): boolean {
  const literal = literalOf(value);
  return literal !== '' && (secretValue.test(literal) || (isSecretName(name) && !isPlain(literal)));
}

/** A name that is too long is not searched: its value counts as a secret. */
export function isSecretName(name: string): boolean {
  return name.length > NAME_MAX || secretName.test(name);
}

const NAME_MAX = 1024;

/** Whether a number is a secret. `isNamed`: its name, or that of a parent, is the name of a secret. */
export function isSecretNumber(name: string, value: number, isNamed: boolean): boolean {
  return isNamed && !plainNumberName.test(name) && !isHarmless(String(value));
}

/** Harmless under any name: no literal value, or a common word or small number. */
export function isHarmless(value: string): boolean {
  const literal = literalOf(value);
  return literal === '' || isPlain(literal);
}

/** The value without its references. */
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

// `${…}` in text, in linear time.

/** As `replaceAll`, for expressions that end with a brace. After the last brace nothing can match, and each try would scan to the end. */
export function replaceReferencesIn(
  text: string,
  expression: RegExp,
  replace: (whole: string, ...groups: string[]) => string,
): string {
  const end = text.lastIndexOf('}') + 1;
  return text.slice(0, end).replaceAll(expression, replace) + text.slice(end);
}

// Which values are secret: those of variables with the name of a secret, and those that configuration refers to. Values that occur in
// ordinary text are not: masking them would hide everything else.

/** For an environment that was not chosen for a plugin. */
export function secretValues(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value = '']) =>
    isSecretName(name) && !PLACES.test(name) && value.length >= ENVIRONMENT_MIN && !isHarmless(value)
      ? [value]
      : [],
  );
}

/**
 * For a value that configuration refers to, which usually is a secret. `isNamed`: it has the name of one. Otherwise words of up to eight
 * letters, numbers of up to nine digits and URLs without a path are not secrets.
 */
export function isSecretValue(value: string, isNamed: boolean): boolean {
  if (value.length < REFERRED_MIN || isHarmless(value)) return false;
  return isNamed || !PLAIN.test(value);
}

/** Variables with such names that hold ordinary paths and URLs. */
const PLACES =
  /^(?:OLD)?PWD$|SESSION_(?:ID|TYPE|CLASS|DESKTOP|MANAGER|BUS)|_SESSION$|^GDMSESSION$|^SSH_AUTH_SOCK$|^XAUTHORITY$/;
const PLAIN =
  /^(?:[A-Za-z]{1,8}|[\d.,:-]{1,9}|(?:[a-z][a-z+.-]*:\/\/)?[\w.-]+:\d{1,5}\/?|[a-z][a-z+.-]*:\/\/[\w.-]+\/?)$/;

/** Shorter values occur in any text. */
const ENVIRONMENT_MIN = 8;
const REFERRED_MIN = 6;
