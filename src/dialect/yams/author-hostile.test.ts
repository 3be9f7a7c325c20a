// Whatever a host says: nothing is thrown, every request is answered once, and the plugin goes on.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ask } from '../../../test/support/dialect/author-end.ts';
import { heldCalls, type Script } from '../../../test/support/definition/scripted-backend.ts';
import { initializedPlugin, scriptedExtractor } from '../../../test/support/dialect/yams/author-end.ts';

const ok: Script = (_, sink) => sink.end({ ok: true, text: 'done' });

function plugin() {
  return initializedPlugin({
    ...scriptedExtractor({ ok: true, text: 'text' }).script,
    scripts: { tool: ok },
  });
}

describe('messages', () => {
  // requirement: yams:plugin:ids
  test.each([7, 7, 0, -1, 1.5, 'seven', '', null])('the id %j is given back', async (id) => {
    const { raw } = await plugin();
    raw.send({ jsonrpc: '2.0', id, method: 'tool' }, { jsonrpc: '2.0', id, method: 'tool' });
    const answer = { jsonrpc: '2.0', id, result: 'done' };
    expect(await raw.take(2)).toEqual([answer, answer]);
  });

  // requirement: yams:plugin:notification
  test.each(['tool', 'unknown', 'extractor.extract', 'plugin.health'])(
    'the notification %s is not answered, also when it fails',
    async (method) => {
      const { raw } = await plugin();
      raw.notify(method);
      expect(await ask(raw, 'last', 'plugin.health')).toMatchObject({ notifications: [] });
    },
  );

  test('a notification does what a request does; a failure of it is printed', async () => {
    const { raw, backend, printed } = await plugin();
    raw.notify('tool', { a: 1 });
    raw.notify('unknown');
    await ask(raw, 'last', 'plugin.health');
    expect(backend.requests).toMatchObject([{ tool: 'tool', args: { a: 1 } }, { tool: 'unknown' }]);
    expect(printed).toEqual(['warn: The notification unknown failed: Method not found']);
  });

  test('a storm of notifications takes no more than its room', async () => {
    const held = heldCalls();
    const { raw, backend } = await initializedPlugin({ scripts: { tool: held.script } });
    const notification = { jsonrpc: '2.0', method: 'tool' };
    raw.send(...Array.from({ length: 3000 }, () => notification));
    expect((await ask(raw, 'last', 'plugin.health')).result).toMatchObject({ status: 'ok' });
    expect(backend.requests).toHaveLength(1000);
  });

  // requirement: yams:plugin:batch
  test('a batch is answered with a batch, without its notifications', async () => {
    const { raw } = await plugin();
    raw.send([
      { jsonrpc: '2.0', id: 1, method: 'tool' },
      { jsonrpc: '2.0', method: 'tool' },
      { jsonrpc: '2.0', id: 2, method: 'unknown' },
      7,
    ]);
    const answers = await raw.next();
    expect(answers).toHaveLength(3);
    expect(answers).toEqual(
      expect.arrayContaining([
        { jsonrpc: '2.0', id: 1, result: 'done' },
        expect.objectContaining({ id: 2, error: expect.objectContaining({ code: -32601 }) as object }),
        expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32600 }) as object }),
      ]),
    );
  });

  // requirement: yams:plugin:invalid
  test.each([
    ['{"jsonrpc":"2.0","id":1,', -32700, null],
    ['hello', -32700, null],
    ['17', -32600, null],
    ['[]', -32600, null],
    ['{"jsonrpc":"2.0","id":3}', -32600, 3],
    ['{"jsonrpc":"1.0","id":3,"method":"tool"}', -32600, 3],
    ['{"jsonrpc":"2.0","id":3,"method":7}', -32600, 3],
    ['{"jsonrpc":"2.0","id":3,"method":"tool","params":7}', -32600, 3],
  ])('%s is answered with %d', async (text, code, id) => {
    const { raw } = await plugin();
    raw.sendText(text);
    expect(await raw.next()).toMatchObject({ jsonrpc: '2.0', id, error: { code } });
    expect(await ask(raw, 'last', 'tool')).toMatchObject({ result: 'done', notifications: [] });
  });

  // requirement: yams:plugin:lines
  test('a text of many lines is one line on the wire', async () => {
    const text = 'one\ntwo\r\n\u2028three\u0000\n\n';
    const { raw } = await initializedPlugin({ scripts: { tool: (_, sink) => sink.end({ ok: true, text }) } });
    expect((await ask(raw, 1, 'tool')).result).toBe(text);
    expect(raw.received).toHaveLength(2);
  });

  test('blank lines and answers to nothing are passed over', async () => {
    const { raw } = await plugin();
    raw.sendText('', '  ', '\r', '{"jsonrpc":"2.0","id":1,"result":{}}');
    expect(await ask(raw, 'last', 'tool')).toMatchObject({ result: 'done', notifications: [] });
  });
});

const anything = fc.jsonValue();
const words =
  'config mime_type extension source options type path data bytes timeout_sec __proto__ constructor'.split(
    ' ',
  );
const object = fc.dictionary(fc.oneof(fc.constantFrom(...words), fc.string()), anything, { maxKeys: 5 });
const params = fc.oneof(
  anything,
  object,
  fc.record({ source: fc.oneof(object, anything), options: fc.oneof(object, anything) }),
  fc.record({ source: fc.record({ type: fc.constant('bytes'), data: fc.base64String() }), options: object }),
  fc.record({ source: fc.record({ type: fc.constant('path'), path: fc.string() }), options: object }),
);
const method = fc.oneof(
  fc.constantFrom('handshake.manifest', 'plugin.init', 'plugin.health', 'tool', 'constructor'),
  fc.constantFrom('extractor.supports', 'extractor.extract'),
  fc.string(),
);

test('any params of any method are answered, each once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(method, params), { maxLength: 6 }), async (requests) => {
      const { raw } = await plugin();
      const sent = requests.filter(([method]) => method !== 'plugin.shutdown');
      raw.send(...sent.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params })));
      const answers = await raw.take(sent.length);
      const ids = answers.map((answer) => (answer as { id: number }).id);
      expect(ids.toSorted((one, other) => one - other)).toEqual(sent.map((_, id) => id));
      expect((await ask(raw, 'last', 'plugin.init', { config: {} })).result).toEqual({
        status: 'initialized',
      });
      expect((await ask(raw, 'again', 'tool')).result).toBe('done');
      raw.destroy();
    }),
  );
});

test('any lines are survived', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(fc.string(), fc.json()), { maxLength: 10 }), async (lines) => {
      const { raw } = await plugin();
      raw.sendText(...lines);
      expect((await ask(raw, 'last', 'tool')).result).toBe('done');
      raw.destroy();
    }),
  );
});
