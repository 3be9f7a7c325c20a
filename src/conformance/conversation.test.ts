import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linkedPipes } from '../channel/bytes/stream-pipe.ts';
import { lengthPrefix } from '../channel/frame/length-prefix.ts';
import { lines } from '../channel/frame/lines.ts';
import { framedLink } from '../channel/link/framed-link.ts';
import { Peer } from '../channel/peer/peer.ts';
import type { Exit } from '../fleet/supervisor/spawn.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { Conversation, Unmet } from './conversation.ts';
import { gassistDriver } from './gassist.ts';
import { gevalsDriver } from './gevals.ts';
import { defaultCheckLimits } from './limits.ts';

describe.each([gevalsDriver, gassistDriver])('$framing', (driver) => {
  test('requests are answered, and what was said is kept in its order', async () => {
    const { conversation, plugin } = open(driver);
    plugin.handle('add', (params) => ({ given: params }));
    expect(await conversation.request('add', [1, 2])).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { given: [1, 2] },
    });
    expect(conversation.transcript.excerpt()).toBe(
      '→ {"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}\n← {"jsonrpc":"2.0","id":1,"result":{"given":[1,2]}}',
    );
  });

  test('the same bytes in pieces are the same message', async () => {
    const { conversation, plugin } = open(driver);
    plugin.handle('ping', () => 'pong');
    const bytes = conversation.frame({ jsonrpc: '2.0', id: 9, method: 'ping' });
    await conversation.writeApart([...bytes].map((byte) => Buffer.of(byte)));
    expect(await conversation.response(9, 'ping')).toMatchObject({ result: 'pong' });
  });
});

test('a missing message is reported with what was expected and what was received', async () => {
  const { conversation, plugin, clock } = open();
  plugin.handle('start', () => 'started');
  await conversation.request('start');
  const waiting = conversation.waitFor('a sign', () => false, 5000);
  clock.advance(5000);
  await expect(waiting).rejects.toThrow(Unmet);
  await expect(waiting).rejects.toThrow(/^Expected a sign within 5 s; none came\.\n→ .*\n← .*"started"/);
});

test('before its first word a plugin has the time of a start', async () => {
  const { conversation, clock } = open();
  const waiting = conversation.waitFor('a sign', () => true, 5000);
  clock.advance(5000);
  clock.advance(defaultCheckLimits.startMs - 5000);
  await expect(waiting).rejects.toThrow('within 10 s');
});

test('waiting ends with the plugin, and the report has its last lines without stack frames', async () => {
  const { conversation, end } = open();
  const waiting = conversation.request('anything');
  end('Error: oh no\n    at somewhere (file:1:2)\n\nNode.js v20\n');
  await expect(waiting).rejects.toThrow(
    /^Expected an answer to anything; the other end closed it\.\n[^!]*\n! Error: oh no$/,
  );
});

test('what is not a message is noise', async () => {
  const { conversation, plugin, print } = open();
  plugin.handle('ping', () => 'pong');
  print('hello\n{"progress":\n');
  await conversation.request('ping');
  expect(conversation.transcript.noise).toEqual(['hello', '{"progress":']);
});

test('the messages of a batch are received one by one, and an array of anything else is noise', async () => {
  const { conversation, plugin, print } = open();
  plugin.handle('ping', () => 'pong');
  print('[{"id":7},{"id":8}]\n[]\n[{"id":9},9]\n');
  await conversation.request('ping');
  const { received, noise } = conversation.transcript;
  expect(received.map(({ message, isInBatch }) => [message['id'], isInBatch])).toEqual([
    [7, true],
    [8, true],
    [1, false],
  ]);
  expect(noise).toEqual(['[]', '[{"id":9},9]']);
});

test('whatever a plugin prints, its later messages are received', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array(), { maxLength: 5 }), async (chunks) => {
      const { conversation, plugin, print } = open();
      plugin.handle('ping', () => 'pong');
      for (const chunk of chunks) print(Buffer.from(chunk).toString('latin1'));
      print('\n');
      expect(await conversation.request('ping')).toMatchObject({ result: 'pong' });
    }),
    { numRuns: 50 },
  );
});

test('a plugin that floods is given up', async () => {
  const { conversation, print, signals } = open();
  print('{"method":"x"}\n'.repeat(20_001));
  await expect(conversation.request('anything')).rejects.toThrow('it sent more than the limit');
  expect(signals).toEqual(['SIGKILL']);
});

function open(driver = gevalsDriver) {
  const [hostPipe, pluginPipe] = linkedPipes();
  const clock = fakeClock();
  const signals: string[] = [];
  let stderr = '';
  const conversation = new Conversation(
    {
      pipe: hostPipe,
      exited: new Promise<Exit>(() => {}),
      stderr: () => stderr,
      signal: (signal) => void signals.push(signal),
      stop: () => Promise.reject(new Error('It is not a process.')),
    },
    { words: driver, limits: defaultCheckLimits, clock },
  );
  const plugin = new Peer(framedLink(pluginPipe, driver.framing === 'lines' ? lines() : lengthPrefix()));
  return {
    conversation,
    plugin,
    clock,
    signals,
    print: (text: string) => void pluginPipe.write(text),
    end: (lastLines: string) => {
      stderr = lastLines;
      void pluginPipe.finish();
    },
  };
}
