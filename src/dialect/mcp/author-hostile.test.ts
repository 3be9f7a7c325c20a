// Whatever a client says: nothing is thrown, every request is answered once, and the server goes on.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ask } from '../../../test/support/dialect/author-end.ts';
import { ok, servedServer } from '../../../test/support/dialect/mcp/author-end.ts';

const anything = fc.jsonValue();
const params = fc.oneof(
  anything,
  fc.record(
    Object.fromEntries(
      ['protocolVersion', 'name', 'arguments', 'cursor', 'level', 'ref', 'argument', '_meta'].map((field) => [
        field,
        anything,
      ]),
    ),
    { requiredKeys: [] },
  ),
  fc.record({ name: fc.constantFrom('act', 'today', 'toString'), arguments: anything, _meta: anything }),
);
const method = fc.constantFrom(
  'initialize',
  'ping',
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'toString',
);
const notification = fc.constantFrom(
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/x',
);

const script = {
  scripts: { act: ok },
  manifest: { tools: [{ name: 'act' }], commands: [{ name: 'today', parameters: [], shareWithModel: true }] },
  commands: { today: ok },
};

test('any params of any method are answered, each once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(method, params), { maxLength: 6 }),
      fc.array(
        fc.tuple(
          notification,
          fc.oneof(fc.constant(undefined), fc.array(anything), fc.dictionary(fc.string(), anything)),
        ),
        {
          maxLength: 3,
        },
      ),
      async (requests, notifications) => {
        const { raw } = servedServer(script);
        raw.send(
          ...notifications.map(([method, params]) => ({ jsonrpc: '2.0', method, params })),
          ...requests.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params })),
        );
        raw.end();
        await raw.inputEnded;
        const ids = raw.received
          .map((message) => (message as { id?: number }).id)
          .filter((id) => id !== undefined)
          .toSorted((one, other) => one - other);
        expect(ids).toEqual(requests.map((_, id) => id));
      },
    ),
  );
});

test('any lines are survived', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(fc.string(), fc.json()), { maxLength: 10 }), async (lines) => {
      const { raw } = servedServer(script);
      raw.sendText(...lines);
      expect((await ask(raw, 'last', 'ping')).result).toEqual({});
      raw.destroy();
    }),
  );
});
