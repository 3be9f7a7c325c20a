// Arguments that somebody has changed in what they were shown, where secrets are masked and long texts are cut: what they left as it
// was means what it was.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { jsonText } from '../../base/shown.ts';

/** @throws Error where a text was changed of which a part was not shown */
export function restored(edited: JsonObject, shown: JsonObject, original: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(edited).map(([name, value]) => [
      name,
      restoredAt(value, own(shown, name), own(original, name), name),
    ]),
  );
}

function restoredAt(edited: Json, shown: Json | undefined, original: Json | undefined, path: string): Json {
  if (shown === undefined || original === undefined || jsonText(shown) === jsonText(original)) return edited;
  if (jsonText(edited) === jsonText(shown)) return original;
  if (isJsonArray(edited) && isJsonArray(shown) && isJsonArray(original))
    return edited.map((item, index) => restoredAt(item, shown[index], original[index], `${path}[${index}]`));
  if (isJsonObject(edited) && isJsonObject(shown) && isJsonObject(original))
    return Object.fromEntries(
      Object.entries(edited).map(([name, value]) => [
        name,
        restoredAt(value, own(shown, name), own(original, name), `${path}.${name}`),
      ]),
    );
  if (typeof edited === 'string' && /\*\*\*|… \(/.test(edited))
    throw new Error(`"${path.slice(0, 100)}" was changed, and a part of it was not shown; write it in full`);
  return edited;
}

function own(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
