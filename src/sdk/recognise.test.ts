import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linkedPipes } from '../channel/bytes/stream-pipe.ts';
import type { DialectName } from '../definition/plugin-spec.ts';
import { HostPipe } from './host-pipe.ts';
import { recognise } from './recognise.ts';

const initialize = (params: unknown) =>
  `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`;
const request = (method: string, params: unknown = {}) =>
  `${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`;

const openings: readonly [DialectName, string | Buffer][] = [
  ['gassist', Buffer.from([0, 0, 0, 2, 0x7b, 0x7d])],
  ['gevals', initialize({ protocolVersion: '0.0.1', config: {} })],
  ['gevals', request('execute', { operation: 'apply', args: null })],
  ['mcp', initialize({ protocolVersion: '2025-06-18', capabilities: {} })],
  ['mcp', initialize({})],
  ['mcp', request('tools/list')],
  ['mcp', request('ping')],
  ['yams', request('handshake.manifest')],
  ['yams', request('plugin.init', { config: {} })],
  ['planner', request('create_plan')],
  ['planner', request('execute_task')],
  ['planner', request('validate_code')],
  ['planner', request('update_context')],
  ['planner', request('rpc.discover')],
  ['planner', `[${request('create_plan').trim()},1]\n`],
];

describe('the first that a host says tells its dialect, and is handed on', () => {
  test.each(openings)('%s: %s', async (dialect, bytes) => {
    expect(await hear([Buffer.from(bytes)])).toEqual({
      dialect,
      replayed: Buffer.from(bytes),
      answers: [],
      prints: [],
    });
  });

  test('however it is torn, and whatever comes behind it', async () => {
    const cuts = fc.array(fc.nat({ max: 200 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...openings),
        fc.uint8Array({ maxLength: 50 }),
        cuts,
        async ([dialect, first], rest, cuts) => {
          const bytes = Buffer.concat([Buffer.from(first), rest]);
          const heard = await hear(pieces(bytes, cuts));
          expect(heard).toMatchObject({ dialect, answers: [], prints: [] });
          expect(heard.replayed.equals(bytes)).toBe(true);
        },
      ),
    );
  });

  test.each([
    ['blank lines before it', '\n\r\n  \n'],
    ['a byte order mark', '\uFEFF'],
  ])('%s are no part of it', async (_, before) => {
    const line = request('handshake.manifest').replace('\n', '\r\n');
    const heard = await hear([Buffer.from(before + line)]);
    expect(heard).toMatchObject({ dialect: 'yams', answers: [], prints: [] });
    expect(heard.replayed.toString()).toBe(line);
  });

  test('also without the end of its line, when the host says nothing else', async () => {
    const line = request('execute', { operation: 'apply' }).trim();
    const heard = await hear([Buffer.from(line)], 'end');
    expect(heard.dialect).toBe('gevals');
    expect(heard.replayed.toString()).toBe(line);
  });
});

describe('what no host begins with', () => {
  test.each([
    ['hello', null, -32700],
    ['{"jsonrpc":"2.0","id":7,"result":{}}', null, -32600],
    ['17', null, -32600],
    ['[]', null, -32600],
    ['{"jsonrpc":"2.0","id":"a","method":"dance"}', 'a', -32601],
  ])('%s is answered, and the next line may do better', async (line, id, code) => {
    const heard = await hear([Buffer.from(`${line}\n${request('ping')}`)]);
    expect(heard.dialect).toBe('mcp');
    expect(heard.replayed.toString()).toBe(request('ping'));
    expect(heard.answers).toMatchObject([{ jsonrpc: '2.0', id, error: { code } }]);
    expect(heard.prints.join()).toContain('--dialect');
  });

  test('as a notification is not answered', async () => {
    const heard = await hear([Buffer.from('{"jsonrpc":"2.0","method":"dance"}\n' + request('ping'))]);
    expect(heard).toMatchObject({ dialect: 'mcp', answers: [] });
    expect(heard.prints).toHaveLength(1);
  });

  test('and is over the limit is not kept', async () => {
    const heard = await hear(
      [Buffer.alloc(60, 'x'), Buffer.alloc(60, 'x'), Buffer.from(`\n${request('ping')}`)],
      100,
    );
    expect(heard).toMatchObject({ dialect: 'mcp', answers: [{ id: null, error: { code: -32600 } }] });
    expect(heard.prints.join()).toContain('a line of 121 bytes; the limit is 100');
  });

  test('never throws, whatever it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        expect(await hear([Buffer.from(bytes)], 'end')).toBeDefined();
      }),
    );
  });
});

test('a host that ends before it has said anything is none', async () => {
  expect(await hear([], 'end')).toMatchObject({ dialect: undefined, answers: [] });
  expect(await hear([Buffer.from('\n \n')], 'end')).toMatchObject({ dialect: undefined, answers: [] });
});

/** What is found out, what its reader then gets, and what the host hears meanwhile. */
async function hear(chunks: readonly Buffer[], limitOrEnd: number | 'end' = 1000) {
  const [host, own] = linkedPipes();
  const pipe = new HostPipe(own);
  const prints: string[] = [];
  const sent: Buffer[] = [];
  host.open({ data: (chunk) => sent.push(Buffer.from(chunk)), end: () => {} });
  const lineLimit = typeof limitOrEnd === 'number' ? { lineLimit: limitOrEnd } : {};
  const found = recognise(pipe, { print: (line) => prints.push(line), ...lineLimit });
  for (const chunk of chunks) {
    host.write(chunk);
    await host.drained();
    await new Promise(setImmediate);
  }
  void host.finish();
  const dialect = await found;
  const replayed = dialect === undefined ? Buffer.alloc(0) : await readAll(pipe);
  const answers = Buffer.concat(sent)
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));
  pipe.destroy();
  return { dialect, replayed, answers, prints };
}

function readAll(pipe: HostPipe): Promise<Buffer> {
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    pipe.open({
      data: (chunk) => chunks.push(Buffer.from(chunk)),
      end: () => resolve(Buffer.concat(chunks)),
    });
  });
}

function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}
