import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { limitedFetch } from './reach.ts';

const event = `data: ${'x'.repeat(54)}\n\n`; // 60 bytes and two line ends
const crlf = event.replaceAll('\n', '\r\n');
const cr = event.replaceAll('\n', '\r');

test.each([
  ['a body at the limit', 'application/json', ['x'.repeat(60), 'x'.repeat(40)]],
  ['many events below it', 'text/event-stream; charset=utf-8', [event, event + event, event]],
  ['the same with CRLF', 'text/event-stream', [crlf, crlf + crlf, crlf]],
  ['the same with bare CR', 'text/event-stream', [cr, cr + cr, cr]],
  ['events cut anywhere', 'text/event-stream', (event + crlf + cr).repeat(3).split('')],
])('%s comes as it is', async (_, contentType, chunks) => {
  const response = await answered(contentType, chunks);
  expect(await response.text()).toBe(chunks.join(''));
});

test.each([
  ['a body over the limit', 'application/json', ['x'.repeat(60), 'x'.repeat(41)]],
  ['an event over it', 'text/event-stream', [event, `data: ${'x'.repeat(95)}\n\n`]],
  ['an event of many lines over it', 'text/event-stream', Array<string>(30).fill('data: x\n')],
  ['the same with CRLF', 'text/event-stream', Array<string>(30).fill('data: x\r\n')],
  ['the same with CRLF, cut', 'text/event-stream', 'data: x\r\n'.repeat(30).split('')],
  ['the same with bare CR', 'text/event-stream', Array<string>(30).fill('data: x\r')],
  ['an event that never ends', 'text/event-stream', ['data: ', 'x'.repeat(50), 'x'.repeat(50)]],
])('%s fails', async (_, contentType, chunks) => {
  const response = await answered(contentType, chunks);
  await expect(response.text()).rejects.toMatchObject({ code: 'FRAME_TOO_LARGE' });
});

test('an answer without a body', async () => {
  const response = await answered(undefined, [], 204);
  expect(response.status).toBe(204);
  expect(response.body).toBeNull();
});

async function answered(
  contentType: string | undefined,
  chunks: readonly string[],
  status = 200,
): Promise<Response> {
  const server = http.createServer((_, response) => {
    response.writeHead(status, contentType === undefined ? {} : { 'content-type': contentType });
    for (const chunk of chunks) response.write(chunk);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // it listens on a port
  return limitedFetch({ pluginName: 'x', messageBytes: 100 })(`http://127.0.0.1:${port}/`);
}
