// How a plugin of ours ends under a YAMS host: by a goodbye, by the end of its input, with and without work under way.
import { describe, expect, test } from 'vitest';
import { ask } from '../../../test/support/dialect/author-end.ts';
import { heldCalls } from '../../../test/support/definition/scripted-backend.ts';
import { initializedPlugin, servedPlugin } from '../../../test/support/dialect/yams/author-end.ts';
import { fakeClock } from '../../testing/fake-clock.ts';

const shutdown = { jsonrpc: '2.0', id: 9, method: 'plugin.shutdown' };
const goodbye = { jsonrpc: '2.0', id: 9, result: null };

describe('plugin.shutdown', () => {
  // requirement: yams:plugin:shutdown
  test('is answered with null when the plugin is taken down, and the pipe is closed', async () => {
    const order: string[] = [];
    const { raw, served } = await initializedPlugin({ teardown: async () => void order.push('taken down') });
    raw.onMessage(() => order.push('answered'));
    raw.send(shutdown);
    expect(await served.over).toEqual({ exitCode: 0 });
    await raw.inputEnded;
    expect(order).toEqual(['taken down', 'answered']);
    expect(raw.received.at(-1)).toEqual(goodbye);
  });

  // requirement: yams:plugin:probe
  test('may come right after the handshake', async () => {
    const { raw, served, backend } = servedPlugin();
    await ask(raw, 1, 'handshake.manifest');
    raw.send(shutdown);
    expect(await raw.next()).toEqual(goodbye);
    expect(await served.over).toEqual({ exitCode: 0 });
    expect(backend.setups).toEqual([]);
    expect(backend.tornDown()).toBe(1);
  });

  test('waits for what runs', async () => {
    const held = heldCalls();
    const { raw, served } = await initializedPlugin({ scripts: { tool: held.script } });
    raw.send({ jsonrpc: '2.0', id: 1, method: 'tool' }, shutdown);
    const call = await held.next();
    call.end({ ok: true, text: 'over' });
    expect(await raw.take(2)).toEqual([{ jsonrpc: '2.0', id: 1, result: 'over' }, goodbye]);
    await served.over;
  });

  test('finds all of a script that came in one piece done', async () => {
    const { raw, served } = servedPlugin({ manifest: { tools: [{ name: 'tool' }] } });
    raw.send(
      { jsonrpc: '2.0', id: 1, method: 'handshake.manifest' },
      { jsonrpc: '2.0', id: 2, method: 'plugin.init' },
      { jsonrpc: '2.0', id: 3, method: 'tool' },
      shutdown,
    );
    await served.over;
    await raw.inputEnded;
    expect(raw.received).toMatchObject([
      { id: 1 },
      { id: 2, result: { status: 'initialized' } },
      { id: 3, result: 'done' },
      goodbye,
    ]);
  });

  test('gives up what does not end within 2 s, and answers it', async () => {
    const clock = fakeClock();
    const held = heldCalls();
    const { raw, served } = await initializedPlugin(
      {
        scripts: { tool: held.script },
        teardown: async () => call.end({ ok: false, error: { code: 'PLUGIN_STOPPED', message: 'It ends.' } }),
      },
      { clock },
    );
    raw.send({ jsonrpc: '2.0', id: 1, method: 'tool' }, shutdown);
    const call = await held.next();
    // Timers wait since the shutdown was read, which was in the same piece as the call.
    clock.advance(2000);
    expect(await raw.take(2)).toMatchObject([{ id: 1, error: { code: -32000 } }, goodbye]);
    expect(await served.over).toEqual({ exitCode: 0 });
  });

  test('is answered before the real host gives up, also where the teardown takes long', async () => {
    const clock = fakeClock();
    let goOn = () => {};
    const { raw, served } = await initializedPlugin(
      {
        teardown: () => {
          queueMicrotask(() => clock.advance(2500));
          return new Promise((resolve) => (goOn = resolve));
        },
      },
      { clock },
    );
    raw.send(shutdown);
    expect(await raw.next()).toEqual(goodbye);
    goOn();
    expect(await served.over).toEqual({ exitCode: 0 });
  });

  test('leaves nothing unanswered that comes after it', async () => {
    const held = heldCalls();
    const { raw } = await initializedPlugin({ scripts: { tool: held.script } });
    const health = { jsonrpc: '2.0', id: 2, method: 'plugin.health' };
    raw.send({ jsonrpc: '2.0', id: 1, method: 'tool' }, shutdown, health);
    expect(await raw.next()).toMatchObject({ id: 2, result: { status: 'ok' } });
    (await held.next()).end({ ok: true });
    expect(await raw.take(2)).toEqual([{ jsonrpc: '2.0', id: 1, result: null }, goodbye]);
  });

  test('may be a notification', async () => {
    const { raw, served } = await initializedPlugin();
    raw.notify('plugin.shutdown');
    expect(await served.over).toEqual({ exitCode: 0 });
    await raw.inputEnded;
    expect(raw.received).toHaveLength(1);
  });
});

// requirement: yams:plugin:end-of-input
test('at the end of the input what was asked is finished and answered', async () => {
  const held = heldCalls();
  const { raw, served, backend } = await initializedPlugin({ scripts: { tool: held.script } });
  raw.send({ jsonrpc: '2.0', id: 1, method: 'tool' });
  raw.notify('tool');
  raw.end();
  const [asked, unasked] = [await held.next(), await held.next()];
  asked.end({ ok: true, text: 'over' });
  expect(await raw.next()).toEqual({ jsonrpc: '2.0', id: 1, result: 'over' });
  expect(backend.tornDown()).toBe(0);
  unasked.end({ ok: true });
  expect(await served.over).toEqual({ exitCode: 0 });
  expect(backend.tornDown()).toBe(1);
});

test('a host that is gone in both directions takes the work with it', async () => {
  const held = heldCalls();
  const { raw, served, backend } = await initializedPlugin({ scripts: { tool: held.script } });
  raw.send({ jsonrpc: '2.0', id: 1, method: 'tool' });
  await held.next();
  raw.destroy();
  await served.over;
  expect(backend.cancelled).toHaveLength(1);
});

test('it can be ended from this side', async () => {
  const held = heldCalls();
  const { raw, served, backend } = await initializedPlugin({ scripts: { tool: held.script } });
  raw.send({ jsonrpc: '2.0', id: 1, method: 'tool' });
  await held.next();
  served.close();
  expect(await served.over).toEqual({ exitCode: 0 });
  expect(backend.cancelled).toHaveLength(1);
  expect(backend.tornDown()).toBe(1);
});
