// Values of an environment that nobody may see: those of variables whose names say so.
import { isHarmless, isSecretName } from './secret-shapes.ts';

export function secretValues(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value = '']) =>
    isSecretName(name) && !PLACES.test(name) && value.length >= SECRET_MIN && !isHarmless(value)
      ? [value]
      : [],
  );
}

/** Their names look like it, and they hold paths and addresses that stand in every other word. */
const PLACES =
  /^(?:OLD)?PWD$|SESSION_(?:ID|TYPE|CLASS|DESKTOP|MANAGER|BUS)|_SESSION$|^SSH_AUTH_SOCK$|^XAUTHORITY$/;

/** Shorter ones are words that stand everywhere. */
const SECRET_MIN = 8;
