// How a tool failed, beyond what MCP has words for: servers of ours tell it in the _meta of a result, and our host reads it there.
import type { ErrorCode } from '../../base/error.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { CallFailure } from '../../definition/outcome.ts';
import { detailsIn, detailsOf } from '../failure.ts';

const KEY = 'pluglot/failure';

export function failureMeta(failure: CallFailure): JsonObject {
  const { code, message } = failure;
  return { [KEY]: { code, message, ...detailsOf(failure) } };
}

/** Undefined when it is not there, or not as it should be. */
export function readFailureMeta(meta: unknown): CallFailure | undefined {
  const told = isJsonObject(meta) ? meta[KEY] : undefined;
  if (!isJsonObject(told)) return undefined;
  const { message } = told;
  const code = codesOfTools.find((known) => known === told['code']);
  if (code === undefined || typeof message !== 'string') return undefined;
  return { code, message, ...detailsIn(told) };
}

/** What a tool can say of itself. What becomes of processes and pipes is known here, and nobody else's to tell. */
const codesOfTools: readonly ErrorCode[] = [
  'INTERNAL',
  'INVALID_ARGUMENTS',
  'NOT_INITIALIZED',
  'RATE_LIMITED',
  'REQUIREMENT_MISSING',
  'TIMEOUT',
  'TOOL_FAILED',
  'UNAUTHENTICATED',
  'UNAVAILABLE',
  'UNSUPPORTED',
];
