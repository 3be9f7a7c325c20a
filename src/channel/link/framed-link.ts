// A link that frames messages over a pipe.
import type { Ending, Pipe, PipeReader } from '../bytes/pipe.ts';
import type { FrameDecoder, FrameSink, Framing } from '../frame/framing.ts';
import { messageDecoder, type Decode } from '../message/decode.ts';
import { messageEncoder, type Encode } from '../message/encode.ts';
import type { Message } from '../message/message.ts';
import type { Tolerances } from '../message/tolerances.ts';
import type { Link, LinkListener } from './link.ts';

export interface LinkOptions {
  /**
   * What this end forgives the other.
   * @default nothing
   */
  readonly tolerances?: Tolerances;
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
  #decoder: FrameDecoder | undefined;
  #listener: LinkListener | undefined;

  constructor(pipe: Pipe, framing: Framing, options: LinkOptions) {
    this.#pipe = pipe;
    this.#framing = framing;
    this.#decode = messageDecoder(options.tolerances);
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

  finish(): Promise<void> {
    return this.#pipe.finish();
  }

  destroy(ending?: Ending): void {
    this.#pipe.destroy(ending);
  }

  data(chunk: Buffer): void {
    this.#listener?.chunkStart();
    this.#decoder?.push(chunk);
  }

  end(ending: Ending): void {
    this.#decoder?.end();
    this.#listener?.end(ending);
  }

  body(text: string, start: number, end: number): void {
    this.#listener?.message(this.#decode(text, start, end));
  }

  noise(bytes: Buffer): void {
    this.#listener?.trouble({ kind: 'noise', text: bytes.toString() });
  }

  oversize(size: number, head: string): void {
    this.#listener?.trouble({ kind: 'oversize', size, head });
  }

  torn(size: number): void {
    this.#listener?.trouble({ kind: 'torn', size });
  }
}
