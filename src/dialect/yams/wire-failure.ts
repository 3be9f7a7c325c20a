// A failed call as an error of YAMS: its number, and data with the fields that the specification has for the common scenarios.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { RpcError, standardErrors } from '../../channel/message/rpc-error.ts';
import type { FileType } from '../../definition/extraction.ts';
import type { AnswerContent, CallFailure } from '../../definition/outcome.ts';
import { isVague, wireErrorOf } from './codes.ts';
import { supportsParams } from './schema.ts';

/** What was asked when it failed. */
export interface Asked {
  readonly method: string;
  readonly timeoutMs?: number;
  /** For extractions: what was to be extracted, and what could be. */
  readonly type?: FileType;
  readonly formats?: readonly string[];
}

/** What was found before it failed goes along: its text as `content`, its data field by field. */
export function wireFailure(failure: CallFailure, asked: Asked, partial: AnswerContent = {}): RpcError {
  const { code, message } = failure;
  if (code === 'UNKNOWN_TOOL') {
    const { methodNotFound } = standardErrors;
    const { suggestions } = failure;
    return new RpcError(methodNotFound.code, methodNotFound.message, {
      method: asked.method,
      ...(suggestions === undefined ? {} : { suggestions }),
    });
  }
  return new RpcError(wireErrorOf(code).wireCode, message, {
    ...(isJsonObject(partial.data) ? partial.data : {}),
    ...scenario(failure, asked, partial),
    ...fieldsOf(failure.data),
    ...categoryOf(failure),
    ...(failure.recoverable === undefined ? {} : { recoverable: failure.recoverable }),
    ...(failure.suggestions === undefined ? {} : { suggestions: failure.suggestions }),
    ...(partial.text === undefined || partial.text === '' ? {} : { content: partial.text }),
    ...(partial.keepSession === true ? { keep_session: true } : {}),
  });
}

function scenario({ code }: CallFailure, asked: Asked, partial: AnswerContent): JsonObject {
  switch (code) {
    case 'UNSUPPORTED':
      return {
        ...supportsParams(asked.type ?? {}),
        ...(asked.formats === undefined ? {} : { supported_formats: asked.formats }),
      };
    case 'TIMEOUT':
    case 'CALL_TIMEOUT':
      return {
        ...(asked.timeoutMs === undefined ? {} : { timeout_sec: asked.timeoutMs / 1000 }),
        partial_extraction: partial.data !== undefined || (partial.text ?? '') !== '',
      };
    default:
      return {};
  }
}

function fieldsOf(data: Json | undefined): JsonObject {
  if (data === undefined) return {};
  return isJsonObject(data) ? data : { value: data };
}

/** Where the number is vague, the word of the specification has to stand as the reason, and the author's own becomes a detail. */
function categoryOf({ code, reason, details }: CallFailure): JsonObject {
  const known = wireErrorOf(code);
  const isKnown = known.reason !== undefined && isVague(known.wireCode);
  const category = isKnown ? known.reason : (reason ?? known.reason ?? inOneWord(code));
  const more = details ?? (reason === category ? undefined : reason);
  return { reason: category ?? '', ...(more === undefined ? {} : { details: more }) };
}

/** `TOOL_FAILED` is `ToolFailed`, in the manner of the specification's own reasons. */
function inOneWord(code: string): string {
  return code.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
