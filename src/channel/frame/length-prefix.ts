// Four bytes of length, big-endian, then the body in UTF-8. Text that a plugin printed in between is found and skipped.
import { builtins } from '../../base/builtins.ts';
import { sizeOf } from './body.ts';
import { decodeBytes, encodeBody, HEAD_BYTES, resolveLimits } from './framing.ts';
import type { FrameDecoder, FrameLimits, FrameSink, Framing } from './framing.ts';
import { HeldBytes } from './held-bytes.ts';

// Always there, and asked for every message.
const { isAscii } = builtins.buffer;

const HEADER = 4;
const SPACE = 0x20;
/**
 * Lengths from here on (112 MiB) are what printed text looks like when read as a length: its first byte is a bell or above.
 * They are never taken or skipped as frames, since the frames after the text would be lost with it.
 */
const TEXT_AS_LENGTH = 0x07000000;

export function lengthPrefix(limits?: FrameLimits): Framing {
  const { receiveLimit, sendLimit } = resolveLimits(limits);
  return {
    name: 'length-prefix',
    encode: (body) => {
      const size = sizeOf(body);
      return encodeBody(header(size), body, size, '', sendLimit);
    },
    decoder: (sink) => new LengthPrefixDecoder(sink, Math.min(receiveLimit, TEXT_AS_LENGTH - 1)),
  };
}

function header(size: number): string {
  return String.fromCharCode(size >>> 24, (size >>> 16) & 0xff, (size >>> 8) & 0xff, size & 0xff);
}

class LengthPrefixDecoder implements FrameDecoder {
  readonly #sink: FrameSink;
  readonly #limit: number;
  #state: 'frames' | 'oversize' | 'noise' = 'frames';
  /** The part of a body that has come; or less than a header; or, in noise, what may be the start of a frame. */
  readonly #held = new HeldBytes();
  /** The size of the body that #held waits for; 0 when it waits for a header. */
  #bodySize = 0;
  readonly #oversize = { size: 0, left: 0, reported: true };

  constructor(sink: FrameSink, limit: number) {
    this.#sink = sink;
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    let bytes = chunk;
    if (this.#bodySize === 0 && this.#held.size > 0 && this.#state !== 'oversize') {
      bytes = Buffer.concat([this.#held.takeBytes(), chunk]);
    }
    let at = 0;
    while (at < bytes.length) {
      switch (this.#state) {
        case 'frames':
          at = this.#bodySize > 0 ? this.#fillBody(bytes, at) : this.#frames(bytes, at);
          break;
        case 'oversize':
          at = this.#skipOversize(bytes, at);
          break;
        case 'noise':
          at = this.#skipNoise(bytes, at);
          break;
      }
    }
  }

  end(): void {
    if (this.#state === 'oversize') {
      this.#reportOversize();
      this.#sink.torn(HEADER + this.#oversize.size - this.#oversize.left);
    } else if (this.#bodySize > 0) {
      this.#sink.torn(HEADER + this.#held.size);
    } else if (this.#held.size > 0) {
      const rest = this.#held.takeBytes();
      if (this.#state === 'noise' || isText(rest[0])) this.#sink.noise(rest);
      else this.#sink.torn(rest.length);
    }
    this.#held.clear();
    this.#bodySize = 0;
  }

  /** Takes all frames that are complete in this chunk, then holds the rest or changes the state. */
  #frames(bytes: Buffer, from: number): number {
    const ends: number[] = [];
    let at = from;
    let size = 0;
    while (at + HEADER <= bytes.length) {
      size = bytes.readUInt32BE(at);
      const end = at + HEADER + size;
      if (size > this.#limit || end > bytes.length) break;
      ends.push(end);
      at = end;
    }
    if (ends.length > 0) this.#bodies(bytes, from, ends);
    if (at === bytes.length) return at;
    if (at + HEADER <= bytes.length && size > this.#limit) return this.#overLimit(bytes, at, size);
    if (at + HEADER <= bytes.length) {
      this.#bodySize = size;
      this.#held.expect(size);
      at += HEADER;
    }
    if (at < bytes.length) this.#held.add(bytes.subarray(at));
    return bytes.length;
  }

  #bodies(bytes: Buffer, from: number, ends: readonly number[]): void {
    const last = ends[ends.length - 1] ?? from;
    let start = from + HEADER;
    if (ends.length > 1) {
      // One decode for all bodies of the chunk, as with lines: with the headers blanked out it is ASCII if they are.
      for (const end of ends) {
        bytes[start - 4] = bytes[start - 3] = bytes[start - 2] = bytes[start - 1] = SPACE;
        start = end + HEADER;
      }
      start = from + HEADER;
      const whole = bytes.subarray(from, last);
      if (isAscii(whole)) {
        const text = whole.toString('latin1');
        start = HEADER;
        for (const end of ends) {
          this.#body(text, start, end - from);
          start = end - from + HEADER;
        }
        return;
      }
    }
    for (const end of ends) {
      const text = decodeBytes(bytes.subarray(start, end));
      this.#body(text, 0, text.length);
      start = end + HEADER;
    }
  }

  #body(text: string, start: number, end: number): void {
    if (end > start) this.#sink.body(text, start, end);
  }

  #fillBody(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#bodySize - this.#held.size);
    this.#held.add(bytes.subarray(at, end));
    if (this.#held.size === this.#bodySize) {
      this.#bodySize = 0;
      const text = this.#held.take();
      this.#body(text, 0, text.length);
    }
    return end;
  }

  #overLimit(bytes: Buffer, at: number, size: number): number {
    if (size < TEXT_AS_LENGTH) {
      this.#state = 'oversize';
      this.#oversize.size = this.#oversize.left = size;
      this.#oversize.reported = false;
      return at + HEADER;
    }
    if (!isText(bytes[at])) {
      this.#sink.oversize(size, '');
    } else if (!bytes.subarray(at, at + HEADER).every(isText)) {
      // A print of one to three bytes before a frame, or the length of a huge one: the next two bytes decide.
      if (at + HEADER + 1 >= bytes.length) {
        this.#held.add(bytes.subarray(at));
        return bytes.length;
      }
      if (isBodyStart(bytes, at + HEADER)) this.#sink.oversize(size, '');
    }
    this.#state = 'noise';
    return at;
  }

  #skipOversize(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#oversize.left);
    if (!this.#oversize.reported) {
      this.#held.add(bytes.subarray(at, Math.min(end, at + HEAD_BYTES - this.#held.size)));
      if (this.#held.size === HEAD_BYTES) this.#reportOversize();
    }
    this.#oversize.left -= end - at;
    if (this.#oversize.left === 0) {
      this.#reportOversize();
      this.#state = 'frames';
    }
    return end;
  }

  #reportOversize(): void {
    if (this.#oversize.reported) return;
    this.#oversize.reported = true;
    this.#sink.oversize(this.#oversize.size, this.#held.take());
  }

  /** Looks for the next frame; what goes before it is noise. Each byte is looked at once, but for the few that may be half a header. */
  #skipNoise(bytes: Buffer, from: number): number {
    const highest = this.#limit >>> 24;
    let at = skipHigher(bytes, from, highest);
    while (at < bytes.length && !this.#mayBeFrameStart(bytes, at)) at = skipHigher(bytes, at + 1, highest);
    if (at > from) this.#sink.noise(Buffer.from(bytes.subarray(from, at)));
    if (at + HEADER + 1 < bytes.length) {
      this.#state = 'frames';
      return at;
    }
    if (at < bytes.length) this.#held.add(bytes.subarray(at));
    return bytes.length;
  }

  /** A length within the limit and then the start of a body, as far as these bytes show. */
  #mayBeFrameStart(bytes: Buffer, at: number): boolean {
    if (at + HEADER + 1 >= bytes.length) return true;
    const size = bytes.readUInt32BE(at);
    return size >= 2 && size <= this.#limit && isBodyStart(bytes, at + HEADER);
  }
}

/** Text has no byte as low as the first of a length, so that this plain loop skips nearly all of it. */
function skipHigher(bytes: Buffer, from: number, highest: number): number {
  let at = from;
  while (at < bytes.length && (bytes[at] as number) > highest) at += 1; // within its bounds
  return at;
}

/** `{"` or `[{`, or either bracket with a blank or its closing one. */
function isBodyStart(bytes: Buffer, at: number): boolean {
  const second = String.fromCharCode(bytes[at + 1] ?? 0);
  switch (bytes[at]) {
    case 0x7b:
      return '"} \t\r\n'.includes(second);
    case 0x5b:
      return '{] \t\r\n'.includes(second);
    default:
      return false;
  }
}

/** Whether printed text can begin with this byte: a bell, a line break, a colour, a letter, any byte of UTF-8. */
function isText(byte = 0): boolean {
  return (byte >= 0x07 && byte <= 0x0d) || byte === 0x1b || (byte >= SPACE && byte !== 0x7f && byte < 0xf8);
}
