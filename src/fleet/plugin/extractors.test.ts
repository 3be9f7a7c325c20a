// The limits of YAMS under a fleet, as its specification has them by default.
import { expect, test } from 'vitest';
import { playedFleet } from '../../../test/support/fleet/played-fleet.ts';
import { yams } from '../../dialect/yams/host.ts';

const manifest = { name: 'reader', version: '1.0.0', interfaces: ['content_extractor_v1'] };
const source = { kind: 'path', path: '/tmp/a' } as const;

// requirement: yams:process:timeout
test('an extraction has 30 s', async () => {
  const { clock, introduced } = playedFleet(yams);
  const { plugin, raw } = await introduced('played', manifest, { status: 'initialized' });
  const calls = [plugin.extract({ source }), plugin.extract({ source })];
  const { id } = await raw.nextRequest();
  clock.advance(29_999);
  raw.answer(id, { success: true, content: 'just in time' });
  expect(await calls[0]).toMatchObject({ ok: true, text: 'just in time' });
  await raw.nextRequest();
  clock.advance(30_000);
  expect(await calls[1]).toMatchObject({
    ok: false,
    error: { code: 'CALL_TIMEOUT', message: expect.stringContaining('within 30000 ms') as string },
  });
});

// requirement: yams:shutdown:limit
test('a plugin that does not answer plugin.shutdown is ended after 5 s', async () => {
  const { clock, introduced } = playedFleet(yams);
  const { plugin, raw } = await introduced('played', manifest, { status: 'initialized' });
  let isStopped = false;
  const stopped = plugin.stop().then(() => (isStopped = true));
  expect(await raw.nextRequest()).toMatchObject({ method: 'plugin.shutdown' });
  clock.advance(4999);
  for (let round = 0; round < 3; round++) await new Promise(setImmediate);
  expect(isStopped).toBe(false);
  clock.advance(1);
  await stopped;
  await raw.inputEnded;
});
