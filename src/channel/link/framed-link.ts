// A link that frames messages over a pipe.
import type { StringDecoder } from 'node:string_decoder';
import { builtins } from '../../base/builtins.ts';
import type { Ending, Pipe, PipeReader } from '../bytes/pipe.ts';
import { HEAD_BYTES, type FrameDecoder, type FrameSink, type Framing } from '../frame/framing.ts';
import { messageDecoder, type Decode } from '../message/decode.ts';
import { messageEncoder, type Encode } from '../message/encode.ts';
import { exceededLimit, type JsonLimits } from '../message/json-limits.ts';
import type { Message } from '../message/message.ts';
import type { Tolerances } from '../message/tolerances.ts';
import type { Link, LinkListener } from './link.ts';

export interface LinkOptions {
  /**
   * Deviations from JSON-RPC that are accepted.
   * @default nothing
   */
  readonly tolerances?: Tolerances;
  /**
   * How much structure a message may have; one with more is not parsed, and is reported as oversize.
   * @default any
   */
  readonly limits?: JsonLimits;
}

export function framedLink(pipe: Pipe, framing: Framing, options: LinkOptions = {}): Link {
  return new FramedLink(pipe, framing, options);
}

/** Itself the reader of the pipe and the sink of the decoder: a closure for each would weigh on every idle connection. */
class FramedLink implements Link, PipeReader, FrameSink {
  readonly #pipe: Pipe;
  readonly #framing: Framing;
  readonly #encode: Encode = messageEncoder();
  readonly #decode: Decode;
  readonly #limits: JsonLimits | undefined;
  #decoder: FrameDecoder | undefined;
  #listener: LinkListener | undefined;
  /** Noise comes in pieces that may cut a character. */
  #noiseText: StringDecoder | undefined;

  constructor(pipe: Pipe, framing: Framing, options: LinkOptions) {
    this.#pipe = pipe;
    this.#framing = framing;
    this.#decode = messageDecoder(options.tolerances);
    this.#limits = options.limits;
  }

  open(listener: LinkListener): void {
    this.#listener = listener;
    this.#decoder = this.#framing.decoder(this);
    this.#pipe.open(this);
  }

  pause(): void {
    this.#pipe.pause();
  }

  resume(): void {
    this.#pipe.resume();
  }

  send(message: Message): boolean {
    return this.#pipe.write(this.#framing.encode(this.#encode(message)));
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
    this.#pipe.destroy(ending);
  }

  data(chunk: Buffer): void {
    this.#listener?.chunkStart(chunk.length);
    this.#decoder?.push(chunk);
  }

  end(ending: Ending): void {
    // After a close from this end, half a message is not worth a report.
    if (ending.kind !== 'closed') this.#decoder?.end();
    const listener = this.#listener;
    // When it was closed from inside a chunk, the rest of that chunk is dropped.
    this.#listener = undefined;
    listener?.end(ending);
  }

  body(text: string, start: number, end: number): void {
    const excess = this.#limits && exceededLimit(text, this.#limits, start, end);
    if (excess !== undefined) {
      const head = text.slice(start, Math.min(end, start + HEAD_BYTES));
      const tail = text.slice(Math.max(start, end - HEAD_BYTES), end);
      return this.#listener?.trouble({ kind: 'oversize', size: end - start, head, tail, excess });
    }
    this.#listener?.message(this.#decode(text, start, end));
  }

  noise(bytes: Buffer): void {
    this.#noiseText ??= new builtins.stringDecoder.StringDecoder('utf8');
    const text = this.#noiseText.write(bytes);
    if (text !== '') this.#listener?.trouble({ kind: 'noise', text });
  }

  oversize(size: number, head: string): void {
    this.#listener?.trouble({ kind: 'oversize', size, head });
  }

  torn(size: number): void {
    this.#listener?.trouble({ kind: 'torn', size });
  }
}
