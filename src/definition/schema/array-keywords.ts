// Keywords about arrays, of all drafts: `items` is one schema for all items, or, until 2019-09, a list with one for each.
import { isJsonArray, type Json } from '../../base/json.ts';
import { canonical } from './canonical.ts';
import type { Check, Compile, Keyword } from './keyword.ts';
import { atLeast, atMost, itemCount, limitKeyword } from './limit-keyword.ts';

export const arrayKeywords: Readonly<Record<string, Keyword>> = {
  prefixItems: (schemas, _, compile) => (isJsonArray(schemas) ? firstItems(schemas, compile) : undefined),
  items: (items, schema, compile) => {
    if (isJsonArray(items)) return firstItems(items, compile);
    const { prefixItems } = schema;
    return itemsFrom(isJsonArray(prefixItems) ? prefixItems.length : 0, compile(items));
  },
  additionalItems: (rest, { items }, compile) =>
    isJsonArray(items) ? itemsFrom(items.length, compile(rest)) : undefined,
  minItems: (least) => limitKeyword(least, atLeast, itemCount),
  maxItems: (most) => limitKeyword(most, atMost, itemCount),
  uniqueItems: (isUnique) => (isUnique === true ? unique : undefined),
  contains: (schema, { minContains: least, maxContains: most }, compile) =>
    containing(
      compile(schema),
      typeof least === 'number' ? least : 1,
      typeof most === 'number' ? most : Infinity,
    ),
};

function firstItems(schemas: readonly Json[], compile: Compile): Check {
  const checks = schemas.map((schema) => compile(schema));
  return (value, place, run) => {
    if (!isJsonArray(value)) return true;
    let fits = true;
    for (const [index, check] of checks.entries()) {
      const item = value[index];
      if (item === undefined) break;
      if (!check(item, { parent: place, key: index }, run)) fits = false;
    }
    return fits;
  };
}

function itemsFrom(first: number, check: Check): Check {
  return (value, place, run) => {
    if (!isJsonArray(value)) return true;
    let fits = true;
    for (let index = first; index < value.length; index++) {
      if (check(value[index] ?? null, { parent: place, key: index }, run)) continue;
      fits = false;
      if (run.isQuiet) break;
    }
    return fits;
  };
}

const unique: Check = (value, place, run) => {
  if (!isJsonArray(value)) return true;
  const seen = new Map<string, number>();
  for (const [index, item] of value.entries()) {
    const text = canonical(item, run);
    const first = seen.get(text);
    if (first !== undefined)
      return run.wrong(place, () => `must not have the same item twice, as at [${first}] and [${index}]`);
    seen.set(text, index);
  }
  return true;
};

function containing(check: Check, least: number, most: number): Check {
  return (value, place, run) => {
    if (!isJsonArray(value)) return true;
    const count = value.filter((item) => run.quietly(() => check(item, undefined, run))).length;
    if (count < least)
      return run.wrong(place, () => `must have at least ${least} items of a certain form; has ${count}`);
    return (
      count <= most ||
      run.wrong(place, () => `must have at most ${most} items of a certain form; has ${count}`)
    );
  };
}
