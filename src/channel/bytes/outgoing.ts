// The writing half of a pipe over any Node Writable: merges, limits, resolves waiting writers.
import type { Writable } from 'node:stream';
import { builtins } from '../../base/builtins.ts';
import { PluglotError } from '../../base/error.ts';
import { DEFAULT_QUEUE_LIMIT, DEFAULT_QUEUE_MARK, KiB, MiB } from '../../base/units.ts';
import { sentence } from '../../base/text.ts';
import { Draft } from './draft.ts';
import type { Encoded, PipeOptions } from './pipe.ts';

/**
 * A burst is sent in pieces while it is still being produced, so that both processes work at the same time. The first piece is
 * small, to wake the other end early; each is twice the last, so that a long burst takes few writes. Node writes a latin1
 * string of up to 16 KiB from the stack, without allocating; above that it does.
 */
const FIRST_PIECE = 4 * KiB;
const LARGEST_PIECE = 16 * KiB;

export class Outgoing {
  readonly #stream: Writable;
  readonly #mark: number;
  readonly #limit: number;
  readonly #draft = new Draft();
  #pieceLimit = FIRST_PIECE;
  #scheduled = false;
  #failure: PluglotError | undefined;
  #finished: Promise<void> | undefined;
  #waiters: { resolve: () => void; reject: (error: Error) => void }[] = [];

  constructor(stream: Writable, options: PipeOptions = {}) {
    this.#stream = stream;
    this.#limit = options.queueLimit ?? DEFAULT_QUEUE_LIMIT;
    this.#mark = Math.min(options.queueMark ?? DEFAULT_QUEUE_MARK, this.#limit);
    stream.on('error', (error) => this.#fail(error));
    stream.on('close', () => this.#fail());
  }

  get hasRoom(): boolean {
    return this.#queued < this.#mark;
  }

  get isFull(): boolean {
    return this.#queued >= this.#limit;
  }

  get #queued(): number {
    return this.#stream.writableLength + this.#draft.length;
  }

  write(data: Encoded): boolean {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.isFull) throw queueIsFull(this.#limit);
    if (typeof data === 'string') this.#writeBytes(data);
    else if ('text' in data) this.#writeText(data.text);
    else if (isPieces(data)) {
      this.#flush();
      this.#sendPieces(data);
    } else if (data.length > LARGEST_PIECE) {
      this.#flush();
      this.#send(data);
    } else {
      this.#writeBytes(Buffer.from(data).toString('latin1'));
    }
    return this.hasRoom;
  }

  drained(): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.hasRoom) return Promise.resolve();
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  /** A second caller waits as well: destroying the pipe before all is sent would lose the rest. */
  finish(): Promise<void> {
    this.#finished ??= this.#finish();
    return this.#finished;
  }

  #finish(): Promise<void> {
    if (this.#failure !== undefined) return Promise.resolve();
    this.#flush();
    return new Promise((resolve) => {
      this.#stream.once('close', resolve);
      this.#stream.end(resolve);
      this.#failure = outgoingIsOver();
    });
  }

  unwritable(): Promise<void> {
    if (this.#failure !== undefined) return Promise.resolve();
    return new Promise((resolve) => {
      this.#stream.once('error', () => resolve());
      this.#stream.once('finish', resolve);
      this.#stream.once('close', resolve);
    });
  }

  destroy(): void {
    this.#fail();
    this.#stream.destroy();
  }

  readonly #flushScheduled = (): void => {
    this.#scheduled = false;
    this.#pieceLimit = FIRST_PIECE;
    if (this.#failure === undefined) this.#flush();
  };

  #writeBytes(bytes: string): void {
    this.#makeRoomFor(bytes.length);
    this.#draft.addBytes(bytes);
    this.#flushSoon();
  }

  #writeText(text: string): void {
    this.#makeRoomFor(text.length);
    this.#draft.addText(text);
    this.#flushSoon();
  }

  #makeRoomFor(length: number): void {
    if (this.#draft.length + length <= this.#pieceLimit) return;
    this.#flush();
    this.#pieceLimit = Math.min(this.#pieceLimit * 2, LARGEST_PIECE);
  }

  #flushSoon(): void {
    if (this.#draft.length > LARGEST_PIECE) this.#flush();
    if (this.#scheduled) return;
    // nextTick runs after the microtasks of this turn, so all that awaits the same chunk of input joins in.
    this.#scheduled = true;
    process.nextTick(this.#flushScheduled);
  }

  #flush(): void {
    if (this.#draft.length > 0) this.#send(this.#draft.take());
  }

  #send(data: string | Uint8Array): void {
    if (typeof data === 'string') this.#stream.write(data, 'latin1', this.#written);
    else this.#stream.write(data, this.#written);
  }

  #sendPieces(pieces: readonly string[]): void {
    // Once a socket has written something, the system has a copy of it; other streams may keep what they got.
    const buffer =
      this.#stream instanceof builtins.net.Socket ? takeWriteBuffer(totalLength(pieces)) : undefined;
    if (buffer === undefined) this.#sendCorked(pieces);
    else this.#sendFromBuffer(pieces, buffer);
  }

  #sendFromBuffer(pieces: readonly string[], buffer: Buffer): void {
    let size = 0;
    for (const piece of pieces) size += buffer.write(piece, size, 'latin1');
    this.#stream.write(buffer.subarray(0, size), (error) => {
      releaseWriteBuffer();
      this.#written(error);
    });
  }

  /** Corked, they reach the system as one write, and are copied once on the way. */
  #sendCorked(pieces: readonly string[]): void {
    this.#stream.cork();
    for (const piece of pieces) this.#send(piece);
    this.#stream.uncork();
  }

  readonly #written = (error?: Error | null): void => {
    // A failed write leaves the queue as well, but makes no room: its error comes to #fail.
    if (this.#waiters.length === 0 || !this.hasRoom || error || this.#stream.destroyed) return;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter.resolve();
  };

  #fail(error?: Error): void {
    this.#draft.clear();
    this.#failure ??= outgoingIsOver(error);
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter.reject(this.#failure);
  }
}

function isPieces(data: Encoded): data is readonly string[] {
  return Array.isArray(data);
}

function totalLength(pieces: readonly string[]): number {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  return length;
}

function outgoingIsOver(cause?: Error): PluglotError {
  const nobodyReads = cause !== undefined && 'code' in cause && cause.code === 'EPIPE';
  const why = nobodyReads
    ? `the other end does not read any more (${cause.message})`
    : (cause?.message ?? 'it has ended');
  return new PluglotError('PIPE_ENDED', `Nothing more can be sent through this pipe: ${sentence(why)}`, {
    cause,
  });
}

function queueIsFull(limit: number): PluglotError {
  return new PluglotError(
    'PIPE_FULL',
    `${limit} bytes wait in the pipe and the other end does not read them. ` +
      `When write() or notify() returns false, await drained() before sending more.`,
  );
}

/**
 * One buffer for all large writes of this process, since memory that is touched for the first time costs more than the copy into it.
 * And text that was copied is free at once: while a slow write keeps it, V8 moves it to the old generation.
 */
const WRITE_BUFFER_SIZE = 2 * MiB;
const shared: { buffer?: Buffer; isTaken: boolean } = { isTaken: false };

/** Undefined while it is in use, or when it is too small. To be released when the bytes have left. */
function takeWriteBuffer(size: number): Buffer | undefined {
  if (shared.isTaken || size > WRITE_BUFFER_SIZE) return undefined;
  shared.isTaken = true;
  shared.buffer ??= Buffer.allocUnsafeSlow(WRITE_BUFFER_SIZE);
  return shared.buffer;
}

function releaseWriteBuffer(): void {
  shared.isTaken = false;
}
