// The other end of a wire, in plain sight: a test says what is sent and sees what came, as values. Its framing is its own.
import { onTestFinished } from 'vitest';
import { randomUUID } from 'node:crypto';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { streamPipe } from '../../../src/channel/bytes/stream-pipe.ts';
import type { Pipe, PipeOptions } from '../../../src/channel/bytes/pipe.ts';
import type { FrameLimits, Framing } from '../../../src/channel/frame/framing.ts';
import { lengthPrefix } from '../../../src/channel/frame/length-prefix.ts';
import { lines } from '../../../src/channel/frame/lines.ts';
import { framedLink, type LinkOptions } from '../../../src/channel/link/framed-link.ts';
import type { PeerOptions, PeerTrouble } from '../../../src/channel/peer/options.ts';
import { Peer } from '../../../src/channel/peer/peer.ts';

export type FramingName = 'lines' | 'length-prefix';

export const framingNames: readonly FramingName[] = ['lines', 'length-prefix'];

export function framingOf(name: FramingName, limits?: FrameLimits): Framing {
  return name === 'lines' ? lines(limits) : lengthPrefix(limits);
}

export interface RawOptions extends PeerOptions, PipeOptions, FrameLimits, LinkOptions {}

/** Our peer on one side, a raw end on the other; both are gone when the test is over. */
export function peerAndRawEnd(name: FramingName, options: RawOptions = {}): { peer: Peer; raw: RawEnd } {
  const { pipe, raw } = pipeAndRawEnd(name, options);
  const link = framedLink(pipe, framingOf(name, options), options);
  const peer = new Peer(link, { name: 'the plugin', ...options });
  onTestFinished(() => pipe.destroy());
  return { peer, raw };
}

/** The same, and the first trouble that the peer reports. */
export function withTrouble(name: FramingName, options: RawOptions = {}) {
  const troubles: PeerTrouble[] = [];
  let tell: (trouble: PeerTrouble) => void = () => {};
  const trouble = new Promise<PeerTrouble>((resolve) => (tell = resolve));
  const onTrouble = (trouble: PeerTrouble) => {
    troubles.push(trouble);
    tell(trouble);
  };
  return { ...peerAndRawEnd(name, { ...options, onTrouble }), trouble, troubles };
}

/** When this resolves, the peer has handled all that the raw end sent before. */
export function allHandled(peer: Peer, raw: RawEnd): Promise<void> {
  const method = `barrier ${randomUUID()}`;
  return new Promise((resolve) => {
    peer.onNotification(method, () => resolve());
    raw.notify(method);
  });
}

/** What the peer has sent until now and the test has not read. */
export async function unread(peer: Peer, raw: RawEnd): Promise<unknown[]> {
  await allHandled(peer, raw);
  const method = `fence ${randomUUID()}`;
  peer.notify(method);
  const messages: unknown[] = [];
  for (;;) {
    const message = await raw.next();
    if ((message as { method?: unknown }).method === method) return messages;
    messages.push(message);
  }
}

export function pipeAndRawEnd(name: FramingName, options?: PipeOptions): { pipe: Pipe; raw: RawEnd } {
  const there = new PassThrough();
  const back = new PassThrough();
  return { pipe: streamPipe(back, there, options), raw: new RawEnd(there, back, name) };
}

export class RawEnd {
  /** All messages that came, as they were parsed. */
  readonly received: unknown[] = [];
  /** Resolves when the input is over. */
  readonly inputEnded: Promise<void>;
  readonly #readable: Readable;
  readonly #writable: Writable;
  readonly #framing: FramingName;
  readonly #listeners: ((message: unknown) => void)[] = [];
  #read = 0;
  #rest = Buffer.alloc(0);
  #wake = () => {};

  constructor(readable: Readable, writable: Writable, framing: FramingName) {
    this.#readable = readable;
    this.#writable = writable;
    this.#framing = framing;
    this.inputEnded = new Promise((resolve) => readable.once('close', resolve));
    writable.on('error', () => {}); // the other end may be gone first
    readable.on('data', (chunk: Buffer) => this.#data(chunk));
  }

  onMessage(listener: (message: unknown) => void): void {
    this.#listeners.push(listener);
  }

  /** The next message that was not asked for yet. */
  async next(): Promise<unknown> {
    while (this.#read === this.received.length) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    this.#read += 1;
    return this.received[this.#read - 1];
  }

  /** The next so many messages. */
  async take(count: number): Promise<unknown[]> {
    const taken: unknown[] = [];
    while (taken.length < count) taken.push(await this.next());
    return taken;
  }

  /** The next message, which has to be a request. */
  async nextRequest(): Promise<{ id: number; method: string; params: unknown }> {
    const message = await this.next();
    if (typeof message !== 'object' || message === null || !('id' in message) || !('method' in message)) {
      throw new Error(`Expected a request, got ${JSON.stringify(message)}`);
    }
    return message as { id: number; method: string; params: unknown };
  }

  /** Sends values, all in one piece. */
  send(...values: readonly unknown[]): void {
    this.sendText(...values.map((value) => JSON.stringify(value)));
  }

  /** Sends bodies as they are, all in one piece. */
  sendText(...bodies: readonly string[]): void {
    this.write(Buffer.concat(bodies.map((body) => frame(this.#framing, body))));
  }

  answer(id: unknown, result: unknown): void {
    this.send({ jsonrpc: '2.0', id, result });
  }

  notify(method: string, params?: unknown): void {
    this.send({ jsonrpc: '2.0', method, params });
  }

  write(bytes: Buffer | string): void {
    this.#writable.write(bytes);
  }

  pause(): void {
    this.#readable.pause();
  }

  resume(): void {
    this.#readable.resume();
  }

  /** Ends what this end sends; it goes on reading. */
  end(): void {
    this.#writable.end();
  }

  /** Gone in both directions. */
  destroy(error?: Error): void {
    this.#writable.destroy(error);
    this.#readable.destroy();
  }

  #data(chunk: Buffer): void {
    const { bodies, rest } = unframe(this.#framing, Buffer.concat([this.#rest, chunk]));
    this.#rest = rest;
    for (const body of bodies) {
      const message: unknown = JSON.parse(body);
      this.received.push(message);
      for (const listener of this.#listeners) listener(message);
    }
    this.#wake();
  }
}

export function frame(framing: FramingName, body: string): Buffer {
  const bytes = Buffer.from(body);
  if (framing === 'lines') return Buffer.concat([bytes, Buffer.from('\n')]);
  const header = Buffer.alloc(4);
  header.writeUInt32BE(bytes.length);
  return Buffer.concat([header, bytes]);
}

function unframe(framing: FramingName, bytes: Buffer): { bodies: string[]; rest: Buffer<ArrayBuffer> } {
  const bodies: string[] = [];
  let at = 0;
  for (;;) {
    const start = framing === 'lines' ? at : at + 4;
    const end = framing === 'lines' ? bytes.indexOf(0x0a, at) : endOfFrame(bytes, at);
    if (end === -1) return { bodies, rest: Buffer.from(bytes.subarray(at)) };
    bodies.push(bytes.toString('utf8', start, end));
    at = framing === 'lines' ? end + 1 : end;
  }
}

function endOfFrame(bytes: Buffer, at: number): number {
  if (at + 4 > bytes.length) return -1;
  const end = at + 4 + bytes.readUInt32BE(at);
  return end > bytes.length ? -1 : end;
}
