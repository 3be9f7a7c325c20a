// What becomes of calls under way when the endpoint closes: every one is answered, with what came of it or with why nothing did.
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { deferred } from '../../src/base/async.ts';
import { definePlugin } from '../../src/definition/define-plugin.ts';
import {
  connectClient,
  connectOverPipe,
  testEndpoint,
  type TestEndpoint,
} from '../support/surface/mcp-endpoint.ts';

const overHttp: readonly (readonly [string, (at: TestEndpoint) => Promise<Client>])[] = [
  ['HTTP before 2026', (at) => connectClient(at.url)],
  ['HTTP since 2026', (at) => connectClient(at.url, { era: 'modern' })],
];
const overPipes: typeof overHttp = [
  ['a pipe before 2026', (at) => connectOverPipe(at.endpoint)],
  ['a pipe since 2026', (at) => connectOverPipe(at.endpoint, { era: 'modern' })],
];

function setup(closeMs = 50) {
  const begun = deferred<void>();
  const goOn = deferred<void>();
  const brooding = deferred<void>();
  const waiting = (signal: AbortSignal, first = begun) =>
    new Promise<void>((resolve) => {
      first.resolve();
      signal.addEventListener('abort', () => resolve());
    });
  const slow = definePlugin({
    name: 'slow',
    version: '1.0.0',
    tools: {
      wait: {
        async *handler(_: unknown, { signal }) {
          yield 'So far. ';
          await waiting(signal);
        },
      },
      finish: {
        async handler() {
          begun.resolve();
          await goOn.promise;
          return 'finished';
        },
      },
    },
    commands: {
      brood: { handler: (_: unknown, { signal }) => waiting(signal, brooding).then(() => 'given up') },
    },
  });
  const at = testEndpoint({ definitions: [slow], limits: { closeMs } });
  return { begun: begun.promise, brooding: brooding.promise, goOn, at };
}

describe.each([...overHttp, ...overPipes])('over %s', (_, connect) => {
  it('a call that is not over in time is answered with why', async () => {
    const { at, begun } = setup();
    const { endpoint } = await at;
    const client = await connect(await at);
    const called = client.callTool({ name: 'wait' });
    await begun;
    await endpoint.close();
    const result = await called;
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain('The host is shutting down.');
  });

  it('so is one of whom progress was heard, and a command', async () => {
    const { at, begun, brooding } = setup();
    const { endpoint } = await at;
    const client = await connect(await at);
    const heard = deferred<void>();
    const called = client.callTool({ name: 'wait' }, { onprogress: () => heard.resolve() });
    const refused = expect(client.getPrompt({ name: 'brood' })).rejects.toThrow(/shutting down/);
    await Promise.all([begun, brooding, heard.promise]);
    await endpoint.close();
    expect((await called).isError).toBe(true);
    await refused;
  });
});

it.each(overHttp)('over %s, a call that ends in time has its result', async (_, connect) => {
  const { at, begun, goOn } = setup(10_000);
  const { endpoint } = await at;
  const client = await connect(await at);
  const called = client.callTool({ name: 'finish' });
  await begun;
  const closed = endpoint.close();
  await expect(client.callTool({ name: 'finish' })).rejects.toThrow(/shutting down/);
  goOn.resolve();
  expect((await called).content).toEqual([{ type: 'text', text: 'finished' }]);
  await closed;
  expect(endpoint.sessions).toBe(0);
});
