// What our ends tell each other where their dialect has no words for it: in one member of an object that is on the wire anyway. Others pass over it.
import { isJsonObject, type JsonObject } from '../base/json.ts';

const NAME = 'pluglot';

/** To be spread into that object; nothing when there is nothing to tell. */
export function ourWords(told: JsonObject): JsonObject {
  return Object.keys(told).length === 0 ? {} : { [NAME]: told };
}

/** Anybody may have written it: whoever reads it looks at each word. */
export function readOurWords(object: unknown): JsonObject {
  const told = isJsonObject(object) ? object[NAME] : undefined;
  return isJsonObject(told) ? told : {};
}
