// One input of the fuzzer: bytes without sense, or a stream that was valid before it was damaged.
import { prints } from '../support/channel/prints.ts';
import { frame, framingNames } from '../support/channel/raw-end.ts';
import type { Random } from './random.ts';

export function makeInput(random: Random): Buffer {
  if (random.chance(8)) return random.bytes(random.below(300));
  let input = validStream(random);
  for (let count = random.below(4); count > 0; count--) input = damage(input, random);
  return input;
}

/** Cuts an input into chunks: large ones, and somewhere a run of small ones or of single bytes. */
export function makeChunks(input: Buffer, random: Random): Buffer[] {
  const crumb = random.pick([1, 2, 7, 30]);
  const crumbsFrom = random.below(input.length + 1);
  const crumbsTo = crumbsFrom + 40 * crumb;
  const chunks: Buffer[] = [];
  for (let at = 0; at < input.length;) {
    const size = 1 + random.below(at >= crumbsFrom && at < crumbsTo ? crumb : 500);
    chunks.push(input.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

function validStream(random: Random): Buffer {
  const framing = random.pick(framingNames);
  const pieces: Buffer[] = [];
  for (let count = 1 + random.below(6); count > 0; count--) {
    if (random.chance(6)) pieces.push(Buffer.from(random.pick(prints)));
    else pieces.push(frame(framing, body(random)));
  }
  return Buffer.concat(pieces);
}

function body(random: Random): string {
  const id = random.pick(['1', '0', '"a"', 'null', '123456789012345', '-1', '1.5']);
  const value = random.pick(values);
  switch (random.below(7)) {
    case 0:
      return `{"jsonrpc":"2.0","id":${id},"result":${value}}`;
    case 1:
      return `{"jsonrpc":"2.0","id":${id},"method":"m${id.length}","params":{"a":${value}}}`;
    case 2:
      return `{"jsonrpc":"2.0","method":"notified","params":[${value}]}`;
    case 3:
      return `{"id": ${id}, "error": {"code": -32000, "message": "no", "data": ${value}}, "jsonrpc": "2.0"}`;
    case 4:
      return `{"jsonrpc":"2.0","method":"naïve 漢字"}`;
    case 5:
      return `[${random.below(3) === 0 ? '' : `${body(random)},${body(random)}`}]`;
    default:
      return `{"jsonrpc":"2.0","id":${id},"result":"${'x'.repeat(random.below(1500))}"}`;
  }
}

const values = [
  '1',
  'null',
  '"text"',
  '"é😀\\u0000"',
  '{"nested":{"a":[1,2,{}]}}',
  '[]',
  'NaN',
  '"}"',
  '-Infinity',
  'true',
];

const tokens = [
  '{',
  '}',
  '[',
  ']',
  '"',
  '\\',
  ',',
  ':',
  '\n',
  '\r\n',
  '\0',
  '{"',
  '[{',
  '\uFEFF',
  'é',
  '1e999',
  '\u2028',
];

const lengths = [0xffffffff, 0x7fffffff, 0x06ffffff, 0x07000000, 0x01000000, 0x00ffffff, 65_536, 1, 0];

function damage(input: Buffer, random: Random): Buffer {
  const at = random.below(input.length + 1);
  const end = Math.min(input.length, at + random.below(40));
  const splice = (bytes: Buffer, from = at, to = at) =>
    Buffer.concat([input.subarray(0, from), bytes, input.subarray(to)]);
  switch (random.below(8)) {
    case 0: {
      const flipped = Buffer.from(input);
      if (at < flipped.length) flipped[at] = (flipped[at] ?? 0) ^ (1 << random.below(8));
      return flipped;
    }
    case 1:
      return input.subarray(0, at);
    case 2:
      return splice(Buffer.alloc(0), at, end);
    case 3:
      return splice(input.subarray(at, end));
    case 4: {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(random.pick(lengths));
      return splice(length, at, random.chance(2) ? Math.min(at + 4, input.length) : at);
    }
    case 5:
      return splice(Buffer.from(random.pick(prints)));
    case 6:
      return splice(random.bytes(random.below(12)));
    default:
      return splice(Buffer.from(random.pick(tokens)));
  }
}
