// Byte streams as plugins produce them and worse, for property tests: frames of both framings, prints, cuts and garbage.
import fc from 'fast-check';
import { prints } from './prints.ts';
import { frame } from './raw-end.ts';

/** Small, so that streams meet it often. */
export const STREAM_LIMIT = 64;

/** JSON-RPC bodies, from none to over the limit, in all widths of UTF-8. */
const body = fc.oneof(
  fc
    .record({ id: fc.nat(99), text: fc.string({ unit: 'binary', maxLength: 12 }) })
    .map(({ id, text }) => JSON.stringify({ jsonrpc: '2.0', id, result: text })),
  fc.constantFrom(
    '{}',
    '[]',
    '[{}]',
    '{"é":"漢"}',
    '{"a":"😀"}',
    '[1,2,3]',
    'null',
    '"{\\"a\\":1}"',
    '{ "a" : 1 }',
  ),
  fc.string({ unit: 'grapheme', maxLength: 90 }),
);

const garbage = fc.oneof(
  fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom(
    Buffer.from([0]),
    Buffer.from([0, 0, 0, 0]),
    Buffer.from([0xff, 0xff, 0xff, 0xff]),
    Buffer.from([0x7f, 0xff, 0xff, 0xff, 0x7b, 0x22]),
    Buffer.from([0x06, 0xff, 0xff, 0xff]),
    Buffer.from([0, 0, 0, 2, 0x7b]),
    Buffer.from([0xc3]),
    Buffer.from([0xe2, 0x82]),
    Buffer.from([0xf0, 0x9f, 0x98]),
    Buffer.from([0xed, 0xa0, 0x80]),
    Buffer.from('\r'),
    Buffer.from(' \t \r\n'),
  ),
);

const piece = fc.oneof(
  { weight: 3, arbitrary: body.map((text) => frame('lines', text)) },
  { weight: 1, arbitrary: body.map((text) => Buffer.concat([Buffer.from(text), Buffer.from('\r\n')])) },
  { weight: 4, arbitrary: body.map((text) => frame('length-prefix', text)) },
  { weight: 2, arbitrary: fc.constantFrom(...prints).map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: garbage },
);

/** A stream of pieces, now and then cut off at its end. */
export const stream = fc
  .tuple(fc.array(piece, { maxLength: 12 }), fc.nat(8))
  .map(([pieces, missing]) => Buffer.concat(pieces).subarray(0, missing < 4 ? undefined : 3 - missing));

/** Places to cut at, for streams of that size. */
export const places = fc.array(fc.nat(600), { maxLength: 20 });
