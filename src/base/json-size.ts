// About how much memory a value from the wire holds on to, however deep it is.
import type { Json } from './json.ts';

/** What a value costs beside its characters. */
const NODE_COST = 8;

/** In characters. Walks without recursion: JSON.stringify fails at a depth that JSON.parse does not mind. */
export function jsonSize(value: Json): number {
  let size = 0;
  const left: Json[] = [value];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    size += NODE_COST;
    if (typeof next === 'string') size += next.length;
    if (typeof next !== 'object' || next === null) continue;
    for (const [key, inner] of Object.entries(next)) {
      size += Array.isArray(next) ? 0 : key.length;
      left.push(inner);
    }
  }
  return size;
}
