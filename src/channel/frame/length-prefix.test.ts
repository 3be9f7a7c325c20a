import { describe, expect, test } from 'vitest';
import { prints } from '../../../test/support/channel/prints.ts';
import {
  byteByByte,
  cut,
  decodeChunks,
  recordingDecoder,
  toBytes,
} from '../../../test/support/channel/frame-events.ts';
import { frame } from '../../../test/support/channel/raw-end.ts';
import { MiB } from '../../base/units.ts';
import { bodyOf } from './body.ts';
import { lengthPrefix } from './length-prefix.ts';

const first = '{"jsonrpc":"2.0","id":1,"result":"one"}';
const second = '{"jsonrpc":"2.0","id":2,"result":"zwei €"}';

test('a frame is four bytes of length, big-endian, and the body', () => {
  expect(lengthPrefix().encode(bodyOf('{}'))).toBe('\0\0\0\u0002{}');
  expect(lengthPrefix().encode(bodyOf('{"a":"é"}'))).toEqual(Buffer.from('\0\0\0\u000a{"a":"é"}'));
  const long = `{"a":"${'x'.repeat(0x012345)}"}`;
  expect(toBytes(lengthPrefix().encode(bodyOf(long))).readUInt32BE()).toBe(0x012345 + 8);
});

describe('printed text', () => {
  const texts = [
    ...prints,
    ...Array.from('printed', (_, index) => 'printed'.slice(0, index + 1)),
    ' ',
    '\t',
    '~',
    'é',
  ];

  test.each(texts)('before, between and behind frames it is noise, wherever the input is cut: %j', (text) => {
    const print = Buffer.from(text);
    const noise = print.toString('latin1');
    const stream = Buffer.concat([
      print,
      frame('length-prefix', first),
      print,
      frame('length-prefix', second),
      print,
    ]);
    const expected = [{ noise }, { body: first }, { noise }, { body: second }, { noise }];
    expect(decodeChunks(lengthPrefix(), [stream])).toEqual(expected);
    expect(decodeChunks(lengthPrefix(), byteByByte(stream))).toEqual(expected);
    for (let place = 1; place < stream.length; place++) {
      expect(decodeChunks(lengthPrefix(), cut(stream, [place]))).toEqual(expected);
      expect(decodeChunks(lengthPrefix(), cut(stream, [place, place + 1, place + 5]))).toEqual(expected);
    }
  });

  test.each([0xff, 10 * MiB, 16 * MiB, 100 * MiB, Infinity])(
    'is told from a length under a limit of %d',
    (receiveLimit) => {
      const stream = Buffer.concat([
        frame('length-prefix', '{}'),
        Buffer.from('\t\n'),
        frame('length-prefix', first),
      ]);
      expect(decodeChunks(lengthPrefix({ receiveLimit }), [stream])).toEqual([
        { body: '{}' },
        { noise: '\t\n' },
        { body: first },
      ]);
    },
  );

  test('is handed out when it comes, in whole characters', () => {
    const { events, decoder } = recordingDecoder(lengthPrefix());
    decoder.push(Buffer.from('日本語'));
    expect(events).toEqual([{ noise: Buffer.from('日本語').toString('latin1') }]);
  });

  test('is the sink’s to keep, though the chunk is used again', () => {
    const kept: Buffer[] = [];
    const decoder = lengthPrefix().decoder({
      noise: (bytes) => void kept.push(bytes),
      body: () => {},
      oversize: () => {},
      torn: () => {},
    });
    const chunk = Buffer.from('first print ');
    decoder.push(chunk);
    chunk.write('secondprint ');
    decoder.push(chunk);
    expect(Buffer.concat(kept).toString()).toBe('first print secondprint ');
  });

  test('by turns with frames, thousands of times in one chunk', () => {
    const turn = Buffer.concat([
      Buffer.from('tick {"n":1}\n'),
      frame('length-prefix', second),
      frame('length-prefix', first),
    ]);
    const stream = Buffer.concat(Array.from({ length: 5000 }, () => turn));
    const events = decodeChunks(lengthPrefix(), [stream]);
    expect(events).toHaveLength(15_000);
    expect(events.slice(-3)).toEqual([{ noise: 'tick {"n":1}\n' }, { body: second }, { body: first }]);
  });

  test.each(['{"a":1}', '{}', '{ "a": 1 }', '{\n}', '{\t"a":1}', '[{"a":1}]', '[]', '[ {} ]', '[\r\n]'])(
    'is followed by the body %j',
    (body) => {
      const stream = Buffer.concat([Buffer.from('print\n'), frame('length-prefix', body)]);
      expect(decodeChunks(lengthPrefix(), byteByByte(stream))).toEqual([{ noise: 'print\n' }, { body }]);
    },
  );

  test('followed by what cannot be JSON-RPC goes on up to the next frame', () => {
    const lost = frame('length-prefix', 'not JSON');
    const stream = Buffer.concat([Buffer.from('print\n'), lost, frame('length-prefix', first)]);
    expect(decodeChunks(lengthPrefix(), byteByByte(stream))).toEqual([
      { noise: `print\n${lost.toString('latin1')}` },
      { body: first },
    ]);
  });
});

describe('lengths', () => {
  test('a body that is no JSON is a body when its length is right', () => {
    const stream = Buffer.concat([frame('length-prefix', 'not JSON'), frame('length-prefix', first)]);
    expect(decodeChunks(lengthPrefix(), [stream])).toEqual([{ body: 'not JSON' }, { body: first }]);
  });

  test('empty frames are ignored', () => {
    const empty = Buffer.alloc(4);
    const stream = Buffer.concat([
      empty,
      frame('length-prefix', first),
      empty,
      empty,
      frame('length-prefix', second),
      empty,
    ]);
    for (const chunks of [[stream], byteByByte(stream), cut(stream, [2, 5, 50])]) {
      expect(decodeChunks(lengthPrefix(), chunks)).toEqual([{ body: first }, { body: second }]);
    }
  });

  test('one of 4 GiB is reported as soon as it has come, and the next frame is found', () => {
    const { events, decoder } = recordingDecoder(lengthPrefix());
    decoder.push(Buffer.from([0xff, 0xff, 0xff, 0xff]));
    expect(events[0]).toEqual({ oversize: 0xffffffff, head: '' });
    decoder.push(Buffer.from('{"jsonrpc":"2.0","id":1,"result":"…'));
    decoder.push(frame('length-prefix', second));
    decoder.end();
    expect(events.map((event) => Object.keys(event)[0])).toEqual(['oversize', 'noise', 'body']);
    expect(events.at(-1)).toEqual({ body: second });
  });

  test('one that could be text is reported when a body follows it', () => {
    const header = Buffer.from('@\0\0\0');
    const stream = Buffer.concat([header, Buffer.from('{"a":1'), frame('length-prefix', first)]);
    for (const chunks of [[stream], byteByByte(stream)]) {
      expect(decodeChunks(lengthPrefix(), chunks)).toEqual([
        { oversize: 0x40000000, head: '' },
        { noise: '@\0\0\0{"a":1' },
        { body: first },
      ]);
    }
  });

  test('the limit of 10 MiB is exact', () => {
    const framing = lengthPrefix({ receiveLimit: 10 * MiB, sendLimit: 10 * MiB });
    const fits = `{"a":"${'x'.repeat(10 * MiB - 8)}"}`;
    const wire = toBytes(framing.encode(bodyOf(fits)));
    expect(wire).toHaveLength(10 * MiB + 4);
    expect(decodeChunks(framing, [wire]).map((event) => 'body' in event && event.body === fits)).toEqual([
      true,
    ]);
    expect(() => framing.encode(bodyOf(`${fits} `))).toThrow(
      expect.objectContaining({ code: 'FRAME_TOO_LARGE' }),
    );
    const over = Buffer.concat([frame('length-prefix', `${fits} `), frame('length-prefix', first)]);
    expect(decodeChunks(framing, [over])).toEqual([
      { oversize: 10 * MiB + 1, head: fits.slice(0, 256) },
      { body: first },
    ]);
  });

  test('an oversize body is reported once its head is known, before it has come', () => {
    const { events, decoder } = recordingDecoder(lengthPrefix({ receiveLimit: 1000 }));
    const body = `{"jsonrpc":"2.0","id":7,"result":"${'é'.repeat(5000)}"}`;
    decoder.push(frame('length-prefix', body).subarray(0, 4 + 256));
    // 34 bytes before the first é, and 222 are left for 111 of them.
    expect(events).toEqual([{ oversize: Buffer.byteLength(body), head: body.slice(0, 34 + 111) }]);
  });
});

describe('the input ends', () => {
  test.each([
    ['in a header', Buffer.from([0, 0, 0]), [{ torn: 3 }]],
    ['after a header', Buffer.from([0, 0, 0, 9]), [{ torn: 4 }]],
    ['in a body', frame('length-prefix', first).subarray(0, 20), [{ torn: 20 }]],
    [
      'after a header that is over the limit',
      Buffer.from([0, 0, 4, 0]),
      [{ oversize: 1024, head: '' }, { torn: 4 }],
    ],
    [
      'in a body that is over the limit',
      Buffer.from('\0\0\u0004\0{"a'),
      [{ oversize: 1024, head: '{"a' }, { torn: 7 }],
    ],
    ['in a print', Buffer.from('bye'), [{ noise: 'bye' }]],
    [
      'in what could have been a frame after a print',
      Buffer.from('bye\n\0\0\0\u0007{'),
      [{ noise: 'bye\n\0\0\0\u0007{' }],
    ],
    ['after a frame', frame('length-prefix', first), [{ body: first }]],
  ])('%s', (_, bytes, expected) => {
    const framing = lengthPrefix({ receiveLimit: 1000 });
    expect(decodeChunks(framing, [bytes])).toEqual(expected);
    expect(decodeChunks(framing, byteByByte(bytes))).toEqual(expected);
  });
});
