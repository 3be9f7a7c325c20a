// The context that a handler gets beside its arguments.
import { toError } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import { sentence, shown, textOf } from '../../base/text.ts';
import type { HandlerContext } from '../definition.ts';
import { fail } from '../failure.ts';
import { type AnswerContent, type CallInfo, isResult, type ResultContent } from '../outcome.ts';
import type { LogEntry, LogLevel } from '../tool.ts';
import { plainJson } from './plain-json.ts';
import type { PluginHost } from './plugin-host.ts';
import type { Work } from './work.ts';

/** Whether the handler keeps the session, for the answer. */
export interface Session {
  keep: boolean | undefined;
}

/** Its functions work alone too: `({ stream }) => …`. */
export function handlerContext(
  work: Work,
  info: CallInfo,
  config: HandlerContext['config'],
  session: Session,
  host: PluginHost,
): HandlerContext {
  let hasComplained = false;
  const complain = (doing: string) => {
    if (hasComplained) return;
    hasComplained = true;
    host.log({
      level: 'warn',
      message: `${work.what} ${doing} after its end, which is lost. Await what it starts, or watch context.signal.`,
    });
  };
  return {
    ...info.context,
    dialect: info.dialect ?? 'in-process',
    // Also where it is undefined: nothing that came with a call may stand in its place.
    caller: info.caller,
    execution: info.execution,
    config,
    stream: (text) => {
      if (!work.event({ kind: 'text', text: textOf(text) })) complain('streams');
    },
    drained: () => work.drained(),
    log: (level, message, data) => {
      const entry = logEntry(level, message, data);
      if (!work.event({ kind: 'log', ...entry })) host.log(entry);
    },
    progress: (progress, total, message) => {
      if (!Number.isFinite(progress)) return;
      const isKnown = total !== undefined && Number.isFinite(total);
      const isSent = work.event({
        kind: 'progress',
        progress,
        ...(isKnown ? { total } : {}),
        ...(message === undefined ? {} : { message: textOf(message) }),
      });
      if (!isSent) complain('reports progress');
    },
    keepSession: (keep = true) => {
      session.keep = keep;
    },
    get signal() {
      return work.signal;
    },
    get dataFolder() {
      return host.dataFolder();
    },
  };
}

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

export function logEntry(level: LogLevel, message: string, data: Json | undefined): LogEntry {
  const entry = { level: levels.includes(level) ? level : 'info', message: messageText(message) } as const;
  if (data === undefined) return entry;
  const plain = plainJson(data, 'data');
  return { ...entry, data: 'json' in plain ? plain.json : shown(data) };
}

/** Authors who write JavaScript log errors as they are. */
function messageText(message: unknown): string {
  return typeof message === 'string' ? message : toError(message).message;
}

/** @throws Failure INTERNAL when it has no JSON form */
export function contentOf(returned: unknown, what: string): AnswerContent {
  if (returned === undefined) return {};
  if (typeof returned === 'string') return { text: returned };
  if (isResult(returned)) return contentOfResult(returned, what);
  return { data: jsonOf(returned, 'its result', what) };
}

/** What was found before a failure; nothing of it when some of it has no JSON form, since the failure itself is more important. */
export function contentOfPartial(partial: ResultContent): AnswerContent {
  try {
    return contentOfResult(partial, '');
  } catch {
    return {};
  }
}

/** @throws Failure INTERNAL when it has no JSON form */
export function jsonOf(value: unknown, where: string, what: string): Json {
  const plain = plainJson(value, where);
  if ('json' in plain) return plain.json;
  return fail({
    code: 'INTERNAL',
    message: `${what} answered with something that is not plain data: ${sentence(plain.problem)}`,
  });
}

function contentOfResult({ text, data, outputs, keepSession }: ResultContent, what: string): AnswerContent {
  return {
    ...(text === undefined ? {} : { text: textOf(text) }),
    ...(data === undefined ? {} : { data: jsonOf(data, 'its data', what) }),
    ...(outputs === undefined ? {} : { outputs: textsOf(outputs) }),
    ...(typeof keepSession === 'boolean' ? { keepSession } : {}),
  };
}

function textsOf(outputs: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(outputs).map(([name, value]) => [name, textOf(value)]));
}
