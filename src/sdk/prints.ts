// What the author's code prints, on its way to the log of the host: as lines, and no more than the host reads.
import type { Writable } from 'node:stream';
import { builtins } from '../base/builtins.ts';
import { KiB } from '../base/units.ts';
import type { LogEntry, LogLevel } from '../definition/tool.ts';

/** Who takes the lines. */
export interface PrintTaker {
  log(entry: LogEntry): void;
  /** False while the host does not read: then lines wait. */
  hasRoom(): boolean;
  drained(): Promise<void>;
}

/** A longer line goes out in pieces. */
const LONGEST_LINE = 16 * KiB;

/** So many lines may wait, for the host to begin or to read on; what is printed beyond that is dropped and counted. */
const LINES_WAITING = 1000;

export class Prints {
  #taker: PrintTaker | undefined;
  readonly #waiting: LogEntry[] = [];
  #dropped = 0;
  #isHandingOver = false;
  readonly #open: OpenLine[] = [];

  /** A stream whose lines are logged at this level. */
  stream(level: LogLevel): Writable {
    const line = new OpenLine((message) => this.log({ level, message }));
    this.#open.push(line);
    return new builtins.stream.Writable({
      decodeStrings: true,
      write(chunk: Buffer, _encoding, done) {
        line.push(chunk);
        done();
      },
    });
  }

  log(entry: LogEntry): void {
    if (this.#waiting.length < LINES_WAITING) this.#waiting.push(entry);
    else this.#dropped += 1;
    this.#handOver();
  }

  /** From now on lines are taken, first those that wait. */
  handTo(taker: PrintTaker): void {
    this.#taker = taker;
    this.#handOver();
  }

  /** Logs what lacks its end of line. */
  flush(): void {
    for (const line of this.#open) line.end();
  }

  #handOver(): void {
    const taker = this.#taker;
    // The taker may print in its turn.
    if (taker === undefined || this.#isHandingOver) return;
    this.#isHandingOver = true;
    for (let entry = this.#next(taker); entry !== undefined; entry = this.#next(taker)) {
      try {
        taker.log(entry);
      } catch {
        // The pipe has ended, or is full: the entry is dropped.
      }
    }
    this.#isHandingOver = false;
    if (this.#waiting.length > 0) this.#handOverLater(taker);
  }

  #next(taker: PrintTaker): LogEntry | undefined {
    if (!taker.hasRoom()) return undefined;
    const entry = this.#waiting.shift();
    if (entry !== undefined || this.#dropped === 0) return entry;
    const message = `${this.#dropped} more lines were printed than the host read; they are lost.`;
    this.#dropped = 0;
    return { level: 'warn', message };
  }

  #handOverLater(taker: PrintTaker): void {
    this.#taker = undefined;
    taker.drained().then(
      () => this.handTo(taker),
      // The pipe has ended.
      () => {},
    );
  }
}

/** The line that is being printed. */
class OpenLine {
  readonly #print: (line: string) => void;
  readonly #decoder = new builtins.stringDecoder.StringDecoder('utf8');
  #text = '';

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  push(chunk: Buffer): void {
    const lines = this.#decoder.write(chunk).split('\n');
    const rest = lines.pop() ?? '';
    for (const line of lines) {
      this.#add(line);
      this.end();
    }
    this.#add(rest);
  }

  end(): void {
    const line = this.#text;
    this.#text = '';
    if (line.trim() !== '') this.#print(line.trimEnd());
  }

  #add(text: string): void {
    let rest = this.#text + text;
    while (rest.length > LONGEST_LINE) {
      this.#print(rest.slice(0, LONGEST_LINE));
      rest = rest.slice(LONGEST_LINE);
    }
    this.#text = rest;
  }
}
