// A small JSON Schema validator, so that an author's program loads no other.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { shown } from '../../base/shown.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Checked } from '../definition.ts';

/** Compiled once; the returned function never throws. */
export function validator(schema: JsonObject): (value: unknown) => Checked {
  return (value) => {
    const problems: string[] = [];
    // Whoever checks has read the value from JSON.
    visit(schema, value as Json, '', problems);
    return problems.length === 0 ? { value } : { problems };
  };
}

function visit(schema: Json, value: Json, at: string, problems: string[]): void {
  if (!isJsonObject(schema)) return;
  const { type, enum: allowed, properties, required, additionalProperties, items } = schema;
  if (typeof type === 'string' && !isOf(type, value))
    return void problems.push(`${at || 'it'}: must be of type ${type}, got ${shown(value)}`);
  if (isJsonArray(allowed) && !allowed.includes(value))
    problems.push(`${at || 'it'}: must be one of ${allowed.map((one) => shown(one)).join(', ')}`);
  if (isJsonArray(value) && items !== undefined)
    value.forEach((item, index) => visit(items, item, `${at}[${index}]`, problems));
  if (!isJsonObject(value)) return;
  const known = isJsonObject(properties) ? properties : {};
  for (const name of isJsonArray(required) ? required : [])
    if (typeof name === 'string' && !Object.hasOwn(value, name))
      problems.push(`${join(at, name)}: is required`);
  for (const [name, inner] of Object.entries(value)) {
    const part = Object.hasOwn(known, name) ? known[name] : undefined;
    if (part !== undefined) visit(part, inner, join(at, name), problems);
    else if (additionalProperties === false)
      problems.push(`${join(at, name)}: is not known.${didYouMean(name, Object.keys(known))}`);
  }
}

function isOf(type: string, value: Json): boolean {
  if (type === 'array') return isJsonArray(value);
  if (type === 'object') return isJsonObject(value);
  if (type === 'null') return value === null;
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function join(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`;
}
