// Pipes over what Node offers: streams, sockets, file descriptors, and a linked pair in memory.
import type { Duplex, Readable, Writable } from 'node:stream';
import { builtins } from '../../base/builtins.ts';
import { fileIncoming, readableIncoming, socketIncoming, type Incoming } from './incoming.ts';
import { Outgoing } from './outgoing.ts';
import type { Encoded, Ending, Pipe, PipeOptions, PipeReader } from './pipe.ts';

export function streamPipe(readable: Readable, writable: Writable, options?: PipeOptions): Pipe {
  return new JoinedPipe(readableIncoming(readable), new Outgoing(writable, options));
}

/** A connected net.Socket, or any other Duplex. */
export function socketPipe(socket: Duplex, options?: PipeOptions): Pipe {
  // The directions of a pipe end separately: an end that has sent all its requests still gets the answers.
  socket.allowHalfOpen = true;
  return streamPipe(socket, socket, options);
}

/** A pair of file descriptors, such as this process's own stdio: `fdPipe(0, 1)`; or twice the same, of a socket. */
export function fdPipe(input: number, output: number, options?: PipeOptions): Pipe {
  const { Socket } = builtins.net;
  // Node takes a descriptor into its event loop once only.
  if (input === output) return socketPipe(new Socket({ fd: input }), options);
  const incoming = isSocketOrFifo(input) ? socketIncoming(input) : fileIncoming(input);
  const writable = isSocketOrFifo(output)
    ? new Socket({ fd: output, readable: false, writable: true })
    : builtins.fs.createWriteStream('', { fd: output, autoClose: false });
  return new JoinedPipe(incoming, new Outgoing(writable, options));
}

/** Two pipes in this process; what one writes the other reads. */
export function linkedPipes(options?: PipeOptions): [Pipe, Pipe] {
  const { PassThrough } = builtins.stream;
  const there = new PassThrough();
  const back = new PassThrough();
  return [streamPipe(back, there, options), streamPipe(there, back, options)];
}

export class JoinedPipe implements Pipe {
  readonly #incoming: Incoming;
  readonly #outgoing: Outgoing;
  #reader: PipeReader | undefined;

  constructor(incoming: Incoming, outgoing: Outgoing) {
    this.#incoming = incoming;
    this.#outgoing = outgoing;
  }

  open(reader: PipeReader): void {
    this.#reader = reader;
    this.#incoming.open({
      data: (chunk) => this.#reader?.data(chunk),
      end: (ending) => this.#reportEnd(ending),
    });
  }

  pause(): void {
    this.#incoming.pause();
  }

  resume(): void {
    this.#incoming.resume();
  }

  write(data: Encoded): boolean {
    return this.#outgoing.write(data);
  }

  get hasRoom(): boolean {
    return this.#outgoing.hasRoom;
  }

  get isFull(): boolean {
    return this.#outgoing.isFull;
  }

  drained(): Promise<void> {
    return this.#outgoing.drained();
  }

  unwritable(): Promise<void> {
    return this.#outgoing.unwritable();
  }

  finish(): Promise<void> {
    return this.#outgoing.finish();
  }

  destroy(ending: Ending = { kind: 'closed' }): void {
    this.#outgoing.destroy();
    this.#incoming.destroy();
    this.#reportEnd(ending);
  }

  #reportEnd(ending: Ending): void {
    const reader = this.#reader;
    this.#reader = undefined;
    reader?.end(ending);
  }
}

function isSocketOrFifo(fd: number): boolean {
  const stat = builtins.fs.fstatSync(fd);
  return stat.isFIFO() || stat.isSocket();
}
