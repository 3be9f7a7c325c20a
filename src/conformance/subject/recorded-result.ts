// What the recorded call was answered with, in the dialects whose calls end with a response.
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { shown } from '../../base/shown.ts';
import { Unmet } from '../check.ts';
import type { Subject } from './subject.ts';

/** @throws Unmet when there is no result, or none that is an object */
export async function recordedResult(subject: Subject): Promise<JsonObject> {
  const { call } = await subject.session();
  if (call.end === undefined) throw new Unmet(call.problem ?? 'The call never ended.');
  const { result } = call.end.message;
  if (isJsonObject(result)) return result;
  throw new Unmet(`Expected a result of "${call.probe.tool}"; it answered ${shown(call.end.message, 200)}`);
}
