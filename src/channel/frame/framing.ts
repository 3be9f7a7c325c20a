// Cuts bytes into message bodies and back. One file per framing; the contract suite in framing.test.ts holds for each.
import { builtins } from '../../base/builtins.ts';
import { DEFAULT_FRAME_LIMIT, KiB } from '../../base/units.ts';
import { PluglotError } from '../../base/error.ts';
import type { Encoded } from '../bytes/pipe.ts';
import { lengthOf, textOf, type Body } from './body.ts';

// Always there, and asked for every message.
const { constants, isAscii } = builtins.buffer;

export interface Framing {
  readonly name: string;
  /** @throws PluglotError FRAME_TOO_LARGE when the body is over the sending limit. */
  encode(body: Body): Encoded;
  decoder(sink: FrameSink): FrameDecoder;
}

export interface FrameDecoder {
  /** May overwrite the chunk; copies what it keeps. */
  push(chunk: Buffer): void;
  /** The input is over: hands out what is still complete, reports what is torn. */
  end(): void;
}

export interface FrameSink {
  /** One body: `text` from `start` to `end`. A range, because most bodies are pieces of one text decoded per chunk. */
  body(text: string, start: number, end: number): void;
  /** Bytes outside any frame, in pieces as they come. They are the sink's to keep. */
  noise(bytes: Buffer): void;
  /** A body over the receiving limit was skipped. `head` is its beginning, to find the request it belongs to. */
  oversize(size: number, head: string): void;
  /** The input ended inside a frame, after this many bytes of it. */
  torn(size: number): void;
}

export interface FrameLimits {
  /**
   * The largest body taken, in bytes.
   * @default 16 MiB
   */
  readonly receiveLimit?: number;
  /**
   * The largest body sent, in bytes.
   * @default 16 MiB
   */
  readonly sendLimit?: number;
}

/** How much of an oversize body is kept to find the request it belongs to. */
export const HEAD_BYTES = 256;

export function resolveLimits(limits: FrameLimits = {}): Required<FrameLimits> {
  return {
    // A body becomes one string, and V8 has no longer ones than that.
    receiveLimit: Math.min(limits.receiveLimit ?? DEFAULT_FRAME_LIMIT, constants.MAX_STRING_LENGTH),
    sendLimit: limits.sendLimit ?? DEFAULT_FRAME_LIMIT,
  };
}

/** From here on a payload is sent in a piece of its own: shorter ones are merged with their neighbours. */
export const LONG = 16 * KiB;

/** Of a body of this size, between what the framing puts before and after it. */
export function encodeBody(
  before: string,
  body: Body,
  size: number,
  after: string,
  sendLimit: number,
): Encoded {
  if (size > sendLimit) throw tooLarge(size, sendLimit);
  const { head, payload, tail } = body;
  const isAscii = size === lengthOf(body);
  if (!isAscii) {
    const bytes = Buffer.allocUnsafe(before.length + size + after.length);
    bytes.write(before, 'latin1');
    bytes.write(textOf(body), before.length, 'utf8');
    bytes.write(after, before.length + size, 'latin1');
    return bytes;
  }
  return payload.length < LONG
    ? before + head + payload + tail + after
    : [before + head, payload, tail + after];
}

function tooLarge(size: number, sendLimit: number): PluglotError {
  return new PluglotError(
    'FRAME_TOO_LARGE',
    `A message of ${size} bytes was not sent: the limit for sending is ${sendLimit} bytes. ` +
      `Send less, or raise sendLimit if the other end takes more.`,
  );
}

/** The text of a body. Latin1 is a plain copy, so ASCII takes it; invalid UTF-8 becomes U+FFFD. */
export function decodeBytes(bytes: Buffer): string {
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
}
