// Tools that run in a thread of their own: what they may do, and that nothing they do reaches the others.
import { once } from 'node:events';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { RunAhead } from '../../src/sdk/isolate/run-ahead.ts';
import { root } from '../support/project.ts';
import { logged, serveProgram, untilLogged } from './served-program.ts';

test('they run in one warm thread, with the configuration of the plugin', async () => {
  const { execute, answer } = serveProgram('many-ways.mjs', {
    args: ['--config', '{"greeting":"Good day"}'],
  });
  for (const id of [1, 2]) {
    execute(id, 'where');
    expect(await answer()).toMatchObject({
      id,
      result: { success: true, outputs: { isMainThread: 'false', threadId: '1', greeting: 'Good day' } },
    });
  }
});

test('what they stream, log and print comes through, in its order', async () => {
  const { host, execute, answer } = serveProgram('many-ways.mjs');
  execute(1, 'say');
  expect(await answer()).toMatchObject({ id: 1, result: { success: true, message: 'one two three' } });
  expect(logged(host).map(({ level, message }) => [level, message])).toEqual([
    ['info', 'a log'],
    ['warn', 'a print'],
    ['info', 'Progress'],
  ]);
});

test('one that blocks is ended at its time limit; the next has a thread again', async () => {
  const { execute, answer } = serveProgram('many-ways.mjs');
  execute(1, 'block', {}, '300ms');
  execute(2, 'where');
  expect(await answer()).toMatchObject({ id: 1, error: { code: -32001 } });
  expect(await answer()).toMatchObject({ id: 2, result: { success: true, outputs: { threadId: '2' } } });
});

test('one that blocks keeps nothing else from being answered, and a cancel ends it', async () => {
  const { host } = serveProgram('many-ways.mjs');
  const request = (id: number, method: string, params: object = {}) =>
    host.send({ jsonrpc: '2.0', id, method, params });
  request(1, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'x', version: '1' },
  });
  expect(await host.next()).toMatchObject({ id: 1, result: { serverInfo: { name: 'many-ways' } } });
  host.notify('notifications/initialized');
  request(2, 'tools/call', { name: 'block', arguments: {} });
  expect(await host.next()).toMatchObject({ method: 'notifications/message', params: { data: 'blocking' } });
  request(3, 'ping');
  expect(await host.next()).toEqual({ jsonrpc: '2.0', id: 3, result: {} });
  request(4, 'tools/call', { name: 'greet', arguments: { name: 'you' } });
  expect(await host.next()).toMatchObject({ id: 4, result: { content: [{ text: 'Hello, you!' }] } });
  // It waits for the thread, which it gets when the other is given up.
  request(5, 'tools/call', { name: 'where', arguments: {} });
  host.notify('notifications/cancelled', { requestId: 2 });
  expect(await host.next()).toMatchObject({ id: 5, result: { structuredContent: { threadId: 2 } } });
});

describe('one that ends its thread fails, and the next has a thread again', () => {
  test.each([
    ['exit', 'it exited with code 7', []],
    ['throwInThread', 'nobody catches this', []],
    ['eat', 'memory limit', ['--max-old-space-size=48']],
  ])('%s', async (tool, why, nodeArgs) => {
    const { execute, answer, host, ended } = serveProgram('many-ways.mjs', { nodeArgs });
    execute(1, tool);
    execute(2, 'where');
    const { error } = await answer();
    expect(error?.code).toBe(-32603);
    expect(error?.message).toContain(why);
    expect(await answer()).toMatchObject({ id: 2, result: { success: true, outputs: { threadId: '2' } } });
    host.end();
    expect(await ended).toBe(0);
  });
});

test('one that never pauses waits for the main thread, so that what it says cannot fill the memory', async () => {
  const module = pathToFileURL(path.join(root, 'dist/sdk/isolate/run-ahead.js')).href;
  const rambling = `
    const { parentPort, workerData } = require('node:worker_threads');
    import(${JSON.stringify(module)}).then(({ RunAhead }) => {
      const runAhead = new RunAhead(workerData);
      for (let count = 1; count <= 2000; count++) {
        parentPort.postMessage(count);
        runAhead.posted();
      }
    });`;
  const runAhead = new RunAhead();
  const worker = new Worker(rambling, { eval: true, workerData: runAhead.shared });
  let most = 0;
  let heard = 0;
  worker.on('message', () => {
    most = Math.max(most, Atomics.load(runAhead.shared, 0));
    heard += 1;
    runAhead.received();
  });
  await once(worker, 'exit');
  expect(heard).toBe(2000);
  expect(most).toBeLessThanOrEqual(257);
});

test('a program whose thread is blocked ends when its host tells it', async () => {
  const { child, host, execute, answer, ended } = serveProgram('many-ways.mjs');
  execute(1, 'block');
  await untilLogged(host, 'blocking');
  child.kill('SIGTERM');
  expect(await answer()).toMatchObject({ id: 1, result: { success: false } });
  expect(await ended).toBe(143);
});
