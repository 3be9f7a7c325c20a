import { expect, test } from 'vitest';
import {
  frame,
  framingNames,
  framingOf,
  pipeAndRawEnd,
  type FramingName,
  type RawEnd,
} from '../../../test/support/channel/raw-end.ts';
import type { Ending } from '../bytes/pipe.ts';
import type { FrameLimits } from '../frame/framing.ts';
import type { Received } from '../message/message.ts';
import { framedLink, type LinkOptions } from './framed-link.ts';
import type { Link, Trouble } from './link.ts';

type Told = 'chunk' | Received | Trouble | { readonly end: Ending };

test.each(framingNames)('messages come in wire order, each chunk announced once: %s', async (framing) => {
  const { told, raw, ended } = open(framing);
  raw.sendText('{"jsonrpc":"2.0","method":"a"}', '{"jsonrpc":"2.0","id":1,"result":"é"}');
  raw.end();
  await ended;
  expect(told).toEqual([
    'chunk',
    { kind: 'notification', method: 'a', params: undefined },
    { kind: 'success', id: 1, result: 'é' },
    { end: { kind: 'ended' } },
  ]);
});

test.each(framingNames)('what is sent arrives as JSON-RPC: %s', async (framing) => {
  const { link, raw } = open(framing);
  link.send({ kind: 'request', id: 1, method: 'm', params: [1] });
  link.send({ kind: 'batch', items: [{ kind: 'notification', method: 'n', params: undefined }] });
  expect(await raw.take(2)).toEqual([
    { jsonrpc: '2.0', id: 1, method: 'm', params: [1] },
    [{ jsonrpc: '2.0', method: 'n' }],
  ]);
});

test.each(framingNames)('a message that cannot be sent leaves nothing on the wire: %s', async (framing) => {
  const { link, raw } = open(framing, { sendLimit: 60 });
  const circle: unknown[] = [];
  circle.push(circle);
  expect(() => link.send({ kind: 'request', id: 1, method: 'm', params: circle })).toThrow(
    expect.objectContaining({ code: 'UNENCODABLE' }),
  );
  expect(() => link.send({ kind: 'notification', method: 'm', params: ['x'.repeat(60)] })).toThrow(
    expect.objectContaining({ code: 'FRAME_TOO_LARGE' }),
  );
  link.send({ kind: 'notification', method: 'fits', params: undefined });
  expect(await raw.next()).toEqual({ jsonrpc: '2.0', method: 'fits' });
});

test('tolerances reach the decoder', async () => {
  const { told, raw, ended } = open('lines', { tolerances: { missingVersion: true } });
  raw.sendText('{"method":"a"}');
  raw.end();
  await ended;
  expect(told[1]).toEqual({ kind: 'notification', method: 'a', params: undefined });
});

test.each(framingNames)('an oversize message is trouble, and the next one comes: %s', async (framing) => {
  const { told, raw, ended } = open(framing, { receiveLimit: 40 });
  const large = `{"jsonrpc":"2.0","id":7,"result":"${'x'.repeat(40)}"}`;
  raw.sendText(large, '{"jsonrpc":"2.0","method":"next"}');
  raw.end();
  await ended;
  expect(told.slice(1, -1)).toEqual([
    { kind: 'oversize', size: large.length, head: large },
    { kind: 'notification', method: 'next', params: undefined },
  ]);
});

test('noise is told as text, whole characters even when the input cuts them', async () => {
  const { told, raw, ended } = open('length-prefix');
  const print = Buffer.from('日本語 😀\n');
  for (const byte of print) raw.write(Buffer.from([byte]));
  raw.sendText('{"jsonrpc":"2.0","method":"a"}');
  raw.end();
  await ended;
  const noise = told.filter((item) => typeof item === 'object' && 'kind' in item && item.kind === 'noise');
  expect(noise.map((item) => item.text).join('')).toBe('日本語 😀\n');
  expect(noise.map((item) => item.text)).not.toContain('');
});

test('an input that ends inside a message says so', async () => {
  const torn = open('length-prefix');
  torn.raw.write(frame('length-prefix', '{"jsonrpc":"2.0"}').subarray(0, 10));
  torn.raw.end();
  await torn.ended;
  expect(torn.told).toEqual(['chunk', { kind: 'torn', size: 10 }, { end: { kind: 'ended' } }]);

  const half = open('lines');
  half.raw.write('{"jsonrpc":"2.0"');
  half.raw.end();
  await half.ended;
  expect(half.told[1]).toMatchObject({ kind: 'invalid', as: 'parse', text: '{"jsonrpc":"2.0"' });
});

test.each(framingNames)(
  'after the end nothing comes, not even the rest of the chunk: %s',
  async (framing) => {
    const { told, raw, ended, link } = open(framing, {
      onMessage: () => link.destroy(),
    });
    const message = '{"jsonrpc":"2.0","method":"a"}';
    raw.write(
      Buffer.concat([
        frame(framing, message),
        frame(framing, message),
        frame(framing, message).subarray(0, 9),
      ]),
    );
    await ended;
    expect(told).toEqual([
      'chunk',
      { kind: 'notification', method: 'a', params: undefined },
      { end: { kind: 'closed' } },
    ]);
  },
);

test('half a message is no news when this end closes', async () => {
  const { told, raw, link } = open('lines');
  raw.write('{"jsonrpc":"2.0"');
  await expect.poll(() => told).toEqual(['chunk']);
  link.destroy();
  expect(told).toEqual(['chunk', { end: { kind: 'closed' } }]);
});

test('while paused nothing comes, and nothing is lost', async () => {
  const { told, raw, ended, link } = open('lines');
  link.pause();
  raw.sendText('{"jsonrpc":"2.0","method":"a"}');
  raw.end();
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  expect(told).toEqual([]);
  link.resume();
  await ended;
  expect(told).toHaveLength(3);
});

interface Opened {
  readonly link: Link;
  readonly raw: RawEnd;
  readonly told: Told[];
  readonly ended: Promise<void>;
}

function open(
  framing: FramingName,
  options: LinkOptions & FrameLimits & { readonly onMessage?: () => void } = {},
): Opened {
  const { pipe, raw } = pipeAndRawEnd(framing);
  const link = framedLink(pipe, framingOf(framing, options), options);
  const told: Told[] = [];
  const ended = new Promise<void>((resolve) => {
    link.open({
      chunkStart: () => void told.push('chunk'),
      message(message) {
        told.push(message);
        options.onMessage?.();
      },
      trouble: (trouble) => void told.push(trouble),
      end(ending) {
        told.push({ end: ending });
        resolve();
      },
    });
  });
  return { link, raw, told, ended };
}
