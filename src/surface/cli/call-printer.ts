// What a call looks like while it goes on and when it is over: text as it comes for people, one line of JSON for programs.
import { PluglotError } from '../../base/error.ts';
import { printable, printableLine } from '../../base/printable.ts';
import { isShortened } from '../../base/text.ts';
import type { CallEvent, CallFailure, Outcome } from '../../definition/outcome.ts';
import type { Call } from '../../definition/call.ts';
import type { LogRecord } from '../../fleet/plugin/logs/log-book.ts';
import type { CommandContext } from './context.ts';
import { ExitCode, exitCodeOf } from './exit-code.ts';
import { errorForPrograms, isOfHost, showLastOutput } from './failure.ts';
import { logShown, markedLine, showLog } from './log-lines.ts';

export interface CallPrinter {
  readonly event: (event: CallEvent) => void;
  /** For what the plugin logs beside the call. */
  readonly log: (line: LogRecord) => void;
  /** Gives the exit code that goes with it. */
  readonly end: (outcome: Outcome) => ExitCode;
}

/** For programs, what keeps a call from being made looks like a call that failed. */
export async function failuresAsOutcome(
  context: CommandContext,
  what: string,
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    return await work();
  } catch (thrown) {
    if (!context.json || !(thrown instanceof PluglotError)) throw thrown;
    const durationMs = Date.now() - context.startedAt;
    return callPrinter(context, what).end({ ok: false, error: errorForPrograms(thrown), durationMs });
  }
}

type PrinterContext = Pick<CommandContext, 'out' | 'err' | 'json' | 'verbosity'>;

/** `what` is what failed, should it fail: a tool, or the plugin that was spoken to. */
export function callPrinter(context: PrinterContext, what: string): CallPrinter {
  const { err, verbosity } = context;
  // What is logged in a call comes as an event of it, and what is logged in another call is not for this screen.
  let lastShown: string | undefined;
  const log = (line: LogRecord) => {
    if (line.call !== undefined) return;
    showLog(err, line, verbosity);
    if (line.source === 'stderr' && logShown(line, verbosity)) lastShown = line.message.trimEnd();
  };
  // Programs read stdout; what a person asked to see with -v goes beside it.
  if (context.json) return { ...jsonPrinter(context), log: verbosity > 0 ? log : () => {} };
  return { ...textPrinter(context, what, (stderr) => lastLineOf(stderr) === lastShown), log };
}

function jsonPrinter({ out }: PrinterContext): Omit<CallPrinter, 'log'> {
  const events: CallEvent[] = [];
  return {
    event: (event) => void events.push(event),
    end(outcome) {
      const { ok, text, data, outputs, keepSession, durationMs } = outcome;
      const error = outcome.ok ? {} : { error: outcome.error };
      out.line(
        JSON.stringify({
          ok,
          ...error,
          text,
          data,
          outputs,
          keepSession,
          events,
          durationMs: Math.round(durationMs * 100) / 100,
        }),
      );
      return exitCode(outcome);
    },
  };
}

function lastLineOf(text: string): string | undefined {
  return text.trimEnd().split('\n').at(-1)?.trimEnd();
}

function textPrinter(
  { out, err, verbosity }: PrinterContext,
  what: string,
  wasShown: (stderr: string) => boolean,
): Omit<CallPrinter, 'log'> {
  let printed = '';
  let lastLogged: string | undefined;
  // A pipe gets the text as it is; on a terminal its control characters are replaced.
  const say = (text: string) => out.text(out.live ? printable(text) : text);
  return {
    event(event) {
      switch (event.kind) {
        case 'text':
          printed += event.text;
          lastLogged = undefined;
          say(event.text);
          break;
        case 'progress':
          err.progress(describeProgress(event));
          break;
        case 'log': {
          const line: LogRecord = { at: Date.now(), source: 'plugin', ...event };
          showLog(err, line, verbosity);
          if (logShown(line, verbosity)) lastLogged = line.message.trim();
          break;
        }
      }
    },
    end(outcome) {
      const text = outcome.text ?? '';
      const rest = text.startsWith(printed) ? text.slice(printed.length) : text;
      // On one screen the reason is shown once.
      const why = outcome.ok || !(out.live && err.live) ? '' : outcome.error.message.trim();
      const shown = withoutLastLines(rest, why);
      say(shown);
      out.endLine();
      err.clear();
      if (text === '' && outcome.data !== undefined) say(`${JSON.stringify(outcome.data, undefined, 2)}\n`);
      for (const [name, value] of Object.entries(outcome.outputs ?? {})) say(`${name}=${value}\n`);
      if (!outcome.ok) {
        const isLogged = rest === '' && lastLogged === outcome.error.message.trim();
        const isShown = isLogged || (rest === shown && hasReason(printed + rest, why));
        showCallFailure(err, what, withoutShown(outcome.error, wasShown), isShown);
      }
      return exitCode(outcome);
    },
  };
}

/** Without this text at its end, where that takes whole lines. */
function withoutLastLines(text: string, end: string): string {
  const trimmed = text.trimEnd();
  if (end === '' || !trimmed.endsWith(end)) return text;
  const before = trimmed.slice(0, -end.length);
  return before === '' || before.endsWith('\n') ? before : text;
}

/** Whether it ends with the reason, or is what the reason is the beginning of. */
function hasReason(text: string, why: string): boolean {
  return why !== '' && (text.trimEnd().endsWith(why) || isShortened(why, text));
}

/** What it printed was on the screen as it came. */
function withoutShown(error: CallFailure, wasShown: (stderr: string) => boolean): CallFailure {
  if (error.stderr === undefined || !wasShown(error.stderr)) return error;
  const { stderr: _, ...rest } = error;
  return rest;
}

function exitCode(outcome: Outcome): ExitCode {
  return outcome.ok ? ExitCode.ok : exitCodeOf(outcome.error.code);
}

function describeProgress({ progress, total, message }: Extract<CallEvent, { kind: 'progress' }>): string {
  const amount =
    total === undefined
      ? `${progress}`
      : `${Math.round((100 * progress) / Math.max(total, Number.MIN_VALUE))} %`;
  return message === undefined ? amount : `${amount}  ${printableLine(message)}`;
}

/** `isShown`: the reason is in the lines above. */
function showCallFailure(
  err: CommandContext['err'],
  what: string,
  error: CallFailure,
  isShown: boolean,
): void {
  const { code, wireCode, message, suggestions, stderr } = error;
  const { red, dim } = err.colours;
  const number = wireCode === undefined ? '' : ` ${wireCode}`;
  const why = isShown
    ? ' failed'
    : `: ${code === 'CALL_CANCELLED' ? 'interrupted' : printable(message.trimEnd())}`;
  const head = `${red('✗')} ${printableLine(what)}`;
  const text = isOfHost(code) ? `${head}${why.replaceAll('\n', '\n  | ')}` : markedLine(err, head, why);
  err.line(`${text} ${dim(`(${code}${number})`)}`);
  for (const suggestion of suggestions ?? [])
    err.line(markedLine(err, '  → ', printable(suggestion.trimEnd()), { mark: '    ' }));
  showLastOutput(err, stderr);
}

export async function followCall(call: Call, onEvent: (event: CallEvent) => void): Promise<Outcome> {
  for await (const event of call) onEvent(event);
  return call.outcome;
}
