// The pipe to the host, with two things that serving needs: the first input can be looked at before it is opened,
// and it is known when the host has ended its side.
import { deferred } from '../base/async.ts';
import type { Encoded, Ending, Pipe, PipeReader } from '../channel/bytes/pipe.ts';

export class HostPipe implements Pipe {
  readonly #pipe: Pipe;
  readonly #ended = deferred<Ending>();
  #reader: PipeReader | undefined;
  #look: PipeReader | undefined;
  /** Read and not yet handed to the reader. */
  #held: Buffer[] = [];
  #heldEnding: Ending | undefined;
  #isRead = false;
  #isPaused = false;
  #writes = 0;

  constructor(pipe: Pipe) {
    this.#pipe = pipe;
  }

  /** Resolves when the host has ended its side, or this side was closed. */
  get ended(): Promise<Ending> {
    return this.#ended.promise;
  }

  /** How often something was written: it grows while the pipe is in use. */
  get writes(): number {
    return this.#writes;
  }

  /** Reads before there is a reader, until `handBack`. */
  peek(look: PipeReader): void {
    this.#look = look;
    this.#read();
  }

  /** Ends the look: from now on all waits for the reader, who gets these bytes first. */
  handBack(bytes: Buffer): void {
    this.#look = undefined;
    this.#pipe.pause();
    if (bytes.length > 0) this.#held.push(bytes);
  }

  open(reader: PipeReader): void {
    this.#reader = reader;
    if (!this.#isRead) this.#read();
    // As from any pipe, nothing comes before the opening has returned.
    else process.nextTick(() => this.#handOver());
  }

  pause(): void {
    this.#isPaused = true;
    this.#pipe.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (this.#held.length > 0 || this.#heldEnding !== undefined) this.#handOver();
    else this.#pipe.resume();
  }

  write(data: Encoded): boolean {
    this.#writes += 1;
    return this.#pipe.write(data);
  }

  get hasRoom(): boolean {
    return this.#pipe.hasRoom;
  }

  get isFull(): boolean {
    return this.#pipe.isFull;
  }

  drained(): Promise<void> {
    return this.#pipe.drained();
  }

  unwritable(): Promise<void> {
    return this.#pipe.unwritable();
  }

  finish(): Promise<void> {
    return this.#pipe.finish();
  }

  destroy(ending?: Ending): void {
    this.#held = [];
    this.#pipe.destroy(ending);
  }

  #read(): void {
    this.#isRead = true;
    this.#pipe.open({ data: (chunk) => this.#data(chunk), end: (ending) => this.#end(ending) });
  }

  #data(chunk: Buffer): void {
    const listener = this.#look ?? (this.#held.length === 0 ? this.#reader : undefined);
    if (listener !== undefined) listener.data(chunk);
    // The chunk is lent until this returns.
    else this.#held.push(Buffer.from(chunk));
  }

  #end(ending: Ending): void {
    this.#ended.resolve(ending);
    const listener = this.#held.length === 0 ? this.#reader : undefined;
    if (listener !== undefined) listener.end(ending);
    else {
      // It may end in the very moment of the look.
      this.#heldEnding = ending;
      this.#look?.end(ending);
    }
  }

  #handOver(): void {
    while (!this.#isPaused) {
      const chunk = this.#held[0];
      if (chunk === undefined) break;
      // Still held while it is read: what a reader lets in meanwhile must not overtake it.
      this.#reader?.data(chunk);
      this.#held.shift();
    }
    if (this.#isPaused) return;
    const ending = this.#heldEnding;
    this.#heldEnding = undefined;
    if (ending === undefined) this.#pipe.resume();
    else this.#reader?.end(ending);
  }
}
