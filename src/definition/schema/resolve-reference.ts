// Where a `$ref` leads: to a place in the same schema.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { shown } from '../../base/shown.ts';

/** @throws Error when it leads nowhere, or elsewhere */
export function resolveReference(root: JsonObject, reference: string): Json {
  if (reference !== '#' && !reference.startsWith('#/'))
    throw new Error(
      `"$ref" is ${shown(reference)}; only places in the same schema can be referred to, such as "#/$defs/name".`,
    );
  let target: Json | undefined = root;
  for (const step of reference.split('/').slice(1)) target = stepInto(target, unescaped(step));
  if (target === undefined) throw new Error(`"$ref" is ${shown(reference)}, where nothing is.`);
  return target;
}

function stepInto(value: Json | undefined, step: string): Json | undefined {
  if (isJsonArray(value)) return value[Number(step)];
  return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

function unescaped(step: string): string {
  return decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
