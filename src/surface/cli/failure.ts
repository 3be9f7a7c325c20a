// How a failure is told: to people on stderr with the way out, to programs as JSON on stdout.
import { errorCodes, PluglotError, toError, type ErrorCode } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import type { CallFailure } from '../../definition/outcome.ts';
import { RpcError } from '../../channel/message/rpc-error.ts';
import type { CommandContext } from './commands/context.ts';
import { ExitCode, exitCodeOf } from './exit-code.ts';
import { printable } from '../../base/printable.ts';
import { lastWords } from './last-words.ts';

/** Tells what was thrown and gives the exit code that goes with it. A bug of ours is shown with its stack. */
export function tellFailure(
  thrown: unknown,
  { json, out, err, signal }: Pick<CommandContext, 'json' | 'out' | 'err' | 'signal'>,
): ExitCode {
  const error = toError(thrown);
  if (!(error instanceof PluglotError)) {
    err.line(`${err.colours.red('✗')} ${printable(error.stack ?? error.message)}`);
    return ExitCode.broken;
  }
  if (json) out.line(JSON.stringify({ ok: false, error: errorForPrograms(error) }));
  // Whoever interrupts gets what was asked for.
  else if (error.code === 'CALL_CANCELLED' && signal.aborted) err.line(err.colours.dim('Interrupted.'));
  else tellError(err, error);
  return exitCodeOf(error.code);
}

export function errorForPrograms(error: PluglotError): CallFailure {
  const { code, message, stderr } = error;
  const { code: wireCode, data } = answerIn(error) ?? {};
  return {
    code,
    ...(wireCode !== undefined && { wireCode }),
    message,
    // It came as JSON.
    ...(data !== undefined && { data: data as Json }),
    ...(stderr !== undefined && { stderr }),
  };
}

/** What the plugin itself answered, where that is what was wrong. */
function answerIn({ cause }: Error): RpcError | undefined {
  if (cause instanceof RpcError) return cause;
  return cause instanceof Error ? answerIn(cause) : undefined;
}

function tellError({ line, colours }: CommandContext['err'], { code, message, stderr }: PluglotError): void {
  // What is said in several lines may be a list or a drawing, which ends where it ends.
  const [first = '', ...others] = printable(message).split('\n');
  line(`${colours.red('✗')} ${first} ${colours.dim(`(${code})`)}`);
  for (const other of others) line(other);
  tellLastWords({ line, colours }, stderr);
}

/** What a plugin printed before it failed. */
export function tellLastWords(
  { line, colours }: Pick<CommandContext['err'], 'line' | 'colours'>,
  stderr: string | undefined,
): void {
  if (stderr === undefined || stderr.trim() === '') return;
  line(colours.dim('  the last it printed:'));
  for (const one of lastWords(printable(stderr), 15)) line(colours.dim(`  | ${one}`));
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}
