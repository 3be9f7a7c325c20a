// A message as it may be kept: without what looks like a secret, and without the values that are known to be one.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { exactSecrets, maskedText } from '../../base/masked-text.ts';
import { isHarmless, isSecretName, MASK } from '../../base/secret-shapes.ts';

export type Mask = (message: Json) => Json;

/** `secrets` are values that must not be seen, wherever they stand. Whatever is masked looks the same. */
export function masked(message: Json, secrets: readonly string[] = []): Json {
  return maskIn(message, '', false, { exact: exactSecrets(secrets), stand: () => MASK });
}

/**
 * Of a whole conversation: what stood under a name of secrets becomes `***1`, `***2` …, the same value always the same, so that whoever
 * plays it again can still tell what belongs together.
 */
export function maskerOf(secrets: () => readonly string[] = () => []): Mask {
  const numbers = new Map<string, number>();
  let known: readonly string[] = [];
  let exact: RegExp | undefined;
  const stand = (value: string) => {
    // What was masked before is no secret.
    if (STAND_IN.test(value)) return value;
    const number = numbers.get(value) ?? numbers.size + 1;
    if (numbers.size < NUMBERS_MAX) numbers.set(value, number);
    return `${MASK}${number}`;
  };
  return (message) => {
    const now = secrets();
    if (now !== known) {
      known = now;
      exact = exactSecrets(now);
    }
    return maskIn(message, '', false, { exact, stand });
  };
}

/** Whether nobody can tell any more what stood there. */
export function isMasked(value: Json): boolean {
  return typeof value === 'string' && STAND_IN.test(value);
}

const STAND_IN = /^\*\*\*\d{0,9}$/;
const NUMBERS_MAX = 100_000;

interface Masking {
  readonly exact: RegExp | undefined;
  readonly stand: (value: string) => string;
}

function maskIn(value: Json, name: string, isSecret: boolean, masking: Masking): Json {
  if (typeof value === 'string') {
    if ((isSecret || isSecretKey(name)) && !isHarmless(value)) return masking.stand(value);
    return maskedText(value, masking.exact);
  }
  // A list under a name is a list of such things.
  if (isJsonArray(value)) return value.map((item) => maskIn(item, name, isSecret, masking));
  if (!isJsonObject(value)) return value;
  const isInside = isSecret || (isSecretKey(name) && !isSchema(value));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      maskedText(key, masking.exact),
      maskIn(inner, key, isInside, masking),
    ]),
  );
}

/** Things that are looked up have a key too, and are asked for by it. */
function isSecretKey(name: string): boolean {
  return isSecretName(name) && name !== 'key';
}

/** That a tool takes a password says nothing of the password. */
function isSchema(value: JsonObject): boolean {
  return ['type', '$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'description'].some((key) =>
    Object.hasOwn(value, key),
  );
}
