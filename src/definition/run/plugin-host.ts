// What a running definition needs from the process that hosts it.
import type { Clock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import type { CallRequest, CallSink } from '../outcome.ts';
import type { RunningCall } from '../plugin-port.ts';
import type { LogEntry } from '../tool.ts';

export interface PluginHost {
  readonly clock: Clock;
  /** A folder of the plugin's own that survives restarts; made when first asked for. */
  dataFolder(): string;
  /** Whether a program is in PATH. */
  hasCommand(name: string): boolean;
  /** For extractors that are given a path. */
  readFile(path: string): Promise<Uint8Array>;
  /** What belongs to no call. */
  log(entry: LogEntry): void;
  /**
   * Logs what the author has printed without an end of line: called before the answer to a call goes out, and when all is taken down.
   * @default prints are not captured
   */
  flushPrints?(): void;
  /**
   * Where tools run that may block: a thread in which the same definition is run and set up with the same configuration.
   * Arguments were checked by then, and the call is cancelled here when its time is over.
   * @default they run in this thread
   */
  readonly isolate?: ((request: CallRequest, config: JsonObject, sink: CallSink) => RunningCall) | undefined;
  /**
   * Whether failures carry the stack of what was thrown.
   * @default false
   */
  readonly debug?: boolean | undefined;
}
