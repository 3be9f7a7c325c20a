import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../base/json.ts';
import type { Pipe } from '../../channel/bytes/pipe.ts';
import { linkedPipes } from '../../channel/bytes/stream-pipe.ts';
import { systemClock } from '../../base/clock.ts';
import { cassettePlayer } from './player.ts';
import { perform } from './stage.ts';
import { openTap } from './tap.ts';

const hello = '{"jsonrpc":"2.0","id":1,"method":"handshake.manifest"}';

describe('tap', () => {
  it('any bytes pass unchanged, however they are cut', async () => {
    const chunks = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(chunks, chunks, async (fromHost, fromPlugin) => {
        const { host, plugin } = tapped();
        const [heardByPlugin, heardByHost] = [collect(plugin), collect(host)];
        for (const chunk of fromHost) host.write(chunk.slice());
        for (const chunk of fromPlugin) plugin.write(chunk.slice());
        await Promise.all([host.finish(), plugin.finish()]);
        expect(await heardByPlugin).toEqual(Buffer.concat(fromHost));
        expect(await heardByHost).toEqual(Buffer.concat(fromPlugin));
      }),
      { numRuns: 50 },
    );
  });

  it('writes messages down in both framings, and says what is spoken', async () => {
    const lines = tapped();
    lines.plugin.write(Buffer.from('printed before\n'));
    lines.host.write(Buffer.from(`${hello}\nno json\n`));
    await over(lines);
    expect(lines.dialects).toEqual(['yams']);
    expect(lines.said).toEqual(
      expect.arrayContaining([
        ['plugin', 'printed before'],
        ['host', JSON.parse(hello)],
        ['host', 'no json'],
      ]),
    );
    const prefixed = tapped();
    prefixed.host.write(Buffer.concat([Buffer.from([0, 0, 0, hello.length]), Buffer.from(hello)]));
    await over(prefixed);
    expect(prefixed.dialects[0]).toBe('gassist');
    expect(prefixed.said).toEqual([['host', JSON.parse(hello)]]);
  });

  it('survives what is nested deeper than anybody can write down', async () => {
    const deep = tapped();
    deep.host.write(Buffer.from(`${hello}\n${'['.repeat(20_000)}${']'.repeat(20_000)}\n`));
    await over(deep);
    expect(deep.said[1]?.[1]).toMatch(/nested too deeply/);
  });
});

it('a cassette on a pipe answers in its framing, and tells at the end how it went', async () => {
  const [mine, other] = linkedPipes();
  const heard = collect(mine);
  const performance = perform(
    other,
    {
      header: { cassette: 1, plugin: 'x', dialect: 'gassist', recordedAt: '' },
      entries: [
        { at: 0, from: 'host', message: { jsonrpc: '2.0', id: 1, method: 'a' } },
        { at: 5, from: 'plugin', message: { jsonrpc: '2.0', id: 1, result: 'A' } },
        { at: 9, from: 'host', message: { jsonrpc: '2.0', id: 2, method: 'b' } },
      ],
    },
    { mode: 'strict', clock: systemClock, speed: 1 },
  );
  const body = Buffer.from('{"jsonrpc":"2.0","id":"x","method":"a"}');
  mine.write(Buffer.concat([Buffer.from([0, 0, 0, body.length]), body]));
  await mine.finish();
  const { deviations, unsent } = await performance;
  expect(deviations).toEqual([]);
  expect(unsent).toEqual([expect.stringContaining('"method":"b"')]);
  expect((await heard).subarray(4).toString()).toBe('{"jsonrpc":"2.0","id":"x","result":"A"}');
});

it('waits for a host that reads slowly, and loses nothing', async () => {
  const [mine, other] = linkedPipes();
  const text = 'x'.repeat(1_000_000);
  const performance = perform(
    other,
    {
      header: { cassette: 1, plugin: 'x', dialect: 'mcp', recordedAt: '' },
      entries: [
        { at: 0, from: 'host', message: { jsonrpc: '2.0', id: 1, method: 'a' } },
        ...Array.from({ length: 40 }, () => ({
          at: 0,
          from: 'plugin' as const,
          message: { jsonrpc: '2.0', method: 'n', params: { text } },
        })),
      ],
    },
    { mode: 'lenient', clock: systemClock },
  );
  mine.write(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"a"}\n'));
  const ended = mine.finish();
  await new Promise((resolve) => setImmediate(resolve));
  const heard = await collect(mine);
  await Promise.all([ended, performance]);
  expect(heard.toString().trim().split('\n')).toHaveLength(40);
});

it('plays twenty thousand turns in a moment', () => {
  const entries = Array.from({ length: 20_000 }, (_, index) => ({
    at: index,
    from: 'host' as const,
    message: { jsonrpc: '2.0', id: index, method: 'ping' },
  }));
  const header = { cassette: 1, plugin: 'x', dialect: 'mcp', recordedAt: '' } as const;
  const player = cassettePlayer({ header, entries }, { mode: 'lenient' });
  for (let id = 0; id < 20_000; id += 1) player.receive({ jsonrpc: '2.0', id, method: 'ping' });
  expect(player.unsent()).toEqual([]);
});

interface Tapped {
  readonly host: Pipe;
  readonly plugin: Pipe;
  readonly said: [string, Json][];
  readonly dialects: string[];
  readonly ended: Promise<unknown>;
}

function tapped(): Tapped {
  const [host, toHost] = linkedPipes();
  const [plugin, toPlugin] = linkedPipes();
  const said: [string, Json][] = [];
  const dialects: string[] = [];
  const { hostEnded, pluginEnded } = openTap({
    host: toHost,
    plugin: toPlugin,
    recorder: {
      record: (from, message) => void said.push([from, message]),
      speaks: (dialect) => void dialects.push(dialect),
    },
  });
  return { host, plugin, said, dialects, ended: Promise.all([hostEnded, pluginEnded]) };
}

async function over({ host, plugin, ended }: Tapped): Promise<void> {
  const read = [collect(host), collect(plugin)];
  await Promise.all([host.finish(), plugin.finish()]);
  await Promise.all([ended, ...read]);
}

function collect(pipe: Pipe): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    pipe.open({
      data: (chunk) => void chunks.push(Buffer.from(chunk)),
      end: () => resolve(Buffer.concat(chunks)),
    });
  });
}
