// What the two framings mean, written to be read: the whole input at once, no state between chunks, no speed.
// The contract suite holds it beside the real ones, and the property tests and the fuzzer compare them with it.
import { textOf, type Body } from '../../../src/channel/frame/body.ts';
import type { FrameLimits, FrameSink, Framing } from '../../../src/channel/frame/framing.ts';
import { PluglotError } from '../../../src/base/error.ts';
import { DEFAULT_FRAME_LIMIT } from '../../../src/base/units.ts';

export function referenceLines(limits: FrameLimits = {}): Framing {
  const { receiveLimit = DEFAULT_FRAME_LIMIT, sendLimit = DEFAULT_FRAME_LIMIT } = limits;
  return {
    name: 'reference lines',
    encode: (body) => Buffer.concat([checked(body, sendLimit), Buffer.from('\n')]),
    decoder: (sink) => wholeInput((input) => decodeLines(input, receiveLimit, sink)),
  };
}

export function referenceLengthPrefix(limits: FrameLimits = {}): Framing {
  const { receiveLimit = DEFAULT_FRAME_LIMIT, sendLimit = DEFAULT_FRAME_LIMIT } = limits;
  return {
    name: 'reference length-prefix',
    encode: (body) => {
      const bytes = checked(body, sendLimit);
      const header = Buffer.alloc(4);
      header.writeUInt32BE(bytes.length);
      return Buffer.concat([header, bytes]);
    },
    decoder: (sink) => wholeInput((input) => decodeFrames(input, receiveLimit, sink)),
  };
}

function checked(body: Body, sendLimit: number): Buffer {
  const bytes = Buffer.from(textOf(body));
  if (bytes.length > sendLimit) throw new PluglotError('FRAME_TOO_LARGE', `${bytes.length} of ${sendLimit}`);
  return bytes;
}

function wholeInput(decode: (input: Buffer) => void) {
  const chunks: Buffer[] = [];
  return {
    push: (chunk: Buffer) => void chunks.push(Buffer.from(chunk)),
    end: () => decode(Buffer.concat(chunks)),
  };
}

function decodeLines(input: Buffer, limit: number, sink: FrameSink): void {
  let start = 0;
  while (start < input.length) {
    const lineFeed = input.indexOf('\n', start);
    const end = lineFeed === -1 ? input.length : lineFeed;
    const line = input.subarray(start, end);
    const text = line.toString('utf8').replace(/\r$/, '');
    if (line.length > limit) sink.oversize(line.length, headOf(line));
    else if (/[^ \t\r]/.test(text)) sink.body(text, 0, text.length);
    start = end + 1;
  }
}

/** Lengths from here on are what printed text looks like when read as a length. */
const FIRST_TEXT_LENGTH = 0x07000000;

function decodeFrames(input: Buffer, limit: number, sink: FrameSink): void {
  let at = 0;
  while (at < input.length) {
    const left = input.length - at;
    const size = left < 4 ? Infinity : input.readUInt32BE(at);
    const body = input.subarray(at + 4, at + 4 + size);
    if (size <= limit && body.length === size) {
      const text = body.toString('utf8');
      if (size > 0) sink.body(text, 0, text.length);
      at += 4 + size;
    } else if (size <= limit) {
      sink.torn(left);
      return;
    } else if (size < FIRST_TEXT_LENGTH) {
      sink.oversize(size, headOf(body));
      if (body.length < size) sink.torn(left);
      at += 4 + size;
    } else if (left < 4 && !isText(input[at])) {
      sink.torn(left);
      return;
    } else {
      const huge = isText(input[at]) ? !isText4(input, at) && isJson(input, at + 4) : left >= 4;
      if (huge) sink.oversize(size, '');
      const noise = at;
      while (at < input.length && !isFrame(input, at, limit)) at += 1;
      sink.noise(input.subarray(noise, at));
    }
  }
}

function isFrame(input: Buffer, at: number, limit: number): boolean {
  if (at + 6 > input.length) return false;
  const size = input.readUInt32BE(at);
  return size >= 2 && size <= limit && isJson(input, at + 4);
}

/** Whether an object or a batch can begin here: `{"`, `[{`, an empty one, or a blank after the bracket. */
function isJson(input: Buffer, at: number): boolean {
  return /^(\{["} \t\r\n]|\[[{\] \t\r\n])/.test(input.toString('latin1', at, at + 2));
}

/** Whether printed text can begin with this byte: a bell, a line break, a colour, a letter, any byte of UTF-8. */
function isText(byte = 0): boolean {
  return (byte >= 0x07 && byte <= 0x0d) || byte === 0x1b || (byte >= 0x20 && byte !== 0x7f && byte < 0xf8);
}

function isText4(input: Buffer, at: number): boolean {
  return [0, 1, 2, 3].every((index) => isText(input[at + index]));
}

function headOf(bytes: Buffer): string {
  return bytes.subarray(0, 256).toString('utf8');
}
