// What a command is handed: its surroundings and the options that all commands share.
import type { Terminal } from '../terminal.ts';

export interface CommandContext {
  readonly version: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** Results for people. */
  readonly out: Terminal;
  /** All that is no result: logs, progress, failures. */
  readonly err: Terminal;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly home: string;
  /** Fires when the user interrupts. */
  readonly signal: AbortSignal;
  /** What stood behind `--`. */
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
