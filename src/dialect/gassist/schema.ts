// The messages of G-Assist V2: what is sent, and readers that give typed values for what comes. Nothing here throws.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { shown, textOf } from '../../base/text.ts';
import type { CallerContext, CallRequest } from '../../definition/outcome.ts';
import type { LogEntry, LogLevel } from '../../definition/tool.ts';
import { fromWire, shape } from '../shape.ts';

/** Official ends take and send no larger bodies. */
export const MESSAGE_BYTES = 10 * 1024 * 1024;

export const PROTOCOL_VERSION = '2.0';

export interface InitializeParams {
  readonly protocol_version: string;
  readonly engine_version: string;
  readonly capabilities: readonly string[];
}

export const initializeParams: InitializeParams = {
  protocol_version: PROTOCOL_VERSION,
  engine_version: '1.0.0',
  capabilities: ['streaming', 'passthrough'],
};

export interface PingParams {
  /** Seconds since 1970: it fits the small integers that some plugins read. */
  readonly timestamp: number;
}

export interface ExecuteParams {
  readonly function: string;
  /** Never left out and never null: handlers look into it. */
  readonly arguments: JsonObject;
  /** The conversation. Left out when there is none: null makes handlers fail. */
  readonly context?: readonly Json[];
  readonly system_info?: string;
}

export interface InputParams extends PingParams {
  readonly content: string;
}

/** The result of `initialize`. */
export interface Introduction {
  readonly name?: string;
  readonly version?: string;
  readonly description?: string;
  readonly protocolVersion?: Json;
  /** Undefined: unknown, not none. */
  readonly capabilities?: Json;
  readonly commands: readonly Json[];
  readonly success?: boolean;
  readonly raw: JsonObject;
}

const introductionShape = shape<Introduction>({
  name: 'name',
  version: 'name',
  description: 'name',
  protocolVersion: { wire: 'protocol_version', type: 'any' },
  capabilities: 'any',
  commands: { type: 'list', default: [] },
  success: 'flag',
  raw: 'whole',
});

/** Of the answer to `initialize`, and of a manifest.json, which has some of its fields. Undefined when it is not an object. */
export function parseIntroduction(result: unknown): Introduction | undefined {
  const read = fromWire(introductionShape, result, 'result', 'lenient');
  return 'value' in read ? read.value : undefined;
}

/** Why the plugin refuses to start; undefined when it does not. */
export function refusalIn({ success, raw }: Introduction): string | undefined {
  return success === false ? (reasonIn(raw) ?? 'no reason was given') : undefined;
}

/** Plugins also write null for what they do not have. */
export function isPresent<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null;
}

/** 2, "2", "2.0", "2.1.3". */
export function isVersion2(version: Json): boolean {
  return /^v?2(\.\d+)*$/i.test(textOf(version));
}

/** Which request a notification is for: `the-active-one` where it names none, `unknown` where it names what cannot be an id. */
export type RequestId = number | 'the-active-one' | 'unknown';

export function parseRequestId(params: JsonObject): RequestId {
  const id = params['request_id'];
  if (!isPresent(id)) return 'the-active-one';
  if (typeof id === 'number') return id;
  return typeof id === 'string' && /^\d{1,10}$/.test(id) ? Number(id) : 'unknown';
}

/** For the display of traffic. */
export function keysIn(params: unknown): readonly string[] {
  const id = parseRequestId(paramsIn(params));
  return typeof id === 'number' ? [`id:${id}`] : [];
}

/** Params that are missing or not an object count as empty. */
export function paramsIn(params: unknown): JsonObject {
  return isJsonObject(params) ? params : {};
}

/** The text of a `stream`; undefined when it has none. */
export function parseStream(params: JsonObject): string | undefined {
  const { data } = params;
  return isPresent(data) && data !== '' ? textOf(data) : undefined;
}

/** How a call ended, in either form: a `complete` notification or the result of `execute`. */
export interface Completion {
  readonly failed: boolean;
  readonly text: string;
  readonly data: Json | undefined;
  readonly keepSession: boolean | undefined;
  /** Some plugins put code and reason of a failure here, instead of in an `error`. */
  readonly code: number | undefined;
  readonly reason: string | undefined;
}

export function parseCompletion(params: JsonObject): Completion {
  const { success, data } = params;
  const failed = isPresent(success) && !success;
  return {
    failed,
    text: textIn(data),
    data: dataIn(data),
    keepSession: keepSessionIn(params),
    code: failed ? codeIn(params) : undefined,
    reason: failed ? reasonIn(params) : undefined,
  };
}

/** A result that has none of the protocol's fields is itself the data. */
export function completionWith(data: Json): Completion {
  return parseCompletion({ data });
}

/** A string is text, anything else is data; numbers and booleans are both. */
function textIn(data: Json | undefined): string {
  if (typeof data === 'string') return data;
  return isPresent(data) && typeof data !== 'object' ? String(data) : '';
}

function dataIn(data: Json | undefined): Json | undefined {
  return isPresent(data) && typeof data !== 'string' ? data : undefined;
}

function keepSessionIn(params: JsonObject): boolean | undefined {
  const keep = params['keep_session'];
  return isPresent(keep) ? keep === true : undefined;
}

function codeIn({ code }: JsonObject): number | undefined {
  return typeof code === 'number' && Number.isInteger(code) ? code : undefined;
}

/** `"message"`, or `"error"` as text or with a message of its own. */
function reasonIn(object: JsonObject): string | undefined {
  const { error } = object;
  const { message } = isPresent(object['message']) ? object : paramsIn(error);
  const reason = message ?? error;
  return isPresent(reason) && reason !== '' ? textOf(reason) : undefined;
}

/** An `error` notification, or the error of a response. */
export interface WireFailure {
  /** Undefined when it came without one. */
  readonly code?: number | undefined;
  readonly message?: string | undefined;
  readonly data?: Json | undefined;
  readonly keepSession?: boolean | undefined;
}

export function parseFailure(params: JsonObject): WireFailure {
  const { data } = params;
  return {
    code: codeIn(params),
    message: reasonIn(params),
    data: isPresent(data) ? data : undefined,
    keepSession: keepSessionIn(params),
  };
}

/** The response to `execute` or `input`. `bare` is a result that has none of the protocol's fields. */
export type Result =
  | { readonly kind: 'acknowledged' | 'refused' }
  | { readonly kind: 'complete'; readonly completion: Completion }
  | { readonly kind: 'bare'; readonly value: Json };

export function parseResult(result: unknown): Result {
  if (!isJsonObject(result)) return { kind: 'bare', value: (result ?? null) as Json }; // it came out of JSON
  const { acknowledged } = result;
  if (acknowledged === true && !('data' in result)) return { kind: 'acknowledged' };
  if ('success' in result || 'data' in result || 'keep_session' in result)
    return { kind: 'complete', completion: parseCompletion(result) };
  return acknowledged === false ? { kind: 'refused' } : { kind: 'bare', value: result };
}

export function parseLog(params: JsonObject): LogEntry {
  const { level, message, data } = params;
  return {
    level: levelOf(level),
    message: textOf(isPresent(message) ? message : params),
    ...(isPresent(data) && { data }),
  };
}

function levelOf(level: Json | undefined): LogLevel {
  switch (typeof level === 'string' ? level.toLowerCase() : undefined) {
    case 'debug':
    case 'trace':
    case 'verbose':
      return 'debug';
    case 'warn':
    case 'warning':
      return 'warn';
    case 'error':
    case 'critical':
    case 'fatal':
      return 'error';
    default:
      return 'info';
  }
}

/** The call of an engine. */
export type EngineExecute = Pick<CallRequest, 'tool' | 'args' | 'context'> | { readonly problem: string };

/** Engines leave out what they do not have, or write null. */
export function parseExecute(params: JsonObject): EngineExecute {
  const { function: tool, arguments: args } = params;
  if (typeof tool !== 'string')
    return { problem: `"execute" names a function, as text, in "function"; got ${shown(tool)}.` };
  if (isPresent(args) && !isJsonObject(args))
    return {
      problem: `"execute" of "${tool}" has its arguments as an object, in "arguments"; got ${shown(args)}.`,
    };
  return { tool, args: args ?? {}, context: contextIn(params) };
}

/** The context of a call is optional: values of another type are ignored. */
function contextIn({ context, system_info: systemInfo }: JsonObject): CallerContext {
  return {
    ...(isJsonArray(context) && { conversation: context }),
    ...(typeof systemInfo === 'string' && { systemInfo }),
  };
}

/** What the user said; undefined when there is no such text. */
export function parseInput({ content }: JsonObject): string | undefined {
  return typeof content === 'string' ? content : undefined;
}
