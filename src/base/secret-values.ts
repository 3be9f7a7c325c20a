// Which values nobody may see: those of variables whose names say so, and those that configuration refers to. What stands in every other
// text is none: to mask it would hide everything else.
import { isHarmless, isSecretName } from './secret-shapes.ts';

/** Of an environment that nobody has chosen for anything. */
export function secretValues(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value = '']) =>
    isSecretName(name) && !PLACES.test(name) && value.length >= ENVIRONMENT_MIN && !isHarmless(value)
      ? [value]
      : [],
  );
}

/**
 * Of what somebody refers to, which is a secret more often than not. `isNamed`: a name beside it says so. Else words of up to eight
 * letters, numbers of up to nine digits and addresses without a path are taken for what they are.
 */
export function isSecretValue(value: string, isNamed: boolean): boolean {
  if (value.length < REFERRED_MIN || isHarmless(value)) return false;
  return isNamed || !PLAIN.test(value);
}

/** Their names look like it, and they hold paths and addresses that stand in every other word. */
const PLACES =
  /^(?:OLD)?PWD$|SESSION_(?:ID|TYPE|CLASS|DESKTOP|MANAGER|BUS)|_SESSION$|^GDMSESSION$|^SSH_AUTH_SOCK$|^XAUTHORITY$/;
const PLAIN =
  /^(?:[A-Za-z]{1,8}|[\d.,:-]{1,9}|(?:[a-z][a-z+.-]*:\/\/)?[\w.-]+:\d{1,5}\/?|[a-z][a-z+.-]*:\/\/[\w.-]+\/?)$/;

/** Shorter ones are words that stand everywhere. */
const ENVIRONMENT_MIN = 8;
const REFERRED_MIN = 6;
