// A value inside of a schema, such as a default: copied when it is small, and not at all otherwise.
import { isJsonArray, isJsonObject, type Json } from '../../base/json.ts';

const DEPTH_MAX = 16;
const SIZE_MAX = 20_000;

/** Undefined when it is too deep or too large, or no JSON. */
export function boundedCopy(value: Json): Json | undefined {
  let left = SIZE_MAX;
  const copy = (one: Json, depth: number): Json => {
    left -= typeof one === 'string' ? one.length + 4 : 4;
    if (left < 0 || depth > DEPTH_MAX) throw new TooLarge();
    if (one === null || typeof one === 'string' || typeof one === 'boolean') return one;
    if (typeof one === 'number' && Number.isFinite(one)) return one;
    if (isJsonArray(one)) return one.map((item) => copy(item, depth + 1));
    if (!isJsonObject(one)) throw new TooLarge();
    return Object.fromEntries(
      Object.entries(one).map(([key, inner]) => {
        left -= key.length;
        return [key, copy(inner, depth + 1)];
      }),
    );
  };
  try {
    return copy(value, 0);
  } catch (thrown) {
    if (thrown instanceof TooLarge) return undefined;
    throw thrown;
  }
}

class TooLarge extends Error {}
