// The one text that a JSON value has by RFC 8785: what two programs in two languages can sign alike.
import { isJsonArray, type Json } from '../../base/json.ts';

export function canonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value); // numbers and escapes as the RFC has them
  if (isJsonArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([one], [other]) => byCodeUnits(one, other))
    .map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`);
  return `{${members.join(',')}}`;
}

/** As JavaScript compares strings, and the RFC wants it. */
function byCodeUnits(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
