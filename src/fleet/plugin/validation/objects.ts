// The least that holds for the arguments of every tool.
import { isJsonObject, type JsonObject } from '../../../base/json.ts';
import { Refusal } from './refusal.ts';

export function takeObjects(args: JsonObject): JsonObject | Refusal {
  if (isJsonObject(args)) return args;
  return new Refusal({
    code: 'INVALID_ARGUMENTS',
    message: `The arguments of a tool are an object; got ${Array.isArray(args) ? 'an array' : String(args).slice(0, 50)}.`,
  });
}
