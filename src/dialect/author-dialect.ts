// The author's side of a protocol: what every dialect's author.ts offers, and what it is handed.
import type { Clock } from '../base/clock.ts';
import type { JsonObject } from '../base/json.ts';
import type { Pipe } from '../channel/bytes/pipe.ts';
import type { Observer } from '../channel/peer/listeners.ts';
import type { Backend } from '../definition/backend.ts';
import type { DialectName } from '../definition/plugin-spec.ts';
import type { LogEntry } from '../definition/tool.ts';

export interface AuthorDialect {
  readonly name: DialectName;
  /** Answers the host until it says goodbye or is gone. Throws nothing: what the host does wrong is answered. */
  serve(pipe: Pipe, backend: Backend, services: AuthorServices): Served;
}

export interface AuthorServices {
  readonly clock: Clock;
  /** From the command line, for hosts that never say it: what the first setup gets. */
  readonly config?: JsonObject;
  /** For people who look at stderr; not called in dialects whose hosts mix it into the wire. */
  print(line: string): void;
  /** Sees every message on the wire; absent when nobody looks. */
  readonly observer?: Observer;
  /**
   * Whether failures carry the stack of what was thrown.
   * @default false
   */
  readonly debug?: boolean;
}

export interface Served {
  /** What belongs to no call, such as prints of the author's code, in the words the dialect has for it. */
  log(entry: LogEntry): void;
  /** Resolves when the host said goodbye or is gone, what was queued is finished and the backend is taken down. */
  readonly over: Promise<ServedEnd>;
  /** Ends it from this side: what runs is given up, and answered with that. */
  close(): void;
}

export interface ServedEnd {
  /** For the process: 0 after a goodbye or an end of input, 1 when the host broke the protocol beyond repair. */
  readonly exitCode: number;
}
