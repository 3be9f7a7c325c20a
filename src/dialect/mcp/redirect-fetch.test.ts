import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { faithfulFetch } from './reach.ts';

const secrets = { 'X-Api-Key': 'hunter2', Authorization: 'Bearer hunter2' };
const post = { method: 'POST', headers: secrets, body: 'what is said' };

test.each([301, 302, 303, 307, 308])('another server gets nothing (%i)', async (status) => {
  const other = await listening((_, response) => response.end());
  const server = await listening((_, response) => response.writeHead(status, { location: other.url }).end());
  await expect(faithfulFetch('x')(server.url, post)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: `Plugin "x" redirects to another server (HTTP ${status}, to ${new URL(other.url).origin}), which is not followed. Correct "url".`,
  });
  expect(other.seen).toEqual([]);
});

test('another path of the same server gets all of it', async () => {
  const server = await listening((request, response) =>
    request.url === '/mcp/' ? response.end('here') : response.writeHead(307, { location: '/mcp/' }).end(),
  );
  expect(await (await faithfulFetch('x')(server.url, post)).text()).toBe('here');
  expect(server.seen.at(-1)).toMatchObject({
    method: 'POST',
    url: '/mcp/',
    headers: { 'x-api-key': 'hunter2' },
  });
});

test.each(['/', 'http://', 'file:///etc/passwd', ''])(
  'a way without an end or a place: %o',
  async (location) => {
    const server = await listening((_, response) => response.writeHead(308, { location }).end());
    await expect(faithfulFetch('x')(server.url, post)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(server.seen.length).toBeLessThan(10);
  },
);

async function listening(answer: http.RequestListener) {
  const seen: http.IncomingMessage[] = [];
  const server = http.createServer((request, response) => {
    seen.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // it listens on a port
  return { url: `http://127.0.0.1:${port}/mcp`, seen };
}
