// How an operation ended, in the words of gevals: a result when it was run, an error when it could not be run as it was asked for.
import type { ErrorCode } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { textOf } from '../../base/shown.ts';
import { RpcError } from '../../channel/message/rpc-error.ts';
import type { Answer, AnswerContent, CallFailure } from '../../definition/outcome.ts';
import { detailsOf, failureWords, reasonGiven, withSuggestions } from '../failure.ts';
import { ourWords } from '../our-words.ts';
import { howToGoOn } from '../say-tool.ts';
import { wireCodeOf } from './codes.ts';
import { firstFitting, textRooms } from './fitting.ts';
import { shortened } from './shorten.ts';

export type OperationEnd = {
  readonly success: boolean;
  readonly message?: string;
  readonly error?: string;
  readonly outputs?: Readonly<Record<string, string>>;
  /** For hosts of ours. */
  readonly pluglot?: JsonObject;
};

/** What the operation itself found wrong is a result; these are not of its making. */
const protocolErrors: ReadonlySet<ErrorCode> = new Set([
  'UNKNOWN_TOOL',
  'INVALID_ARGUMENTS',
  'INTERNAL',
  'TIMEOUT',
  'REQUIREMENT_MISSING',
]);

/**
 * @param say the operation that takes what the user says next; without it nobody is told that a session is kept
 * @throws RpcError when it is no result
 */
export function operationEnd(
  operation: string,
  answer: Answer,
  room: number,
  say: string | undefined,
): OperationEnd {
  if (!answer.ok && protocolErrors.has(answer.error.code)) {
    const isUnknown = answer.error.code === 'UNKNOWN_TOOL';
    const message = isUnknown ? `Unknown operation: ${operation}` : answer.error.message;
    throw protocolError(answer, { ...answer.error, message }, room);
  }
  const error = answer.ok ? undefined : withSuggestions(answer.error);
  const full: OperationEnd = {
    success: answer.ok,
    ...messageOf(answer, say),
    ...(error === undefined ? {} : { error }),
    ...outputsOf(answer),
    ...forOurs(answer, say, failureWords),
  };
  const brief = { ...full, ...forOurs(answer, say, ({ code }) => ({ code })) };
  return firstFitting(forms(full, brief), room) ?? full;
}

function isKept({ keepSession }: AnswerContent, say: string | undefined): say is string {
  return keepSession === true && say !== undefined;
}

/** A host of ours hears how it failed and that the session is kept, as in every other dialect. */
function forOurs(
  answer: Answer,
  say: string | undefined,
  inWords: (failure: CallFailure) => JsonObject,
): JsonObject {
  return ourWords({
    ...(isKept(answer, say) ? { keep_session: true } : {}),
    ...(answer.ok || isPlain(answer.error) ? {} : { failure: inWords(answer.error) }),
  });
}

/** The message says it all. */
function isPlain(failure: CallFailure): boolean {
  return failure.code === 'TOOL_FAILED' && detailsOf(failure) === undefined;
}

/** People read it, and so does whoever chooses the next step. */
function messageOf(answer: AnswerContent, say: string | undefined): Pick<OperationEnd, 'message'> {
  const { text } = answer;
  if (!isKept(answer, say)) return text === undefined ? {} : { message: text };
  return { message: [...(text === undefined ? [] : [text]), howToGoOn(say)].join('\n') };
}

/** Outputs are strings: the values of an object one by one, anything else as `data`. */
function outputsOf({ data, outputs }: AnswerContent): Pick<OperationEnd, 'outputs'> {
  if (data === undefined && outputs === undefined) return {};
  const values: JsonObject = data === undefined ? {} : isJsonObject(data) ? data : { data };
  // fromEntries defines what it is given, also under names such as __proto__.
  const texts = Object.entries(values).map(([name, value]) => [name, textOf(value)] as const);
  return { outputs: Object.fromEntries([...texts, ...Object.entries(outputs ?? {})]) };
}

function* forms(full: OperationEnd, brief: OperationEnd): Generator<OperationEnd> {
  yield full;
  for (const room of textRooms) yield shorter(brief, room);
  // It is their number then, not their length.
  const { outputs, ...rest } = shorter(brief, 300);
  const count = Object.keys(outputs ?? {}).length;
  const note = `${count} outputs were too many for one line and are left out.`;
  yield { ...rest, message: rest.message === undefined ? note : `${rest.message} ${note}` };
}

function shorter(end: OperationEnd, room: number): OperationEnd {
  const { message, error, outputs } = end;
  return {
    ...end,
    ...(message === undefined ? {} : { message: shortened(message, room) }),
    ...(error === undefined ? {} : { error: shortened(error, room) }),
    ...(outputs === undefined
      ? {}
      : {
          outputs: Object.fromEntries(
            Object.entries(outputs).map(([name, text]) => [name, shortened(text, room)]),
          ),
        }),
  };
}

function protocolError(content: AnswerContent, failure: CallFailure, room: number): RpcError {
  const code = wireCodeOf(failure.code);
  const message = reasonGiven(failure.message);
  // What was said before the failure is kept.
  const { text, outputs, keepSession } = content;
  const said = {
    ...(text === undefined ? {} : { text }),
    ...(outputs === undefined ? {} : { outputs }),
    ...(keepSession === true ? { keep_session: true } : {}),
  };
  const known = { ...detailsOf(failure), ...said };
  const full = { code, message, data: Object.keys(known).length === 0 ? undefined : known };
  const { data } =
    firstFitting<{ data?: Json | undefined }>([full, { ...full, data: undefined }], room) ?? {};
  return new RpcError(code, message, data);
}
