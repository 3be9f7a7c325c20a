import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../base/json.ts';
import type { Cassette, CassetteEntry } from './cassette.ts';
import { cassettePlayer } from './player.ts';

describe('lenient', () => {
  it('answers with the ids of now', () => {
    const player = playerOf('lenient', [
      host({ id: 1, method: 'initialize', params: {} }),
      plugin({ id: 1, result: { name: 'x' } }),
    ]);
    expect(said(player.receive(message({ id: 'abc', method: 'initialize', params: {} })))).toEqual([
      { jsonrpc: '2.0', id: 'abc', result: { name: 'x' } },
    ]);
  });

  it('translates whatever names the request, in messages before and after its response', () => {
    const player = playerOf('lenient', [
      host({ id: 7, method: 'execute', params: { function: 'f' } }),
      plugin({ method: 'stream', params: { request_id: 7, data: 'a' } }),
      plugin({ method: 'stream', params: { request_id: 7, data: 'b' } }),
      plugin({ method: 'complete', params: { request_id: 7, success: true, data: '' } }),
    ]);
    const heard = player.receive(message({ id: 99, method: 'execute', params: { function: 'f' } }));
    expect(heard.map(({ message: { params } }) => (params as JsonObject)['request_id'])).toEqual([
      99, 99, 99,
    ]);
  });

  it('translates tokens that the host chose inside of its params', () => {
    const player = playerOf('lenient', [
      host({ id: 1, method: 'tools/call', params: { name: 't', _meta: { progressToken: 'p1' } } }),
      plugin({ method: 'notifications/progress', params: { progressToken: 'p1', progress: 1 } }),
      plugin({ id: 1, result: {} }),
    ]);
    const asked = message({
      id: 5,
      method: 'tools/call',
      params: { name: 't', _meta: { progressToken: 42 } },
    });
    expect(said(player.receive(asked))[0]).toMatchObject({ params: { progressToken: 42 } });
  });

  it('tells of a call that is answered with what was recorded for another', () => {
    const told: string[] = [];
    const call = (dice: string, about: JsonObject) => ({
      method: 'tools/call',
      params: { name: 'roll', arguments: { dice }, ...about },
    });
    const player = playerOf(
      'lenient',
      [
        host({ id: 1, method: 'initialize', params: { clientInfo: { name: 'a' } } }),
        plugin({ id: 1, result: {} }),
        host({ id: 2, ...call('2d6', { _meta: { trace: 1 } }) }),
        plugin({ id: 2, result: '7' }),
      ],
      (words) => told.push(words),
    );
    player.receive(message({ id: 1, method: 'initialize', params: { clientInfo: { name: 'b' } } }));
    player.receive(message({ id: 2, ...call('2d6', { _meta: { trace: 2 } }) }));
    expect(told).toEqual([]);
    expect(said(player.receive(message({ id: 3, ...call('9d9', {}) })))).toEqual([
      { jsonrpc: '2.0', id: 3, result: '7' },
    ]);
    expect(told).toEqual([
      '{"name":"roll","arguments":{"dice":"9d9"}} was answered with what was recorded for {"name":"roll","arguments":{"dice":"2d6"}}',
    ]);
    expect(player.deviations).toEqual(told);
  });

  it('prefers the same question, unused first, then the same method, and uses it as often as asked', () => {
    const player = playerOf('lenient', [
      host({ id: 1, method: 'm', params: { a: 1 } }),
      plugin({ id: 1, result: 'first' }),
      host({ id: 2, method: 'm', params: { a: 1 } }),
      plugin({ id: 2, result: 'second' }),
      host({ id: 3, method: 'm', params: { a: 2 } }),
      plugin({ id: 3, result: 'other' }),
    ]);
    const ask = (a: number) =>
      said(player.receive(message({ id: 9, method: 'm', params: { a } })))[0]?.['result'];
    expect([ask(2), ask(1), ask(1), ask(1), ask(2), ask(7)]).toEqual([
      'other',
      'first',
      'second',
      'second',
      'other',
      'other',
    ]);
  });

  it('gives the answer to the very same arguments, also where only an id tells them apart', () => {
    const player = playerOf('lenient', [
      host({ id: 1, method: 'get', params: { user_id: 1, id: 1 } }),
      plugin({ id: 1, result: 'one' }),
      host({ id: 2, method: 'get', params: { user_id: 2, id: 1 } }),
      plugin({ id: 2, result: 'two' }),
    ]);
    const ask = (user: number) =>
      said(player.receive(message({ id: 9, method: 'get', params: { user_id: user, id: 1 } })))[0]?.[
        'result'
      ];
    expect([ask(2), ask(1), ask(2)]).toEqual(['two', 'one', 'two']);
  });

  it('leaves data alone that happens to be equal to an id, and gives back a time that it was given', () => {
    const player = playerOf('lenient', [
      host({ id: 7, method: 'ping', params: { timestamp: 100 } }),
      plugin({ id: 7, result: { timestamp: 100, id: 7, count: 7 } }),
    ]);
    const asked = message({ id: 8, method: 'ping', params: { timestamp: 200 } });
    expect(said(player.receive(asked))).toEqual([
      { jsonrpc: '2.0', id: 8, result: { timestamp: 200, id: 7, count: 7 } },
    ]);
  });

  it('refuses a host that begins in another dialect, which would be misled by an answer', () => {
    const player = playerOf('lenient', [
      host({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } }),
      plugin({ id: 1, result: {} }),
    ]);
    const other = message({ id: 1, method: 'initialize', params: { protocolVersion: '0.0.1' } });
    expect(said(player.receive(other))[0]).toHaveProperty('error');
  });

  it('refuses what was never recorded, so that its host need not wait', () => {
    const player = playerOf('lenient', [host({ id: 1, method: 'm' }), plugin({ id: 1, result: 1 })]);
    expect(said(player.receive(message({ id: 4, method: 'unknown' })))).toMatchObject([
      { id: 4, error: { code: -32603, message: expect.stringContaining('has no answer') as string } },
    ]);
    expect(player.receive(message({ method: 'a-notification' }))).toEqual([]);
    expect(player.deviations).toHaveLength(2);
  });
});

describe('strict', () => {
  const entries = [
    host({ id: 1, method: 'a', params: { x: 1 } }),
    plugin({ id: 1, result: 'A' }),
    host({ id: 2, method: 'ping' }),
    plugin({ id: 2, result: {} }),
    host({ id: 3, method: 'b', params: { x: 2 } }),
    plugin({ id: 3, result: 'B' }),
  ];

  it('takes what was said then, in that order', () => {
    const player = playerOf('strict', entries);
    for (const [method, params] of [
      ['a', { x: 1 }],
      ['ping', undefined],
      ['b', { x: 2 }],
    ] as const)
      expect(said(player.receive(message({ id: 8, method, ...(params && { params }) })))).toHaveLength(1);
    expect(player.deviations).toEqual([]);
    expect(player.unsent()).toEqual([]);
  });

  it('lets questions without content come at any time: clocks differ', () => {
    const player = playerOf('strict', entries);
    player.receive(message({ id: 1, method: 'ping' }));
    player.receive(message({ id: 2, method: 'a', params: { x: 1 } }));
    player.receive(message({ id: 3, method: 'ping' }));
    expect(said(player.receive(message({ id: 4, method: 'b', params: { x: 2 } })))).toMatchObject([
      { id: 4, result: 'B' },
    ]);
    expect(player.deviations).toEqual([]);
  });

  it('takes a secret for what was masked', () => {
    const player = playerOf('strict', [
      host({ id: 1, method: 'login', params: { password: '***1', note: 'a' } }),
      plugin({ id: 1, result: 'in' }),
    ]);
    player.receive(message({ id: 1, method: 'login', params: { password: 'swordfish', note: 'a' } }));
    expect(player.deviations).toEqual([]);
  });

  it('lets what is ignored differ', () => {
    const player = cassettePlayer(
      {
        header: { cassette: 1, plugin: 'x', dialect: 'mcp', recordedAt: '' },
        entries: [host({ id: 1, method: 'a', params: { at: 1, x: 1 } })],
      },
      { mode: 'strict', ignore: ['at'] },
    );
    player.receive(message({ id: 1, method: 'a', params: { at: 2, x: 1 } }));
    expect(player.deviations).toEqual([]);
  });

  it('tells what was said otherwise, and what was never said', () => {
    const player = playerOf('strict', entries);
    expect(said(player.receive(message({ id: 1, method: 'a', params: { x: 3 } })))).toMatchObject([
      { error: { code: -32603 } },
    ]);
    expect(player.deviations).toEqual([expect.stringMatching(/"x":3.*recorded was.*"x":1/)]);
    expect(player.unsent()).toHaveLength(3);
  });
});

it('says first what the plugin said unasked', () => {
  const player = playerOf('strict', [plugin({ method: 'hello', params: {} }), host({ id: 1, method: 'a' })]);
  expect(said(player.opening())).toMatchObject([{ method: 'hello' }]);
});

it('replays any conversation to a host that uses other ids', () => {
  const params = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 });
  fc.assert(
    fc.property(fc.array(fc.record({ params, result: fc.jsonValue() }), { maxLength: 20 }), (calls) => {
      const player = playerOf(
        'strict',
        calls.flatMap(({ params, result }, index) => [
          host({ id: index, method: 'm', params: { index, params: params as JsonObject } }),
          plugin({ id: index, result: result as Json }),
        ]),
      );
      for (const [index, { params }] of calls.entries()) {
        const asked = message({
          id: `now-${index}`,
          method: 'm',
          params: { index, params: params as JsonObject },
        });
        expect(said(player.receive(asked))[0]?.['id']).toBe(`now-${index}`);
      }
      expect(player.deviations).toEqual([]);
    }),
  );
});

it('survives messages nested deeper than the stack', () => {
  let params: JsonObject = {};
  for (let level = 0; level < 100_000; level += 1) params = { params };
  expect(playerOf('lenient', []).receive({ id: 1, method: 'm', params })).toEqual([]);
});

function playerOf(
  mode: 'strict' | 'lenient',
  entries: readonly CassetteEntry[],
  onDeviation: (words: string) => void = () => {},
) {
  const cassette: Cassette = {
    header: { cassette: 1, plugin: 'taped', dialect: 'mcp', recordedAt: '2026-01-01T00:00:00.000Z' },
    entries,
  };
  return cassettePlayer(cassette, { mode, onDeviation });
}

function message(content: JsonObject): JsonObject {
  return { jsonrpc: '2.0', ...content };
}

function host(content: JsonObject): CassetteEntry {
  return { at: 0, from: 'host', message: message(content) };
}

function plugin(content: JsonObject): CassetteEntry {
  return { at: 1, from: 'plugin', message: message(content) };
}

function said(played: readonly { readonly message: JsonObject }[]): readonly JsonObject[] {
  return played.map((one) => one.message);
}
