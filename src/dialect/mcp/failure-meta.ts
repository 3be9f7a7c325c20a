// How a tool failed, beyond what MCP has words for: servers of ours tell it in the _meta of a result, and our host reads it there.
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { CallFailure } from '../../definition/outcome.ts';
import { failureWords, readFailureWords } from '../failure.ts';

const KEY = 'pluglot/failure';

export function failureMeta(failure: CallFailure): JsonObject {
  return { [KEY]: failureWords(failure) };
}

/** Undefined when it is not there, or not as it should be. */
export function readFailureMeta(meta: unknown): CallFailure | undefined {
  return isJsonObject(meta) ? readFailureWords(meta[KEY]) : undefined;
}
