import { expect, onTestFinished, test } from 'vitest';
import { lengthPrefix } from '../channel/frame/length-prefix.ts';
import { lines } from '../channel/frame/lines.ts';
import { fakeClock } from './fake-clock.ts';
import { linkedPeers, type LinkedPeersOptions } from './linked-peers.ts';

test.each([lines(), lengthPrefix()])('both ends can call over $name', async (framing) => {
  const { host, plugin } = open({ framing });
  plugin.handle('greet', (params) => ({ hello: params }));
  host.handle('ask', () => 42);
  expect(await host.request('greet', ['world'])).toEqual({ hello: ['world'] });
  expect(await plugin.request('ask')).toBe(42);
});

test('a time limit passes when the clock is moved', async () => {
  const clock = fakeClock();
  const { host, plugin } = open({ host: { clock } });
  const asked = new Promise<void>((resolve) => {
    plugin.handle('sleep', () => {
      resolve();
      return new Promise(() => {});
    });
  });
  const call = host.request('sleep', undefined, { timeoutMs: 60_000 });
  await asked;
  clock.advance(120_000);
  await expect(call).rejects.toMatchObject({ code: 'CALL_TIMEOUT' });
});

test('closing ends both sides', async () => {
  const { host, plugin, close } = linkedPeers();
  plugin.handle('sleep', () => new Promise(() => {}));
  const call = host.request('sleep');
  await Promise.all([expect(call).rejects.toMatchObject({ code: 'PEER_CLOSED' }), close()]);
  await Promise.all([host.closed, plugin.closed]);
});

function open(options: LinkedPeersOptions) {
  const peers = linkedPeers(options);
  onTestFinished(() => peers.close());
  return peers;
}
