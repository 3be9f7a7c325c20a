// MCP's words, read once at the door: what came as `unknown` leaves as a neutral value. Nothing here throws.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { jsonText, shortened } from '../../base/text.ts';
import type { CallEvent, CallFailure } from '../../definition/outcome.ts';
import type { LogEntry, LogLevel, Tool, ToolHints } from '../../definition/tool.ts';
import { failureFromJson, failureToJson } from '../failure.ts';
import { howToGoOn } from '../talk-tool.ts';

/** The revisions with a handshake and sessions, the latest first. */
export const SESSION_VERSIONS = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
] as const;

export const methods = {
  initialize: 'initialize',
  discover: 'server/discover',
  listen: 'subscriptions/listen',
  ping: 'ping',
  listTools: 'tools/list',
  callTool: 'tools/call',
  listResources: 'resources/list',
  listResourceTemplates: 'resources/templates/list',
  readResource: 'resources/read',
  subscribe: 'resources/subscribe',
  unsubscribe: 'resources/unsubscribe',
  listPrompts: 'prompts/list',
  getPrompt: 'prompts/get',
  setLevel: 'logging/setLevel',
  complete: 'completion/complete',
  sample: 'sampling/createMessage',
  elicit: 'elicitation/create',
  listRoots: 'roots/list',
} as const;

export const notifications = {
  cancelled: 'notifications/cancelled',
  log: 'notifications/message',
  progress: 'notifications/progress',
  initialized: 'notifications/initialized',
  subscribed: 'notifications/subscriptions/acknowledged',
  toolsChanged: 'notifications/tools/list_changed',
  promptsChanged: 'notifications/prompts/list_changed',
  resourcesChanged: 'notifications/resources/list_changed',
  resourceUpdated: 'notifications/resources/updated',
} as const;

/** One page of a list, as `tools/list` and its kin answer it. */
export interface Page {
  readonly items: readonly Json[];
  readonly nextCursor?: string;
}

/** Undefined when the list is missing. */
export function readPage(result: unknown, key: string): Page | undefined {
  if (!isJsonObject(result)) return undefined;
  const items = result[key];
  if (!isJsonArray(items)) return undefined;
  const cursor = result['nextCursor'];
  return typeof cursor === 'string' ? { items, nextCursor: cursor } : { items };
}

/** A tool, or why it cannot be used. */
export function readTool(value: unknown): Tool | string {
  if (!isJsonObject(value)) return 'a tool is an object';
  const { name, title, description, inputSchema, outputSchema, annotations, _meta: meta } = value;
  if (typeof name !== 'string' || name === '') return 'a tool has a name';
  const about = isJsonObject(annotations) ? annotations : {};
  const label = wordIn(title) ?? wordIn(about['title']);
  return {
    name,
    ...(label === undefined ? {} : { title: label }),
    ...(typeof description === 'string' ? { description } : {}),
    ...(isSchema(inputSchema) ? { inputSchema } : {}),
    ...(isSchema(outputSchema) ? { outputSchema } : {}),
    ...hintsFrom(about),
    ...readToolMeta(meta),
  };
}

function isSchema(value: unknown): value is boolean | JsonObject {
  return typeof value === 'boolean' || isJsonObject(value);
}

function wordIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function hintsFrom(annotations: JsonObject): { hints?: ToolHints } {
  const given = Object.entries({
    readOnly: annotations['readOnlyHint'],
    destructive: annotations['destructiveHint'],
    idempotent: annotations['idempotentHint'],
    openWorld: annotations['openWorldHint'],
  }).filter(([, value]) => typeof value === 'boolean');
  return given.length === 0 ? {} : { hints: Object.fromEntries(given) };
}

/** What a tool answered, before it is checked against its output schema. */
export interface ToolResult {
  readonly failed: boolean;
  readonly text?: string;
  readonly data?: Json;
  /** Whether `data` is structured content, to which an output schema applies. */
  readonly structured: boolean;
  /** How it failed, where the server is one of ours. */
  readonly failure?: CallFailure;
  /** So says a server of ours. */
  readonly keepSession?: boolean;
}

/** Undefined when it is not a result of a tool. */
export function readToolResult(value: unknown): ToolResult | undefined {
  if (!isJsonObject(value)) return undefined;
  const { content, structuredContent, isError, _meta } = value;
  // Servers from before 2025 leave the content out when there is structured content, or when there is nothing to say.
  if (content !== undefined && !isJsonArray(content)) return undefined;
  const parts = (content ?? []).filter((part) => !isHintPart(part));
  const texts = parts.map(textOfPart).filter((text) => text !== undefined);
  const others = parts.filter((part) => textOfPart(part) === undefined);
  const structured = structuredContent !== undefined;
  const failure = isError === true ? readFailureMeta(_meta) : undefined;
  // Its message is the last that such a result says.
  if (failure !== undefined) texts.pop();
  return {
    failed: isError === true,
    structured,
    ...(failure === undefined ? {} : { failure }),
    ...readSessionMeta(_meta),
    ...(texts.length === 0 ? {} : { text: texts.join('\n') }),
    ...(structured ? { data: structuredContent } : others.length === 0 ? {} : { data: others }),
  };
}

function textOfPart(part: Json): string | undefined {
  return isJsonObject(part) && part['type'] === 'text' && typeof part['text'] === 'string'
    ? part['text']
    : undefined;
}

export interface Progress {
  readonly token: string | number;
  readonly event: CallEvent;
}

/** Undefined when it names no token or no progress. */
export function readProgress(params: unknown): Progress | undefined {
  if (!isJsonObject(params)) return undefined;
  const { progressToken: token, progress, total, message, _meta: meta } = params;
  if (typeof token !== 'string' && typeof token !== 'number') return undefined;
  if (typeof progress !== 'number') return undefined;
  const ours = readProgressMeta(meta);
  if (ours.isText && typeof message === 'string') return { token, event: { kind: 'text', text: message } };
  return {
    token,
    event: {
      kind: 'progress',
      progress: ours.progress ?? progress,
      ...(typeof total === 'number' ? { total } : {}),
      ...(typeof message === 'string' ? { message } : {}),
    },
  };
}

/** Which call a message is about, for people who look at the wire: by the token of its progress, or by its id. */
export function keysIn(params: unknown): readonly string[] {
  if (!isJsonObject(params)) return [];
  const { _meta: meta, progressToken, requestId } = params;
  const token = isJsonObject(meta) ? meta['progressToken'] : progressToken;
  const key = (name: string, value: Json | undefined) =>
    typeof value === 'string' || typeof value === 'number' ? [`${name}:${value}`] : [];
  return [...key('id', requestId), ...key('token', token)];
}

/** The eight levels of MCP, which are those of syslog, in our four. */
const logLevels: Readonly<Record<string, LogLevel>> = {
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warning: 'warn',
  error: 'error',
  critical: 'error',
  alert: 'error',
  emergency: 'error',
};

/** Undefined when there is nothing to log. */
export function readLog(params: unknown): LogEntry | undefined {
  if (!isJsonObject(params) || params['data'] === undefined) return undefined;
  const { level, logger } = params;
  const { message, data } = readLogged(params['data']);
  return {
    level: (typeof level === 'string' && Object.hasOwn(logLevels, level) && logLevels[level]) || 'info',
    message: typeof logger === 'string' && logger !== '' ? `${logger}: ${message}` : message,
    ...(data === undefined ? {} : { data }),
  };
}

/** A text, or `{ message, data }` as servers of ours write it, or anything. */
function readLogged(logged: Json): { readonly message: string; readonly data?: Json } {
  if (typeof logged === 'string') return { message: logged };
  if (isJsonObject(logged) && Object.keys(logged).length === 2) {
    const { message, data } = logged;
    if (typeof message === 'string' && data !== undefined) return { message, data };
  }
  return { message: shortened(jsonText(logged)), data: logged };
}

const FAILURE = 'pluglot/failure';

export function failureMeta(failure: CallFailure): JsonObject {
  return { [FAILURE]: failureToJson(failure) };
}

/** Undefined when it is not there, or not as it should be. */
function readFailureMeta(meta: unknown): CallFailure | undefined {
  return isJsonObject(meta) ? failureFromJson(meta[FAILURE]) : undefined;
}

const TEXT = 'pluglot/text';
const PROGRESS = 'pluglot/progress';

/** The message is a piece of the text that the call streams. */
export function textMeta(): JsonObject {
  return { _meta: { [TEXT]: true } };
}

/** As the author counts it. */
export function progressMeta(progress: number): JsonObject {
  return { _meta: { [PROGRESS]: progress } };
}

function readProgressMeta(meta: unknown): { readonly isText: boolean; readonly progress?: number } {
  if (!isJsonObject(meta)) return { isText: false };
  const { [TEXT]: isText, [PROGRESS]: progress } = meta;
  return { isText: isText === true, ...(typeof progress === 'number' && { progress }) };
}

const KEPT = 'pluglot/keepSession';
const HINT = 'pluglot/howToGoOn';

export function sessionMeta(): JsonObject {
  return { [KEPT]: true };
}

function readSessionMeta(meta: unknown): { keepSession?: true } {
  return isJsonObject(meta) && meta[KEPT] === true ? { keepSession: true } : {};
}

export function hintPart(say: string): JsonObject {
  return {
    type: 'text',
    text: howToGoOn(say),
    annotations: { audience: ['assistant'] },
    _meta: { [HINT]: true },
  };
}

/** It does not belong to the text of the tool. */
function isHintPart(part: Json): boolean {
  const meta = isJsonObject(part) ? part['_meta'] : undefined;
  return isJsonObject(meta) && meta[HINT] === true;
}

const AUTO_APPROVE = 'pluglot/autoApprove';
const FACET = 'pluglot/facet';

export function toolMeta({ autoApprove, facet }: Pick<Tool, 'autoApprove' | 'facet'>): JsonObject {
  const meta = {
    ...(autoApprove === true ? { [AUTO_APPROVE]: true } : {}),
    ...(facet === 'talk' ? { [FACET]: facet } : {}),
  };
  return Object.keys(meta).length === 0 ? {} : { _meta: meta };
}

function readToolMeta(meta: unknown): Pick<Tool, 'autoApprove' | 'facet'> {
  if (!isJsonObject(meta)) return {};
  return {
    ...(meta[AUTO_APPROVE] === true ? { autoApprove: true } : {}),
    ...(meta[FACET] === 'talk' ? { facet: 'talk' } : {}),
  };
}
