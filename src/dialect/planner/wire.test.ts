// What stands between the messages and the lines: sizes, gzip, signatures.
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { PluglotError } from '../../base/error.ts';
import type { Encoded } from '../../channel/bytes/pipe.ts';
import { bodyOf } from '../../channel/frame/body.ts';
import { messageEncoder } from '../../channel/message/encode.ts';
import { MESSAGE_LIMIT, PlannerWire } from './wire.ts';

const encode = messageEncoder();
const large = 'x'.repeat(MESSAGE_LIMIT);

// requirement: planner:performance:message-size
test('a line stays under 1 MB, to the byte', () => {
  const { wire } = wireAndHeard();
  const fitting = `"${'x'.repeat(MESSAGE_LIMIT - 2)}"`;
  expect(textOf(wire.encode(bodyOf(fitting)))).toBe(`${fitting}\n`);
  expect(() => wire.encode(bodyOf(`${fitting} `))).toThrow(
    expect.objectContaining({
      code: 'FRAME_TOO_LARGE',
      message: expect.stringContaining(`A message of ${MESSAGE_LIMIT + 1} bytes was not sent`) as string,
    }) as Error,
  );
});

// requirement: planner:performance:compression
test.each([
  { kind: 'request', id: 1, method: 'execute_task', params: { prompt: large } },
  { kind: 'notification', method: 'stream_data', params: { chunk: large } },
  { kind: 'success', id: 1, result: { output: { code: large } } },
] as const)('a large $kind is packed where the other end takes it, and comes out as it was', (message) => {
  const { wire, heard } = wireAndHeard();
  expect(() => wire.encode(encode(message))).toThrow(PluglotError);
  wire.sendsGzip = true;
  const line = textOf(wire.encode(encode(message)));
  expect(line.length).toBeLessThan(10_000);
  expect(line).toContain('{"gzip":"');
  wire.decoder(heard).push(Buffer.from(line));
  expect(heard.bodies).toEqual([JSON.parse(Object.values(encode(message)).join(''))]);
});

test('what cannot be packed is refused with other words', () => {
  const { wire } = wireAndHeard();
  wire.sendsGzip = true;
  for (const message of [
    { kind: 'failure', id: 1, error: { code: 1, message: large } },
    { kind: 'batch', items: [{ kind: 'success', id: 1, result: large }] },
  ] as const)
    expect(() => wire.encode(encode(message))).toThrow('it is larger even when compressed');
});

test.each([
  ['no base64 of a gzip', '!!'],
  ['no gzip', Buffer.from('hello').toString('base64')],
  ['no JSON in it', gzipSync('hello').toString('base64')],
  ['a bomb', gzipSync(Buffer.alloc(3000, 32)).toString('base64')],
])('%s is left unchanged, and reported', (_, gzip) => {
  const { wire, heard, troubles } = wireAndHeard({ receiveLimit: 2000 });
  const message = { jsonrpc: '2.0', id: 1, method: 'execute_task', params: { gzip } };
  wire.decoder(heard).push(Buffer.from(`${JSON.stringify(message)}\n`));
  expect(heard.bodies).toEqual([message]);
  expect(troubles).toEqual([expect.stringContaining('a "gzip" member cannot be decompressed')]);
});

test('all that is packed in a batch has the room of one message', () => {
  const { wire, heard, troubles } = wireAndHeard({ receiveLimit: 1000 });
  const gzip = gzipSync(JSON.stringify('x'.repeat(498))).toString('base64');
  const batch = [1, 2, 3, 4].map((id) => ({ jsonrpc: '2.0', id, result: { gzip } }));
  wire.decoder(heard).push(Buffer.from(`${JSON.stringify(batch)}\n`));
  const unpacked = { result: 'x'.repeat(498) };
  expect(heard.bodies).toEqual([
    [{ ...batch[0], ...unpacked }, { ...batch[1], ...unpacked }, batch[2], batch[3]],
  ]);
  expect(troubles).toHaveLength(2);
});

const deep = `${'['.repeat(200_000)}"gzip"${']'.repeat(200_000)}`;
const auth = '{"timestamp":1634567890,"signature":"AAAA"}';

test.each([
  ['a message with something packed', `{"jsonrpc":"2.0","id":1,"result":${deep}}`, ''],
  ['a batch in a batch', deep, ''],
  ['what is signed', `{"jsonrpc":"2.0","id":1,"auth":${auth},"result":${deep}}`, 's'],
  ['what is not signed', `{"jsonrpc":"2.0","method":"x","params":${deep}}`, 's'],
])('however deep it is, %s breaks nothing', (_, body, secret) => {
  const { wire, heard } = wireAndHeard(secret === '' ? {} : { secret });
  heard.read = (text) => text;
  wire.decoder(heard).push(Buffer.from(`${body}\n`));
  expect(heard.bodies).toEqual([secret === '' ? body : `?${body}`]);
});

test('a word "gzip" elsewhere means nothing', () => {
  const { wire, heard, troubles } = wireAndHeard();
  const messages = [
    { jsonrpc: '2.0', id: 1, result: { gzip: 'x', more: 1 } },
    { jsonrpc: '2.0', id: 1, error: { code: 1, message: '"gzip"' } },
    [{ jsonrpc: '2.0', id: 1, result: '"gzip"' }],
    '"gzip"',
  ];
  wire.decoder(heard).push(Buffer.from(messages.map((message) => `${JSON.stringify(message)}\n`).join('')));
  expect(heard.bodies).toEqual(messages);
  expect(troubles).toEqual([]);
});

// requirement: planner:performance:message-size
test('more than 1 MB is accepted, and reported', () => {
  const { wire, heard, troubles } = wireAndHeard();
  wire.decoder(heard).push(Buffer.from(`{"result":"${large}"}\n`));
  expect(heard.bodies).toHaveLength(1);
  expect(troubles).toEqual([
    `a message has ${large.length + 13} characters; the protocol allows less than 1000000 bytes`,
  ]);
});

// requirement: planner:security:authentication, planner:security:auth-example
test('with a secret every message is signed, and none is taken that is not', () => {
  const { wire, heard, troubles } = wireAndHeard({ secret: 's' });
  const line = textOf(wire.encode(encode({ kind: 'request', id: 1, method: 'execute_task', params: {} })));
  expect(JSON.parse(line)).toEqual({
    jsonrpc: '2.0',
    id: 1,
    method: 'execute_task',
    params: {},
    auth: { timestamp: 1_634_567_890, signature: expect.stringMatching(/^[\w+/]{43}=$/) as string },
  });
  const decoder = wire.decoder(heard);
  decoder.push(Buffer.from(line));
  expect(heard.bodies).toEqual([JSON.parse(line)]);
  const said = 'Authentication failed: the message has no auth { timestamp, signature }';
  for (const [forged, read] of [
    ['{"jsonrpc":"2.0","id":2,"method":"rm"}', [refused(2, said)]],
    ['{"jsonrpc":"2.0","method":"stream_end"}', []],
    ['{"jsonrpc":"2.0","id":3,"result":1}', [failed(3, said)]],
    ['[{"jsonrpc":"2.0","id":4,"method":"rm"},{"jsonrpc":"2.0","method":"x"}]', [[refused(4, said)]]],
    ['[{"jsonrpc":"2.0","method":"x"}]', []],
    ['[]', [[]]],
    ['17', [17]],
  ] as const) {
    heard.bodies.length = 0;
    decoder.push(Buffer.from(`${forged}\n`));
    expect(heard.bodies).toEqual(read);
  }
  expect(troubles.filter((reason) => reason.startsWith('a notification is not authentic'))).toHaveLength(3);
});

test.each(['{"id":NaN}', '\uFEFF{"jsonrpc":"2.0","id":1,"method":"rm"}'])(
  'with a secret, what only a tolerant reader can read is not read: %j',
  (body) => {
    const { wire, heard } = wireAndHeard({ secret: 's' });
    wire.decoder(heard).push(Buffer.from(`${body}\n`));
    expect(heard.bodies).toEqual([`no JSON: ?${body}`]);
  },
);

test('what is packed is signed as it is packed', () => {
  const { wire, heard } = wireAndHeard({ secret: 's' });
  wire.sendsGzip = true;
  const line = textOf(wire.encode(encode({ kind: 'success', id: 1, result: { text: large } })));
  wire.decoder(heard).push(Buffer.from(line));
  expect(heard.bodies).toEqual([expect.objectContaining({ result: { text: large } })]);
});

test('noise, what is torn and what is over the limit go through', () => {
  const { wire, heard } = wireAndHeard({ receiveLimit: 10 });
  const decoder = wire.decoder(heard);
  decoder.push(Buffer.from('012345678901234\n'));
  decoder.end();
  expect(heard.oversizes).toEqual([15]);
});

function wireAndHeard(options: { receiveLimit?: number; secret?: string } = {}) {
  const troubles: string[] = [];
  const bodies: unknown[] = [];
  const oversizes: number[] = [];
  const wire = new PlannerWire({
    receiveLimit: 16_000_000,
    report: (reason) => void troubles.push(reason),
    nowSeconds: () => 1_634_567_890.5,
    ...options,
  });
  const heard = {
    bodies,
    oversizes,
    read,
    body: (text: string, start: number, end: number) => void bodies.push(heard.read(text.slice(start, end))),
    noise: () => {},
    oversize: (size: number) => void oversizes.push(size),
    torn: () => {},
  };
  return { wire, heard, troubles };
}

function read(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return `no JSON: ${body}`;
  }
}

function refused(id: number, said: string) {
  return { jsonrpc: '2.0', id, method: 'rpc.refused', params: { reason: said } };
}

function failed(id: number, message: string) {
  return { jsonrpc: '2.0', id, error: { code: -32003, message } };
}

function textOf(encoded: Encoded): string {
  if (typeof encoded === 'string') return encoded;
  if (encoded instanceof Uint8Array) return Buffer.from(encoded).toString();
  return 'text' in encoded ? encoded.text : encoded.join('');
}
