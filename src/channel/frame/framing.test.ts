// The contract of a framing. It holds for each of ours and for a reference that is too plain to be wrong.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import {
  byteByByte,
  cut,
  decodeChunks,
  recordingDecoder,
  toBytes,
} from '../../../test/support/channel/frame-events.ts';
import { referenceLengthPrefix, referenceLines } from '../../../test/support/channel/reference-framing.ts';
import { KiB, MiB } from '../../base/units.ts';
import { bodyOf } from './body.ts';
import type { FrameLimits, Framing } from './framing.ts';
import { lengthPrefix } from './length-prefix.ts';
import { lines } from './lines.ts';
import { prints } from '../../../test/support/channel/prints.ts';
import { frame } from '../../../test/support/channel/raw-end.ts';

type Kind = { readonly name: string; readonly make: (limits?: FrameLimits) => Framing };

const real: Kind[] = [
  { name: 'lines', make: lines },
  { name: 'length-prefix', make: lengthPrefix },
];
const references: Kind[] = [
  { name: 'reference lines', make: referenceLines },
  { name: 'reference length-prefix', make: referenceLengthPrefix },
];

/** Bodies are JSON on one line: the only ones that both framings carry. */
const someBodies = fc.array(
  fc.oneof(
    fc.jsonValue({ stringUnit: 'binary' }).map((value) => JSON.stringify({ value })),
    fc.string({ unit: 'binary', maxLength: 40 }).map((text) => JSON.stringify([text])),
    fc.constantFrom('{}', '{"😀":"漢é\\u0000"}', `{"long":"${'é'.repeat(3000)}"}`),
  ),
  { maxLength: 20 },
);

describe.each([...real, ...references])('$name', ({ make }) => {
  test('what is encoded is decoded again', () => {
    fc.assert(
      fc.property(someBodies, places, (bodies, places) => {
        const framing = make();
        const wire = Buffer.concat(bodies.map((body) => toBytes(framing.encode(bodyOf(body)))));
        expect(decodeChunks(framing, cut(wire, places))).toEqual(bodies.map((body) => ({ body })));
      }),
    );
  });

  test('how the input is cut into chunks makes no difference', () => {
    const framing = make({ receiveLimit: STREAM_LIMIT });
    fc.assert(
      fc.property(stream, places, (bytes, places) => {
        const whole = decodeChunks(framing, [bytes]);
        expect(decodeChunks(framing, cut(bytes, places))).toEqual(whole);
        expect(decodeChunks(framing, byteByByte(bytes))).toEqual(whole);
      }),
      { numRuns: runs(1000) },
    );
  });

  test('characters of two, three and four bytes may be split anywhere', () => {
    const framing = make();
    const bodies = ['{"a":"é"}', '{"b":"漢字"}', '{"c":"😀😀"}', '{"d":"plain"}'];
    const wire = Buffer.concat(bodies.map((body) => toBytes(framing.encode(bodyOf(body)))));
    for (let first = 0; first <= wire.length; first++) {
      for (let second = first; second <= wire.length; second++) {
        const events = decodeChunks(framing, cut(wire, [first, second]));
        expect(events).toEqual(bodies.map((body) => ({ body })));
      }
    }
  });

  test('bytes that are no UTF-8 become U+FFFD and the next body is intact', () => {
    const framing = make();
    const broken = [
      [0xff],
      [0xc3],
      [0xe2, 0x82],
      [0xf0, 0x9f, 0x98],
      [0xed, 0xa0, 0x80], // half of a surrogate pair
      [0xc0, 0x80], // NUL in two bytes
    ];
    for (const bytes of broken) {
      const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')]);
      const marker = toBytes(framing.encode(bodyOf('x'.repeat(body.length))));
      const at = marker.indexOf('x');
      body.copy(marker, at);
      const wire = Buffer.concat([marker, toBytes(framing.encode(bodyOf('{"next":1}')))]);
      for (const chunks of [[wire], byteByByte(wire)]) {
        expect(decodeChunks(framing, chunks)).toEqual([
          { body: body.toString('utf8') },
          { body: '{"next":1}' },
        ]);
      }
      expect(body.toString('utf8')).toContain('\uFFFD');
    }
  });

  test('half a surrogate pair is sent as U+FFFD and breaks nothing', () => {
    const framing = make();
    const wire = Buffer.concat(
      ['{"a":"\ud83d"}', '{"b":1}'].map((body) => toBytes(framing.encode(bodyOf(body)))),
    );
    expect(decodeChunks(framing, byteByByte(wire))).toEqual([
      { body: '{"a":"\uFFFD"}' },
      { body: '{"b":1}' },
    ]);
  });

  test('NUL and a byte order mark are part of the body', () => {
    const framing = make();
    const bodies = ['{"a":"\u0000"}', '\uFEFF{"b":1}', '\u0000'];
    const wire = Buffer.concat(bodies.map((body) => toBytes(framing.encode(bodyOf(body)))));
    for (const chunks of [[wire], byteByByte(wire)]) {
      expect(decodeChunks(framing, chunks)).toEqual(bodies.map((body) => ({ body })));
    }
  });

  test.each([
    ['ASCII', (size: number) => `{"${'x'.repeat(size - 4)}"}`],
    [
      'two bytes a character',
      (size: number) => `{"${size % 2 === 0 ? '' : 'x'}${'é'.repeat((size - 4) >> 1)}"}`,
    ],
    [
      'four bytes a character',
      (size: number) => `{"${'x'.repeat((size - 4) % 4)}${'😀'.repeat((size - 4) >> 2)}"}`,
    ],
  ])('the receiving limit counts bytes: %s', (_, textOf) => {
    for (const limit of [100, 256, 300, 70_000]) {
      const framing = make({ receiveLimit: limit, sendLimit: limit + 1 });
      const bodies = [limit - 1, limit, limit + 1, limit].map(textOf);
      const over = Buffer.from(bodies[2] ?? '');
      expect(bodies.map((body) => Buffer.byteLength(body))).toEqual([limit - 1, limit, limit + 1, limit]);
      const wire = Buffer.concat(bodies.map((body) => toBytes(framing.encode(bodyOf(body)))));
      const expected = [
        { body: bodies[0] },
        { body: bodies[1] },
        { oversize: limit + 1, head: over.subarray(0, 256).toString('utf8') },
        { body: bodies[3] },
      ];
      const crumbs = limit < 1000 ? byteByByte(wire) : [wire];
      for (const chunks of [[wire], cut(wire, [7, 150, 333, 70_001, 140_005]), crumbs]) {
        expect(decodeChunks(framing, chunks)).toEqual(expected);
      }
    }
  });

  test.each([
    ['ASCII', 'x'],
    ['two bytes', 'é'],
    ['three bytes', '漢'],
    ['four bytes', '😀'],
  ])('the sending limit counts bytes: %s', (_, character) => {
    const width = Buffer.byteLength(character);
    const framing = make({ sendLimit: 1000 * width });
    expect(decodeChunks(framing, [toBytes(framing.encode(bodyOf(character.repeat(1000))))])).toHaveLength(1);
    expect(() => framing.encode(bodyOf(character.repeat(1000) + 'x'))).toThrow(
      expect.objectContaining({ code: 'FRAME_TOO_LARGE' }),
    );
  });

  test('no input decodes to nothing', () => {
    expect(decodeChunks(make(), [])).toEqual([]);
    expect(decodeChunks(make(), [Buffer.alloc(0), Buffer.alloc(0)])).toEqual([]);
  });
});

describe.each([
  { name: 'lines', make: lines, reference: referenceLines },
  { name: 'length-prefix', make: lengthPrefix, reference: referenceLengthPrefix },
])('$name', ({ make, reference }) => {
  test('decodes any bytes as the reference does', () => {
    fc.assert(
      fc.property(
        stream,
        places,
        fc.constantFrom(0, 1, 20, STREAM_LIMIT, 300),
        (bytes, places, receiveLimit) => {
          const expected = decodeChunks(reference({ receiveLimit }), [bytes]);
          expect(decodeChunks(make({ receiveLimit }), cut(bytes, places))).toEqual(expected);
        },
      ),
      { numRuns: runs(2000) },
    );
  });

  test('encodes as the reference does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40_000 }), (body) => {
        expect(toBytes(make().encode(bodyOf(body)))).toEqual(toBytes(reference().encode(bodyOf(body))));
      }),
      { numRuns: runs(100, 20) },
    );
    const long = `{"a":"${'x'.repeat(100_000)}"}`;
    expect(toBytes(make().encode(bodyOf(long)))).toEqual(toBytes(reference().encode(bodyOf(long))));
  });

  test('a body is handed out by the chunk that completes it', () => {
    const framing = make();
    const { events, decoder } = recordingDecoder(framing);
    const wire = Buffer.concat([
      toBytes(framing.encode(bodyOf('{"a":1}'))),
      toBytes(framing.encode(bodyOf('{"b":"é"}'))),
    ]);
    const first = toBytes(framing.encode(bodyOf('{"a":1}'))).length;
    decoder.push(Buffer.from(wire.subarray(0, first - 1)));
    expect(events).toEqual([]);
    decoder.push(Buffer.from(wire.subarray(first - 1, wire.length - 1)));
    expect(events).toEqual([{ body: '{"a":1}' }]);
    decoder.push(Buffer.from(wire.subarray(wire.length - 1)));
    expect(events).toEqual([{ body: '{"a":1}' }, { body: '{"b":"é"}' }]);
    decoder.end();
    expect(events).toHaveLength(2);
  });

  test('24 MiB over a limit of 1 KiB are skipped without being kept', () => {
    const framing = make({ receiveLimit: KiB, sendLimit: 24 * MiB });
    const size = 24 * MiB;
    // The head of a frame of that size, cut off before any of the next.
    const wire = toBytes(
      framing.encode(bodyOf(`{"jsonrpc":"2.0","id":7,"result":"${'x'.repeat(size - 36)}"}`)),
    );
    const after = toBytes(framing.encode(bodyOf('{"next":1}')));
    const { events, decoder } = recordingDecoder(framing);
    const chunk = Buffer.alloc(64 * KiB);
    let most = 0;
    const before = memory();
    for (let at = 0; at < wire.length; at += chunk.length) {
      const length = wire.copy(chunk, 0, at, at + chunk.length);
      decoder.push(length === chunk.length ? chunk : chunk.subarray(0, length));
      most = Math.max(most, memory() - before);
    }
    decoder.push(after);
    decoder.end();
    expect(events).toEqual([
      { oversize: size, head: wire.toString('latin1', wire.indexOf('{'), wire.indexOf('{') + 256) },
      { body: '{"next":1}' },
    ]);
    expect(most).toBeLessThan(16 * MiB);
  });

  test.each([
    [
      'one body in crumbs',
      (count: number) => crumbs(toBytes(make().encode(bodyOf(`{"a":"${'é'.repeat(count * 32)}"}`)))),
    ],
    [
      'one body over the limit in crumbs',
      (count: number) => crumbs(toBytes(make().encode(bodyOf('x'.repeat(count * 64))))),
    ],
    ['text without an end in crumbs', (count: number) => crumbs(Buffer.alloc(count * 64, 'no frame '))],
    [
      'many bodies in one chunk',
      (count: number) => [repeated(toBytes(make().encode(bodyOf('{"a":"é"}'))), count * 4)],
    ],
    [
      'prints and bodies by turns in one chunk',
      (count: number) => [
        repeated(
          Buffer.concat([Buffer.from('print\n'), toBytes(make().encode(bodyOf('{"a":1}')))]),
          count * 4,
        ),
      ],
    ],
    [
      'blank lines and empty frames',
      (count: number) => [Buffer.alloc(count * 64, '\r\n'), Buffer.alloc(count * 64)],
    ],
  ])('takes time in proportion to the input: %s', (title, chunksOf) => {
    const receiveLimit = title.includes('over the limit') ? KiB : 16 * MiB;
    const small = decodingTime(make({ receiveLimit }), chunksOf(1000));
    const large = decodingTime(make({ receiveLimit }), chunksOf(16_000));
    // In proportion is 16, the square is 256.
    expect(large / small).toBeLessThan(80);
  });
});

function crumbs(bytes: Buffer): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / 64) }, (_, index) =>
    bytes.subarray(index * 64, index * 64 + 64),
  );
}

function repeated(bytes: Buffer, count: number): Buffer {
  return Buffer.concat(Array.from({ length: count }, () => bytes));
}

/** The best of several, in milliseconds of this thread's own work: what others do on the machine does not count. */
function decodingTime(framing: Framing, chunks: readonly Buffer[]): number {
  let best = Infinity;
  for (let run = 0; run < 3; run++) {
    const copies = chunks.map((chunk) => Buffer.from(chunk));
    let told = 0;
    const count = () => void (told += 1);
    const decoder = framing.decoder({ body: count, noise: count, oversize: count, torn: count });
    const start = process.cpuUsage();
    for (const chunk of copies) decoder.push(chunk);
    decoder.end();
    const { user, system } = process.cpuUsage(start);
    best = Math.min(best, (user + system) / 1000);
  }
  // Below that the clock is too coarse for a ratio.
  return Math.max(best, 0.25);
}

function memory(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

// Byte streams as plugins produce them and worse, for property tests: frames of both framings, prints, cuts and garbage.

/** Small, so that streams meet it often. */
const STREAM_LIMIT = 64;

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
const stream = fc
  .tuple(fc.array(piece, { maxLength: 12 }), fc.nat(8))
  .map(([pieces, missing]) => Buffer.concat(pieces).subarray(0, missing < 4 ? undefined : 3 - missing));

/** Places to cut at, for streams of that size. */
const places = fc.array(fc.nat(600), { maxLength: 20 });
