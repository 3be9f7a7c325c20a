import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { type Cassette, parseCassette, readCassette } from './cassette.ts';
import { compareWithCassette, type RawPlugin } from './compare.ts';
import { createRecorder } from './recorder.ts';
import type { JsonObject } from '../../base/json.ts';
import { PluglotError } from '../../base/error.ts';
import { createSecrets } from '../../secrets/secrets.ts';

const header = { plugin: 'dice', dialect: 'mcp' } as const;

it('writes down what both say, and reads it again', async () => {
  const file = path.join(temporaryFolder(), 'dice.jsonl');
  const times = [0, 0, 5, 8].map((ms) => new Date(Date.UTC(2026, 0, 1, 0, 0, 0, ms)));
  const recorder = await createRecorder({ file, header, now: () => times.shift() ?? new Date(0) });
  recorder.started();
  recorder.observer('sent', { kind: 'request', id: 1, method: 'ping', params: undefined });
  recorder.observer('received', { kind: 'success', id: 1, result: {} });
  expect(await recorder.close()).toEqual({ messages: 2 });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await readCassette(file)).toEqual({
    header: { cassette: 1, ...header, recordedAt: '2026-01-01T00:00:00.000Z' },
    entries: [
      { at: 0, event: 'started' },
      { at: 5, from: 'host', message: { jsonrpc: '2.0', id: 1, method: 'ping' } },
      { at: 8, from: 'plugin', message: { jsonrpc: '2.0', id: 1, result: {} } },
    ],
  });
});

it('keeps secrets out: what looks like one, and what is known to be one', async () => {
  const file = path.join(temporaryFolder(), 'dice.jsonl');
  const recorder = await createRecorder({ file, header, secrets: createSecrets(['correct horse', 'x']) });
  recorder.observer('sent', {
    kind: 'notification',
    method: 'init',
    params: { config: { api_key: 'hunter2hunter2' }, note: 'the correct horse of x' },
  });
  await recorder.close();
  const text = readFileSync(file, 'utf8');
  expect(text).not.toMatch(/hunter2|correct horse/);
  expect(text).toContain('"the *** of x"');
});

it('writes lines that fit the published schema, and no others do', async () => {
  const file = path.join(temporaryFolder(), 'a.jsonl');
  const recorder = await createRecorder({ file, header: { plugin: 'dice', command: 'node x' } });
  recorder.started();
  recorder.record('plugin', 'printed');
  recorder.record('host', [{ jsonrpc: '2.0', method: 'a' }]);
  expect(readFileSync(file, 'utf8')).toBe('');
  recorder.speaks('yams');
  recorder.speaks('mcp');
  await recorder.close();
  const schema = JSON.parse(
    readFileSync(new URL('../../../schemas/cassette.schema.json', import.meta.url), 'utf8'),
  ) as object;
  const fits = new Ajv().compile(schema);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  expect(lines).toHaveLength(4);
  expect(lines[0]).toContain('"dialect":"yams"');
  for (const line of lines) expect(fits(JSON.parse(line)), line).toBe(true);
  for (const wrong of [{}, { at: 0 }, { at: 0, from: 'me', message: {} }, { cassette: 2, plugin: 'x' }])
    expect(fits(wrong)).toBe(false);
});

it('never writes over something else', async () => {
  const file = path.join(temporaryFolder({ 'a.jsonl': 'mine' }), 'a.jsonl');
  await expect(createRecorder({ file, header })).rejects.toThrow(/exists already/);
  expect(readFileSync(file, 'utf8')).toBe('mine');
});

it('tells when not all of it could be written', async () => {
  const file = path.join(temporaryFolder(), 'a.jsonl');
  const recorder = await createRecorder({ file, header, waitingMax: 100_000 });
  const text = 'x'.repeat(60_000);
  for (let count = 0; count < 3; count += 1)
    recorder.observer('received', { kind: 'success', id: 1, result: { text } });
  await expect(recorder.close()).rejects.toThrow(/not complete/);
});

it.each([
  ['', 'it is empty'],
  ['{"plugin":"x"}\n', 'line 1: the first line has to be the header'],
  ['{"cassette":2}\n', 'line 1: version 2'],
  ['{"cassette":1,"plugin":"x","dialect":"mcp"}\nnonsense\n{}\n', 'line 2: invalid JSON'],
  ['{"cassette":1,"plugin":"x","dialect":"mcp"}\n\n{"at":1,"from":"me","message":{}}\n', 'line 3: "from"'],
  ['{"cassette":1,"plugin":"x","dialect":"mcp"}\n{"at":1,"from":"host"}\n', 'line 2: "message"'],
  [
    `{"cassette":1,"plugin":"x","dialect":"mcp"}\n${'['.repeat(9000)}${']'.repeat(9000)}\n`,
    'line 2: invalid JSON',
  ],
])('refuses %j', (text, reason) => {
  expect(() => parseCassette(text, 'a.jsonl')).toThrow(reason);
});

it('takes a recording that was cut off in its last line', () => {
  const text =
    '{"cassette":1,"plugin":"x","dialect":"mcp"}\n{"at":1,"from":"host","message":{}}\n{"at":2,"fro';
  expect(parseCassette(text, 'a.jsonl').entries).toHaveLength(1);
});

it('compares what a plugin answers now with what it answered then', async () => {
  const file = path.join(temporaryFolder(), 'a.jsonl');
  const say = (from: string, message: JsonObject) => JSON.stringify({ at: 0, from, message });
  writeFileSync(
    file,
    [
      JSON.stringify({ cassette: 1, ...header, recordedAt: '' }),
      say('host', { id: 1, method: 'same' }),
      say('plugin', { id: 1, result: { value: 1 } }),
      say('host', { id: 2, method: 'other' }),
      say('plugin', { id: 2, result: { value: 1 } }),
      say('host', { id: 3, method: 'more' }),
      say('plugin', { id: 3, result: {} }),
      say('host', { id: 4, method: 'silent' }),
      say('plugin', { id: 4, result: {} }),
    ].join('\n'),
  );
  const answers: Record<string, (id: unknown) => object[]> = {
    same: (id) => [{ id, result: { value: 1 } }],
    other: (id) => [{ id, result: { value: 2 } }],
    more: (id) => [
      { method: 'log', params: {} },
      { id, result: {} },
    ],
    silent: () => [],
  };
  const { turns, differences } = await compareWithCassette(await readCassette(file), () =>
    Promise.resolve(fakePlugin(answers)),
  );
  expect(turns).toBe(4);
  expect(differences).toEqual([
    {
      hostMessage: { method: 'other' },
      recorded: [{ result: { value: 1 } }],
      now: [{ result: { value: 2 } }],
    },
    {
      hostMessage: { method: 'more' },
      recorded: [{ result: {} }],
      now: [{ method: 'log', params: {} }, { result: {} }],
    },
    { hostMessage: { method: 'silent' }, recorded: [{ result: {} }], now: [], missing: 'nothing came' },
  ]);
});

it('says again what was said while something else was under way, and in the names of now', async () => {
  const say = (from: 'host' | 'plugin', message: JsonObject) => ({ at: 0, from, message });
  const cassette: Cassette = {
    header: { cassette: 1, ...header, recordedAt: '' },
    entries: [
      say('host', { id: 1, method: 'long', params: {} }),
      // A question of the plugin's own, under a number that its host uses too.
      say('plugin', { id: 1, method: 'ask', params: {} }),
      say('host', { id: 1, result: 'yes' }),
      say('host', { method: 'cancel', params: { requestId: 1 } }),
      say('plugin', { id: 1, error: { code: 1, message: 'cancelled' } }),
    ],
  };
  const heard: JsonObject[] = [];
  const { differences, turns } = await compareWithCassette(cassette, () => {
    const waiting: JsonObject[] = [];
    return Promise.resolve({
      send(message) {
        heard.push(message);
        if (message['method'] === 'long') waiting.push({ id: 'q7', method: 'ask', params: {} });
        if (message['method'] === 'cancel') waiting.push({ id: 1, error: { code: 1, message: 'cancelled' } });
      },
      next: () => {
        const first = waiting.shift();
        return first === undefined
          ? Promise.reject(new PluglotError('CALL_TIMEOUT', 'nothing came'))
          : Promise.resolve(first);
      },
      close: () => Promise.resolve(),
    });
  });
  expect(differences).toEqual([]);
  expect(turns).toBe(3);
  expect(heard[1]).toEqual({ id: 'q7', result: 'yes' });
});

it('leaves out what is to be ignored, and names of one conversation; an id inside of an answer is data', async () => {
  const recorded = { id: 1, result: { tookMs: 1, session_id: 'a', id: 5 } };
  const cassette: Cassette = {
    header: { cassette: 1, ...header, recordedAt: '' },
    entries: [
      { at: 0, from: 'host', message: { id: 1, method: 'm' } },
      { at: 0, from: 'plugin', message: recorded },
    ],
  };
  const compare = async (result: JsonObject, ignore: readonly string[]) => {
    const plugin = fakePlugin({ m: (id) => [{ id, result }] });
    return (await compareWithCassette(cassette, () => Promise.resolve(plugin), { ignore })).differences
      .length;
  };
  expect(await compare({ tookMs: 2, session_id: 'b', id: 5 }, ['tookMs'])).toBe(0);
  expect(await compare({ tookMs: 2, session_id: 'b', id: 5 }, [])).toBe(1);
  expect(await compare({ tookMs: 1, session_id: 'b', id: 6 }, [])).toBe(1);
});

function fakePlugin(answers: Readonly<Record<string, (id: unknown) => object[]>>): RawPlugin {
  const waiting: JsonObject[] = [];
  return {
    send: ({ method, id }) => void waiting.push(...((answers[method as string]?.(id) ?? []) as JsonObject[])),
    next: () => {
      const first = waiting.shift();
      return first === undefined
        ? Promise.reject(new PluglotError('CALL_TIMEOUT', 'nothing came'))
        : Promise.resolve(first);
    },
    close: () => Promise.resolve(),
  };
}
