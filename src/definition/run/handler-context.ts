// What a handler is given beside its arguments.
import { toError } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import { shown, textOf as shownText } from '../../base/shown.ts';
import type { Around } from '../backend.ts';
import type { HandlerContext } from '../definition.ts';
import type { CallerContext } from '../outcome.ts';
import type { LogEntry, LogLevel } from '../tool.ts';
import { plainJson } from './plain-json.ts';
import type { Surroundings } from './surroundings.ts';
import type { Work } from './work.ts';

/** What the handler said of the session, for the answer. */
export interface Session {
  keep: boolean | undefined;
}

/** Its functions work alone too: `({ stream }) => …`. */
export function handlerContext(
  work: Work,
  around: Around & { readonly context?: CallerContext | undefined },
  config: HandlerContext['config'],
  session: Session,
  surroundings: Surroundings,
): HandlerContext {
  let hasComplained = false;
  const complain = (doing: string) => {
    if (hasComplained) return;
    hasComplained = true;
    surroundings.log({
      level: 'warn',
      message: `${work.what} ${doing} after its end; nobody hears that. Await what it starts, or watch context.signal.`,
    });
  };
  return {
    ...around.context,
    dialect: around.dialect,
    // Also where it is undefined: nothing that came with a call may stand in its place.
    caller: around.caller,
    execution: around.execution,
    config,
    stream: (text) => {
      if (!work.event({ kind: 'text', text: shownText(text) })) complain('streams');
    },
    drained: () => work.drained(),
    log: (level, message, data) => {
      const entry = logEntry(level, message, data);
      if (!work.event({ kind: 'log', ...entry })) surroundings.log(entry);
    },
    progress: (progress, total, message) => {
      if (!Number.isFinite(progress)) return;
      const isKnown = total !== undefined && Number.isFinite(total);
      const isHeard = work.event({
        kind: 'progress',
        progress,
        ...(isKnown ? { total } : {}),
        ...(message === undefined ? {} : { message: shownText(message) }),
      });
      if (!isHeard) complain('tells of its progress');
    },
    keepSession: (keep = true) => {
      session.keep = keep;
    },
    get signal() {
      return work.signal;
    },
    get dataFolder() {
      return surroundings.dataFolder();
    },
  };
}

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

export function logEntry(level: LogLevel, message: string, data: Json | undefined): LogEntry {
  const entry = { level: levels.includes(level) ? level : 'info', message: textOf(message) } as const;
  if (data === undefined) return entry;
  const plain = plainJson(data, 'data');
  return { ...entry, data: 'json' in plain ? plain.json : shown(data) };
}

/** Authors who write JavaScript log errors as they are. */
function textOf(message: unknown): string {
  return typeof message === 'string' ? message : toError(message).message;
}
