// What an extension of ours says while it works, and how it comes to its end.
import { describe, expect, test } from 'vitest';
import { ask, untilAnswer } from '../../../test/support/dialect/author-end.ts';
import {
  hello,
  ok,
  request,
  servedExtension as served,
} from '../../../test/support/dialect/gevals/author-end.ts';
import { heldCalls } from '../../../test/support/definition/scripted-backend.ts';
import { PluglotError } from '../../base/error.ts';

describe('log', () => {
  // requirement: gevals:extension:log-fields
  test('logs, streamed lines and progress are logs, before the answer', async () => {
    const { raw } = served({
      scripts: {
        apply: (_, sink) => {
          sink.event({ kind: 'log', level: 'debug', message: 'd', data: { a: 1 } });
          sink.event({ kind: 'log', level: 'warn', message: 'w', data: [1] });
          sink.event({ kind: 'text', text: 'One' });
          sink.event({ kind: 'text', text: ' line\nand ' });
          sink.event({ kind: 'text', text: 'two\n\nand the rest' });
          sink.event({ kind: 'progress', progress: 1, total: 2, message: 'Half' });
          sink.event({ kind: 'progress', progress: 2 });
          sink.end({ ok: true, text: 'One line\nand two\n\nand the rest' });
          sink.event({ kind: 'log', level: 'info', message: 'too late' });
        },
      },
    });
    const { notifications, result } = await ask(raw, 1, 'execute', { operation: 'apply' });
    expect(notifications).toEqual([
      log({ level: 'debug', message: 'd', data: { a: 1 } }),
      log({ level: 'warn', message: 'w', data: { value: [1] } }),
      log({ level: 'info', message: 'One line' }),
      log({ level: 'info', message: 'and two\n' }),
      log({ level: 'info', message: 'Half', data: { progress: 1, total: 2 } }),
      log({ level: 'info', message: 'Progress', data: { progress: 2 } }),
    ]);
    expect(result).toEqual({ success: true, message: 'One line\nand two\n\nand the rest' });
    expect((await ask(raw, 2, 'initialize', hello)).notifications).toEqual([]);
  });

  test('a line that does not end is logged in pieces', async () => {
    const { raw } = served({
      scripts: {
        apply: (_, sink) => {
          sink.event({ kind: 'text', text: 'x'.repeat(20_000) });
          sink.event({ kind: 'text', text: 'y\n' });
          sink.end({ ok: true });
        },
      },
    });
    const { notifications } = await ask(raw, 1, 'execute', { operation: 'apply' });
    expect(notifications).toEqual([
      log({ level: 'info', message: 'x'.repeat(20_000) }),
      log({ level: 'info', message: 'y' }),
    ]);
  });

  test('what belongs to no call is logged too', async () => {
    const { raw, extension } = served({});
    extension.log({ level: 'error', message: 'printed' });
    expect(await raw.next()).toEqual(log({ level: 'error', message: 'printed' }));
  });
});

describe('one-shot', () => {
  // requirement: gevals:extension:one-shot, gevals:extension:command-line-config
  // requirement: gevals:one-shot:stdin-closes, gevals:one-shot:executes, gevals:one-shot:writes-result
  test('executes without initialize, then the end of input: all are answered first', async () => {
    const held = heldCalls();
    const { raw, backend, extension } = served(
      { scripts: { wait: held.script, apply: ok } },
      { config: { n: 1 } },
    );
    raw.send(request(1, 'apply'), request(2, 'wait'), request(3, 'apply'));
    raw.end();
    await untilAnswer(raw, 1);
    (await held.next()).end({ ok: true });
    await raw.inputEnded;
    expect(raw.received).toMatchObject([{ id: 1 }, { id: 2 }, { id: 3 }]);
    expect(await extension.over).toEqual({ exitCode: 0 });
    expect(backend.setups).toEqual([{ n: 1 }]);
    expect(backend.tornDown()).toBe(1);
  });

  test('a setup that fails is the answer', async () => {
    const { raw } = served({ setup: () => Promise.reject(new PluglotError('START_FAILED', 'No key.')) });
    expect((await ask(raw, 1, 'execute', { operation: 'a' })).error).toEqual({
      code: -32603,
      message: 'No key.',
    });
  });
});

describe('shutdown', () => {
  // requirement: gevals:extension:shutdown
  test('waits behind what runs, is answered, and ends it; what comes later is not run', async () => {
    const held = heldCalls();
    const { raw, backend, extension } = served({ scripts: { wait: held.script } });
    raw.send(
      request(1, 'wait'),
      { jsonrpc: '2.0', id: 2, method: 'shutdown', params: {} },
      request(3, 'wait'),
    );
    (await held.next()).end({ ok: true });
    await raw.inputEnded;
    expect(raw.received).toEqual([
      { jsonrpc: '2.0', id: 1, result: { success: true } },
      { jsonrpc: '2.0', id: 2, result: {} },
    ]);
    expect(await extension.over).toEqual({ exitCode: 0 });
    expect(backend.tornDown()).toBe(1);
    expect(backend.requests).toHaveLength(1);
  });

  test('a host that is gone ends what runs', async () => {
    const held = heldCalls();
    const { raw, backend, extension } = served({ scripts: { wait: held.script } });
    raw.send(request(1, 'wait'));
    await held.next();
    raw.destroy();
    await extension.over;
    expect(backend.cancelled).toHaveLength(1);
    expect(backend.tornDown()).toBe(1);
  });

  test('close gives up what runs', async () => {
    const held = heldCalls();
    const { raw, backend, extension } = served({ scripts: { wait: held.script } });
    raw.send(request(1, 'wait'));
    await held.next();
    extension.close();
    expect(await extension.over).toEqual({ exitCode: 0 });
    expect(backend.cancelled).toEqual(['The connection to the host was closed by this end.']);
  });
});

function log(params: object) {
  return { jsonrpc: '2.0', method: 'log', params };
}
