// Two values are equal when their canonical texts are: with the keys of objects in order.
import { isJsonArray, type Json } from '../../base/json.ts';
import type { Run } from './run.ts';

/** @throws GivenUp when it is too deep or too large */
export function canonical(value: Json, run: Run): string {
  if (typeof value !== 'object' || value === null) {
    run.work(1);
    // There is one zero in JSON.
    return value === 0 ? '0' : JSON.stringify(value);
  }
  run.enter();
  const text = isJsonArray(value)
    ? `[${value.map((item) => canonical(item, run)).join(',')}]`
    : `{${Object.keys(value)
        .toSorted()
        .map((name) => `${JSON.stringify(name)}:${canonical(value[name] ?? null, run)}`)
        .join(',')}}`;
  run.leave();
  return text;
}
