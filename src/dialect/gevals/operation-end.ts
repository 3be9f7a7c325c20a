// How an operation ended, in the words of gevals: a result when it was run, an error when it could not be run as it was asked for.
import type { ErrorCode } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { textOf } from '../../base/shown.ts';
import { RpcError } from '../../channel/message/rpc-error.ts';
import type { Answer, AnswerContent, CallFailure } from '../../definition/outcome.ts';
import { detailsOf, reasonGiven, withSuggestions } from '../failure.ts';
import { wireCodeOf } from './codes.ts';
import { firstFitting, textRooms } from './fitting.ts';
import { shortened } from './shorten.ts';

export type OperationEnd = {
  readonly success: boolean;
  readonly message?: string;
  readonly error?: string;
  readonly outputs?: Readonly<Record<string, string>>;
};

/** What the operation itself found wrong is a result; these are not of its making. */
const protocolErrors: ReadonlySet<ErrorCode> = new Set([
  'UNKNOWN_TOOL',
  'INVALID_ARGUMENTS',
  'INTERNAL',
  'TIMEOUT',
  'REQUIREMENT_MISSING',
]);

/** @throws RpcError when it is no result */
export function operationEnd(operation: string, answer: Answer, room: number): OperationEnd {
  if (!answer.ok && protocolErrors.has(answer.error.code)) {
    const isUnknown = answer.error.code === 'UNKNOWN_TOOL';
    const message = isUnknown ? `Unknown operation: ${operation}` : answer.error.message;
    throw protocolError(answer, { ...answer.error, message }, room);
  }
  const error = answer.ok ? undefined : withSuggestions(answer.error);
  const full: OperationEnd = {
    success: answer.ok,
    ...(answer.text === undefined ? {} : { message: answer.text }),
    ...(error === undefined ? {} : { error }),
    ...outputsOf(answer),
  };
  return firstFitting(forms(full), room) ?? full;
}

/** Outputs are strings: the values of an object one by one, anything else as `data`. */
function outputsOf({ data, outputs }: AnswerContent): Pick<OperationEnd, 'outputs'> {
  if (data === undefined && outputs === undefined) return {};
  const values: JsonObject = data === undefined ? {} : isJsonObject(data) ? data : { data };
  // fromEntries defines what it is given, also under names such as __proto__.
  const texts = Object.entries(values).map(([name, value]) => [name, textOf(value)] as const);
  return { outputs: Object.fromEntries([...texts, ...Object.entries(outputs ?? {})]) };
}

function* forms(end: OperationEnd): Generator<OperationEnd> {
  yield end;
  for (const room of textRooms) yield shorter(end, room);
  // It is their number then, not their length.
  const { outputs, ...rest } = shorter(end, 300);
  const count = Object.keys(outputs ?? {}).length;
  const note = `${count} outputs were too many for one line and are left out.`;
  yield { ...rest, message: rest.message === undefined ? note : `${rest.message} ${note}` };
}

function shorter(end: OperationEnd, room: number): OperationEnd {
  const { success, message, error, outputs } = end;
  return {
    success,
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
  const { text, outputs } = content;
  const said = { ...(text === undefined ? {} : { text }), ...(outputs === undefined ? {} : { outputs }) };
  const known = { ...detailsOf(failure), ...said };
  const full = { code, message, data: Object.keys(known).length === 0 ? undefined : known };
  const { data } =
    firstFitting<{ data?: Json | undefined }>([full, { ...full, data: undefined }], room) ?? {};
  return new RpcError(code, message, data);
}
