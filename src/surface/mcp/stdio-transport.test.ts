import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { testEndpoint } from '../../../test/support/surface/mcp-endpoint.ts';
import { deferred } from '../../base/async.ts';
import { streamPipe } from '../../channel/bytes/stream-pipe.ts';
import { definePlugin } from '../../definition/define-plugin.ts';
import { fakeClock } from '../../testing/fake-clock.ts';

test('who has closed its input and waited long enough hears that, and of no end of the host', async () => {
  const clock = fakeClock();
  const { input, lines, begun, served } = await world(clock);
  input.end();
  await begun;
  // Its input is over by then.
  await expect.poll(() => input.readableEnded).toBe(true);
  clock.advance(10_000);
  await served;
  const text = 'The input was closed, and this was not over 10 s later.';
  expect(lines()).toContainEqual({
    jsonrpc: '2.0',
    id: 2,
    result: expect.objectContaining({ isError: true, content: [{ type: 'text', text }] }) as object,
  });
});

test('who is served until the host ends hears that', async () => {
  const { lines, begun, served, endpoint } = await world(fakeClock());
  await begun;
  await Promise.all([endpoint.close(), served]);
  expect(JSON.stringify(lines())).toContain('The host is shutting down.');
});

test('an argument named __proto__ is refused, not left out', async () => {
  const { input, lines, begun, served, endpoint } = await world(fakeClock());
  await begun;
  input.write(
    '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"brood","arguments":{"__proto__":{}}}}\n',
  );
  await expect.poll(() => input.readableLength).toBe(0);
  await Promise.all([endpoint.close(), served]);
  expect(lines()).toContainEqual(
    expect.objectContaining({ id: 3, error: expect.objectContaining({ code: -32_602 }) as object }),
  );
});

test('a message that is too much is answered with why, wherever its id stands, and the next is served', async () => {
  const { input, lines, begun, served, endpoint } = await world(fakeClock());
  await begun;
  const many = `{${'"a":1,'.repeat(5000)}"b":1}`;
  const call = `"method":"tools/call","params":{"name":"brood","arguments":${many}}`;
  input.write(`{"jsonrpc":"2.0","id":3,${call}}\n{${call},"jsonrpc":"2.0","id":4}\n`);
  input.write(`{"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":"${'y'.repeat(5 * 1024 * 1024)}"}}\n`);
  input.write('{"jsonrpc":"2.0","id":6,"method":"ping"}\n');
  await expect.poll(() => input.readableLength).toBe(0);
  await Promise.all([endpoint.close(), served]);
  const answers = lines();
  for (const [id, why] of [
    [3, 'more than 5000 keys'],
    [4, 'more than 5000 keys'],
    [5, 'the limit is 4194304'],
  ] as const)
    expect(answers).toContainEqual({
      jsonrpc: '2.0',
      id,
      error: { code: -32_600, message: expect.stringContaining(why) as string },
    });
  expect(answers).toContainEqual({ jsonrpc: '2.0', id: 6, result: {} });
});

async function world(clock: ReturnType<typeof fakeClock>) {
  const begun = deferred<void>();
  const brood = definePlugin({
    name: 'brood',
    version: '1.0.0',
    tools: {
      brood: {
        handler(_: unknown, { signal }) {
          begun.resolve();
          return new Promise<string>((resolve) =>
            signal.addEventListener('abort', () => resolve('given up')),
          );
        },
      },
    },
  });
  const { endpoint } = await testEndpoint({ definitions: [brood], clock, limits: { closeMs: 0 } });
  const input = new PassThrough();
  const output = new PassThrough();
  onTestFinished(() => void input.destroy());
  const served = endpoint.serveStdio(streamPipe(input, output));
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  for (const message of [
    { id: 1, method: 'initialize', params: hello },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'brood', arguments: {} } },
  ])
    input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let written = '';
  output.setEncoding('utf8').on('data', (text: string) => (written += text));
  const lines = () =>
    written
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  return { endpoint, input, lines, begun: begun.promise, served };
}
