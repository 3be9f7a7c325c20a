// What a command is handed when it runs, and how its waits end with Ctrl-C: each command then closes what it has opened.
import { PluglotError } from '../../base/error.ts';
import type { Terminal } from './terminal.ts';

export interface CliEnvironment {
  readonly version: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly home: string;
  /** Fires when the user interrupts. */
  readonly signal: AbortSignal;
}

export interface CommandContext extends CliEnvironment {
  /** Results for people. */
  readonly out: Terminal;
  /** Everything but results: logs, progress, failures. */
  readonly err: Terminal;
  /** The words behind `--`. */
  readonly command: readonly string[] | undefined;
  readonly json: boolean;
  /** -1 quiet, 0, 1 or 2. */
  readonly verbosity: number;
  /** Never attach to a running `up`. */
  readonly standalone: boolean;
  /** Instead of the pluglot.json of the project. */
  readonly configFile: string | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** The command line cannot be used as it is. */
export function usageError(message: string, options?: ErrorOptions): PluglotError {
  return new PluglotError('INVALID_ARGUMENTS', message, options);
}

/**
 * The value, unless the user interrupts before it comes.
 * @throws PluglotError CALL_CANCELLED
 */
export async function unlessInterrupted<Value>(signal: AbortSignal, promise: Promise<Value>): Promise<Value> {
  let stopWaiting = () => {};
  const interruption = new Promise<never>((_, reject) => {
    const give = () => reject(new PluglotError('CALL_CANCELLED', 'Interrupted.'));
    if (signal.aborted) give();
    signal.addEventListener('abort', give, { once: true });
    stopWaiting = () => signal.removeEventListener('abort', give);
  });
  try {
    return await Promise.race([promise, interruption]);
  } finally {
    stopWaiting();
  }
}

/** Resolves when the user interrupts; keeps the process alive until then. */
export function interrupted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    // An AbortSignal alone does not keep the process alive.
    const stay = setInterval(() => {}, 60_000);
    const end = () => {
      clearInterval(stay);
      resolve();
    };
    signal.addEventListener('abort', end, { once: true });
  });
}
