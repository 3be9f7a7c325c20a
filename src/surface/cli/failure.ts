// Shows failures: to people on stderr with a way to fix them, to programs as JSON on stdout.
import { PluglotError, errorCodes, toError, type ErrorCode } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import { printable, printableMarked } from '../../base/printable.ts';
import { RpcError } from '../../channel/message/rpc-error.ts';
import type { CallFailure } from '../../definition/outcome.ts';
import type { CommandContext } from './context.ts';
import { ExitCode, exitCodeOf } from './exit-code.ts';
import { markedLine } from './log-lines.ts';

/** Shows the error and returns its exit code. A bug of ours is shown with its stack. */
export function showFailure(
  thrown: unknown,
  { json, out, err, signal }: Pick<CommandContext, 'json' | 'out' | 'err' | 'signal'>,
): ExitCode {
  const error = toError(thrown);
  if (!(error instanceof PluglotError)) {
    err.line(`${err.colours.red('✗')} ${printable(error.stack ?? error.message)}`);
    return ExitCode.broken;
  }
  if (json) out.line(JSON.stringify({ ok: false, error: errorForPrograms(error) }));
  // An interruption is what the user asked for.
  else if (error.code === 'CALL_CANCELLED' && signal.aborted) err.line(err.colours.dim('Interrupted.'));
  else showError(err, error);
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

function showError(err: CommandContext['err'], { code, message, stderr }: PluglotError): void {
  const { line, colours } = err;
  // Further lines may be a list or a drawing, and may come from a plugin.
  const [first = '', ...others] = printableMarked(message).split('\n');
  const show = (head: string, text: string) =>
    isOfHost(code) ? `${head}${text}` : markedLine(err, head, text);
  line(`${show(`${colours.red('✗')} `, first)} ${colours.dim(`(${code})`)}`);
  for (const other of others) line(show('', other));
  showLastOutput(err, stderr);
}

/** Its message is the host's own, with a command to copy, which stays whole; in others plugins have a say. */
export function isOfHost(code: string): boolean {
  return ofHost.has(code);
}

const ofHost: ReadonlySet<string> = new Set<ErrorCode>([
  'CONFIG_INVALID',
  'NOT_TRUSTED',
  'PERMISSION_DENIED',
  'UNKNOWN_PLUGIN',
]);

/** For a screen that has shown the output of the plugin as it came. */
export function withoutStderr<Thrown>(thrown: Thrown): Thrown | PluglotError {
  if (!(thrown instanceof PluglotError)) return thrown;
  const { code, message, cause } = thrown;
  return new PluglotError(code, message, { cause });
}

/** What a plugin printed before it failed. */
export function showLastOutput(err: CommandContext['err'], stderr: string | undefined): void {
  const { line, colours } = err;
  if (stderr === undefined || stderr.trim() === '') return;
  line(colours.dim('  the last it printed:'));
  for (const one of lastLines(printable(stderr), 15)) line(colours.dim(markedLine(err, '  | ', one)));
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}

/** The last lines that are not empty, without those about the internals of Node. */
export function lastLines(stderr: string, count: number): string[] {
  const lines = stderr
    .replace(PLACE_IN_NODE, '')
    .split('\n')
    .map((line) => line.trimEnd());
  return lines.filter((line) => line !== '' && !FRAME_OF_NODE.test(line)).slice(-count);
}

/** A line of its own sources, with a mark below. */
const PLACE_IN_NODE = /^node:internal\/.*:\d+\n.*\n\s*\^+\n/m;
const FRAME_OF_NODE = /^ {4}at (?:.* \()?node:internal\/[\w/.-]+:\d+(?::\d+)?\)?( \{)?$/;
