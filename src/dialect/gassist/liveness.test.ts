// Signs of life, the goodbye, and the limits that hold unless a spec says otherwise.
import { describe, expect, test } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.ts';
import { connectedEnd } from '../../../test/support/dialect/gassist/host-end.ts';
import { hostDialects } from '../hosts.ts';
import { gassist } from './host.ts';

describe('a ping', () => {
  // requirement: gassist:ping:within-1s, gassist:goals:engine-pings
  test('is missed when no answer came in time', async () => {
    const clock = fakeClock();
    const { raw, end } = await connectedEnd(undefined, { clock });
    const pong = end.ping?.(1000);
    expect(await raw.nextRequest()).toMatchObject({ method: 'ping' });
    clock.advance(1000);
    await expect(pong).rejects.toMatchObject({ code: 'CALL_TIMEOUT' });
  });

  // requirement: gassist:ping:timestamp
  test.each([
    ['its timestamp', { result: { timestamp: 1_234_567_890 } }],
    ['another timestamp', { result: { timestamp: 0.5 } }],
    ['nothing', { result: null }],
    ['an error', { error: { code: -32601, message: 'Method not found' } }],
    ['what is no response', { result: 1, error: { code: 1, message: 'both' } }],
  ])('is answered by %s', async (_, answer) => {
    const { raw, end } = await connectedEnd();
    const pong = end.ping?.(10_000);
    const { id } = await raw.nextRequest();
    raw.send({ jsonrpc: '2.0', id, ...answer });
    await expect(pong).resolves.toBeUndefined();
  });

  test('has a timestamp in whole seconds, which fit into small integers', async () => {
    const { raw, end } = await connectedEnd();
    const pong = end.ping?.(10_000);
    const { id, params } = await raw.nextRequest();
    const { timestamp } = params as { timestamp: number };
    expect(Math.abs(timestamp - Date.now() / 1000)).toBeLessThan(100);
    expect(Number.isInteger(timestamp)).toBe(true);
    raw.answer(id, {});
    await pong;
  });

  test('fails with the pipe', async () => {
    const { raw, end } = await connectedEnd();
    const pong = end.ping?.(10_000);
    await raw.nextRequest();
    raw.end();
    await expect(pong).rejects.toMatchObject({ code: 'PIPE_ENDED' });
    expect(await end.ended).toMatchObject({ kind: 'ended' });
  });
});

describe('the goodbye', () => {
  // requirement: gassist:shutdown:no-response
  test('waits for nothing, and fails for nothing', async () => {
    const { raw, end } = await connectedEnd();
    await end.shutdown(0);
    expect(await raw.next()).toEqual({ jsonrpc: '2.0', method: 'shutdown', params: {} });
    raw.destroy();
    await end.ended;
    await expect(end.shutdown(0)).resolves.toBeUndefined();
  });

  test('reaches the plugin although this end closes right after', async () => {
    const { raw, end } = await connectedEnd();
    await end.shutdown(0);
    end.close();
    expect(await raw.next()).toMatchObject({ method: 'shutdown' });
    await raw.inputEnded;
  });
});

describe('what holds unless a spec says otherwise', () => {
  // requirement: gassist:timeouts:ping, gassist:timeouts:ack, gassist:timeouts:execute, gassist:timeouts:session
  test('are the limits of the specification, whose end is that of the plugin', () => {
    expect(gassist.traits).toMatchObject({
      limits: { pingMs: 1000, ackMs: 2000, callMs: 30_000, talkMs: 5 * 60_000 },
      fatalFailures: ['CALL_TIMEOUT', 'ACK_TIMEOUT'],
      concurrency: 1,
    });
  });

  test('stands in the list of dialects', async () => {
    expect(await hostDialects.gassist?.()).toBe(gassist);
  });
});

test('what a plugin asks of the host is refused, and does no harm', async () => {
  const { raw, allHandled } = await connectedEnd();
  raw.send({ jsonrpc: '2.0', id: 'mine', method: 'sample', params: {} });
  expect(await raw.next()).toMatchObject({ id: 'mine', error: { code: -32601 } });
  await allHandled();
});
