// Which values are not to be shown: what a schema marks as write-only, or as a password.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';

export function isSecret(schema: Json | undefined): schema is JsonObject {
  return isJsonObject(schema) && (schema['writeOnly'] === true || schema['format'] === 'password');
}
