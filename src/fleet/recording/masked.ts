// A message as it may be kept: without what looks like a secret, and without the values that are known to be one.
import type { Json } from '../../base/json.ts';
import { maskedJson } from '../../base/masked-json.ts';
import { maskedText } from '../../base/masked-text.ts';
import { MASK } from '../../base/secret-shapes.ts';
import type { Secrets } from '../../base/secrets.ts';

export type Mask = (message: Json) => Json;

/** By what looks like a secret alone. Whatever is masked looks the same. */
export function masked(message: Json): Json {
  return maskedJson(message, { text: maskedText });
}

/**
 * Of a whole conversation: what stood under a name of secrets becomes `***1`, `***2` …, the same value always the same, so that whoever
 * plays it again can still tell what belongs together.
 */
export function maskerOf(secrets: Pick<Secrets, 'mask'> = { mask: maskedText }): Mask {
  const numbers = new Map<string, number>();
  const stand = (value: string) => {
    // What was masked before is no secret.
    if (STAND_IN.test(value)) return value;
    const number = numbers.get(value) ?? numbers.size + 1;
    if (numbers.size < NUMBERS_MAX) numbers.set(value, number);
    return `${MASK}${number}`;
  };
  return (message) => maskedJson(message, { text: (text) => secrets.mask(text), stand });
}

/** Whether nobody can tell any more what stood there. */
export function isMasked(value: Json): boolean {
  return typeof value === 'string' && STAND_IN.test(value);
}

const STAND_IN = /^\*\*\*\d{0,9}$/;
const NUMBERS_MAX = 100_000;
