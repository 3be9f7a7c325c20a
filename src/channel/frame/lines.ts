// One message per line (NDJSON): LF ends it; CRLF and a last line without LF are taken, blank lines ignored.
import { builtins } from '../../base/builtins.ts';
import { lengthOf, sizeOf } from './body.ts';
import { decodeBytes, encodeBody, HEAD_BYTES, LONG, resolveLimits } from './framing.ts';
import type { FrameDecoder, FrameLimits, FrameSink, Framing } from './framing.ts';
import { HeldBytes } from './held-bytes.ts';

// Always there, and asked for every message.
const { isAscii } = builtins.buffer;

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;

/** A line's size, for the limits, is that of everything before its LF. */
export function lines(limits?: FrameLimits): Framing {
  const { receiveLimit, sendLimit } = resolveLimits(limits);
  // A character takes up to three bytes: what is shorter than this needs no measuring.
  const surelyFits = Math.min(Math.floor(sendLimit / 3), LONG);
  return {
    name: 'lines',
    encode: (body) =>
      lengthOf(body) < surelyFits
        ? { text: body.head + body.payload + body.tail + '\n' }
        : encodeBody('', body, sizeOf(body), '\n', sendLimit),
    decoder: (sink) => new LineDecoder(sink, receiveLimit),
  };
}

class LineDecoder implements FrameDecoder {
  readonly #sink: FrameSink;
  readonly #limit: number;
  /** A line whose end has not come: its size so far and its bytes, or only its head once it is over the limit and longer than that. */
  #size = 0;
  readonly #held = new HeldBytes();
  #head: string | undefined;

  constructor(sink: FrameSink, limit: number) {
    this.#sink = sink;
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    let start = 0;
    if (this.#size > 0) {
      start = chunk.indexOf(LF) + 1;
      if (start === 0) {
        this.#hold(chunk);
        return;
      }
      this.#hold(chunk.subarray(0, start - 1));
      this.#endHeld();
    }
    const end = chunk.lastIndexOf(LF) + 1;
    if (end > start) {
      const whole = start === 0 && end === chunk.length ? chunk : chunk.subarray(start, end);
      if (isAscii(whole)) this.#asciiLines(whole.toString('latin1'));
      else this.#byteLines(whole);
      start = end;
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start));
  }

  end(): void {
    if (this.#size > 0) this.#endHeld();
  }

  /** One decode for all the lines of a chunk; a latin1 decode is a copy, and a body is then only a range of it. */
  #asciiLines(text: string): void {
    let start = 0;
    while (start < text.length) {
      const lineEnd = text.indexOf('\n', start);
      const size = lineEnd - start;
      if (size > this.#limit) {
        this.#sink.oversize(size, text.slice(start, Math.min(lineEnd, start + HEAD_BYTES)));
      } else {
        this.#line(text, start, lineEnd);
      }
      start = lineEnd + 1;
    }
  }

  /** Line by line where characters may take several bytes, so that sizes stay exact. */
  #byteLines(bytes: Buffer): void {
    let start = 0;
    while (start < bytes.length) {
      const lineEnd = bytes.indexOf(LF, start);
      const line = bytes.subarray(start, lineEnd);
      if (line.length > this.#limit) this.#sink.oversize(line.length, line.toString('utf8', 0, HEAD_BYTES));
      else this.#wholeLine(decodeBytes(line));
      start = lineEnd + 1;
    }
  }

  #wholeLine(text: string): void {
    this.#line(text, 0, text.length);
  }

  #line(text: string, start: number, lineEnd: number): void {
    const end = text.charCodeAt(lineEnd - 1) === CR ? lineEnd - 1 : lineEnd;
    if (end === start || (text.charCodeAt(start) <= SPACE && isBlank(text, start, end))) return;
    this.#sink.body(text, start, end);
  }

  #hold(bytes: Buffer): void {
    this.#size += bytes.length;
    if (this.#size <= this.#limit || this.#size <= HEAD_BYTES) {
      this.#held.add(bytes);
    } else if (this.#head === undefined) {
      this.#held.add(bytes.subarray(0, HEAD_BYTES));
      this.#head = this.#held.takeBytes().toString('utf8', 0, HEAD_BYTES);
    }
  }

  #endHeld(): void {
    const size = this.#size;
    const text = this.#head ?? this.#held.take();
    this.#size = 0;
    this.#head = undefined;
    if (size > this.#limit) this.#sink.oversize(size, text);
    else {
      // The next long line is often as long as this one.
      this.#held.expect(size);
      this.#wholeLine(text);
    }
  }
}

/** Whether there is nothing but blanks. */
function isBlank(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code !== SPACE && code !== TAB && code !== CR) return false;
  }
  return true;
}
