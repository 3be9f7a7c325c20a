// The author's side of a protocol: what every dialect's author.ts implements, and what it is given.
import type { Clock } from '../base/clock.ts';
import type { JsonObject } from '../base/json.ts';
import type { Pipe } from '../channel/bytes/pipe.ts';
import type { Observer } from '../channel/peer/options.ts';
import type { ServedPort } from '../definition/plugin-port.ts';
import type { DialectName } from '../definition/plugin-spec.ts';
import type { LogEntry } from '../definition/tool.ts';

export interface AuthorDialect {
  readonly name: DialectName;
  /** Answers the host until it says goodbye or is gone. Throws nothing: faults of the host are answered with errors. */
  serve(pipe: Pipe, backend: ServedPort, services: AuthorServices): Served;
}

export interface AuthorServices {
  readonly clock: Clock;
  /** From the command line, for hosts that send no configuration. */
  readonly config?: JsonObject;
  /** Prints to stderr; not used in dialects whose hosts mix stderr into the wire. */
  print(line: string): void;
  /** Sees every message on the wire. */
  readonly observer?: Observer;
  /**
   * Whether failures carry the stack of the error.
   * @default false
   */
  readonly debug?: boolean;
}

export interface Served {
  /** Logs what belongs to no call, such as prints of the author's code. */
  log(entry: LogEntry): void;
  /** Resolves when the host said goodbye or is gone, queued requests are finished and the backend is taken down. */
  readonly over: Promise<ServedEnd>;
  /** Ends it from this side: running calls are given up and answered with that. */
  close(): void;
}

export interface ServedEnd {
  /** For the process: 0 after a goodbye or an end of input, 1 when the host broke the protocol beyond repair. */
  readonly exitCode: number;
}
