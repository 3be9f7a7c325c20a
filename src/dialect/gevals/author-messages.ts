// What an extension sends: its manifest, results of operations and logs, each cut down to fit one line.
import { defined, isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { ErrorCode } from '../../base/error.ts';
import { textOf } from '../../base/text.ts';
import { RpcError } from '../../channel/message/rpc-error.ts';
import type { Manifest } from '../../definition/manifest.ts';
import type { Answer, AnswerContent, CallFailure } from '../../definition/outcome.ts';
import type { LogEntry, Tool } from '../../definition/tool.ts';
import { detailsOf, failureToJson, reasonGiven, withSuggestions } from '../failure.ts';
import type { Notification } from '../sender.ts';
import { howToGoOn } from '../talk-tool.ts';
import { wireCodeOf } from './codes.ts';
import { firstFitting, roomFor, shortened, textRooms } from './line-limit.ts';
import { OWN_FIELD, PROTOCOL_VERSION } from './schema.ts';

/** The result of `execute`. */
export type ExecuteResult = {
  readonly success: boolean;
  readonly message?: string;
  readonly error?: string;
  readonly outputs?: Readonly<Record<string, string>>;
  readonly [OWN_FIELD]?: JsonObject;
};

/** Failures that are errors of the protocol. All others are results, with `success` false. */
const protocolErrors: ReadonlySet<ErrorCode> = new Set([
  'UNKNOWN_TOOL',
  'INVALID_ARGUMENTS',
  'INTERNAL',
  'TIMEOUT',
  'REQUIREMENT_MISSING',
]);

/**
 * @param say the operation that takes what the user says next; without it a kept session is not mentioned
 * @throws RpcError for failures that are not results
 */
export function resultOf(
  operation: string,
  answer: Answer,
  room: number,
  say: string | undefined,
): ExecuteResult {
  if (!answer.ok && protocolErrors.has(answer.error.code)) {
    const isUnknown = answer.error.code === 'UNKNOWN_TOOL';
    const message = isUnknown ? `Unknown operation: ${operation}` : answer.error.message;
    throw protocolError(answer, { ...answer.error, message }, room);
  }
  const full: ExecuteResult = {
    success: answer.ok,
    ...messageOf(answer, say),
    ...(!answer.ok && { error: withSuggestions(answer.error) }),
    ...outputsOf(answer),
    ...ownResult(answer, say, failureToJson),
  };
  const brief = { ...full, ...ownResult(answer, say, ({ code }) => ({ code })) };
  return firstFitting(resultForms(full, brief), room) ?? full;
}

function isKept({ keepSession }: AnswerContent, say: string | undefined): say is string {
  return keepSession === true && say !== undefined;
}

/** For a host of pluglot: how it failed, and that the session is kept. */
function ownResult(
  answer: Answer,
  say: string | undefined,
  write: (failure: CallFailure) => JsonObject,
): JsonObject {
  return ownField({
    ...(isKept(answer, say) && { keep_session: true }),
    ...(!answer.ok && !isPlain(answer.error) && { failure: write(answer.error) }),
  });
}

/** To be spread into an object of the wire; nothing when it is empty. */
function ownField(fields: JsonObject): JsonObject {
  return Object.keys(fields).length === 0 ? {} : { [OWN_FIELD]: fields };
}

/** The message says it all. */
function isPlain(failure: CallFailure): boolean {
  return failure.code === 'TOOL_FAILED' && detailsOf(failure) === undefined;
}

/** Read by people, and by the model that chooses the next step. */
function messageOf(answer: AnswerContent, say: string | undefined): Pick<ExecuteResult, 'message'> {
  const { text } = answer;
  if (!isKept(answer, say)) return defined({ message: text });
  return { message: [...(text === undefined ? [] : [text]), howToGoOn(say)].join('\n') };
}

/** Outputs are strings: the values of an object one by one, anything else as `data`. */
function outputsOf({ data, outputs }: AnswerContent): Pick<ExecuteResult, 'outputs'> {
  if (data === undefined && outputs === undefined) return {};
  const values: JsonObject = data === undefined ? {} : isJsonObject(data) ? data : { data };
  // fromEntries defines what it is given, also under names such as __proto__.
  const texts = Object.entries(values).map(([name, value]) => [name, textOf(value)] as const);
  return { outputs: Object.fromEntries([...texts, ...Object.entries(outputs ?? {})]) };
}

function* resultForms(full: ExecuteResult, brief: ExecuteResult): Generator<ExecuteResult> {
  yield full;
  for (const room of textRooms) yield shorter(brief, room);
  // It is their number then, not their length.
  const { outputs, ...rest } = shorter(brief, 300);
  const count = Object.keys(outputs ?? {}).length;
  const note = `${count} outputs were too many for one line and are left out.`;
  yield { ...rest, message: rest.message === undefined ? note : `${rest.message} ${note}` };
}

function shorter(result: ExecuteResult, room: number): ExecuteResult {
  const { message, error, outputs } = result;
  return {
    ...result,
    ...(message !== undefined && { message: shortened(message, room) }),
    ...(error !== undefined && { error: shortened(error, room) }),
    ...(outputs !== undefined && {
      outputs: Object.fromEntries(
        Object.entries(outputs).map(([name, text]) => [name, shortened(text, room)]),
      ),
    }),
  };
}

/** Its data has the content of the answer before the failure too, where that fits. */
function protocolError(content: AnswerContent, failure: CallFailure, room: number): RpcError {
  const code = wireCodeOf(failure.code);
  const message = reasonGiven(failure.message);
  const { text, outputs, keepSession } = content;
  const known: JsonObject = {
    ...detailsOf(failure),
    ...defined({ text, outputs }),
    ...(keepSession === true && { keep_session: true }),
  };
  const full = { code, message, data: Object.keys(known).length === 0 ? undefined : known };
  const fitting = firstFitting<{ data?: Json | undefined }>([full, { ...full, data: undefined }], room);
  return new RpcError(code, message, fitting?.data);
}

/** Descriptions are left out first where it does not fit, then the schemas of arguments. */
export function ownManifest(manifest: Manifest, room: number): JsonObject {
  return firstFitting(manifestForms(manifest), room) ?? {};
}

function* manifestForms(manifest: Manifest): Generator<JsonObject> {
  yield manifestWith(manifest, (tool) => ({
    ...defined({ description: tool.description }),
    params: paramsOf(tool),
  }));
  yield manifestWith(manifest, (tool) => ({
    ...defined({ description: tool.description }),
    params: undescribed(paramsOf(tool)),
  }));
  yield manifestWith(manifest, (tool) => ({ params: undescribed(paramsOf(tool)) }));
  yield manifestWith(manifest, () => ({ params: { type: 'object' } }));
}

function manifestWith(manifest: Manifest, operationOf: (tool: Tool) => JsonObject): JsonObject {
  const { name, version, description, requires = [], tools } = manifest;
  return {
    name,
    version,
    protocolVersion: PROTOCOL_VERSION,
    ...defined({ description }),
    ...(requires.length > 0 && { requires: requires.map(({ command }) => ({ command })) }),
    operations: Object.fromEntries(
      tools.map((tool) => [
        tool.name,
        { ...operationOf(tool), ...ownField(tool.facet === 'talk' ? { facet: tool.facet } : {}) },
      ]),
    ),
  };
}

/** The specification wants an object, also where any arguments are taken. */
function paramsOf({ inputSchema }: Tool): JsonObject {
  return isJsonObject(inputSchema) ? inputSchema : { type: 'object' };
}

function undescribed(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword, value]) => keyword !== 'description' || typeof value !== 'string')
      .map(([keyword, value]) => [keyword, undescribedIn(value)]),
  );
}

function undescribedIn(value: Json): Json {
  if (isJsonArray(value)) return value.map(undescribedIn);
  return isJsonObject(value) ? undescribed(value) : value;
}

export function logNotification(entry: LogEntry): Notification {
  return { method: 'log', params: firstFitting(logForms(entry), roomFor()) };
}

function* logForms({ level, message, data }: LogEntry): Generator<Json> {
  // Data is an object on the wire.
  const extra = data === undefined ? {} : { data: isJsonObject(data) ? data : { value: data } };
  yield { level, message, ...extra };
  yield { level, message: shortened(message, 30_000), ...extra };
  for (const room of textRooms) yield { level, message: shortened(message, room) };
}
