// Whatever a host says: nothing is thrown, every request is answered once, and the extension goes on.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ask } from '../../../test/support/dialect/author-end.ts';
import { ok, servedExtension } from '../../../test/support/dialect/gevals/author-end.ts';

const anything = fc.jsonValue();
const record = (...fields: string[]) =>
  fc.record(Object.fromEntries(fields.map((field) => [field, anything])), { requiredKeys: [] });
const context = fc.oneof(anything, record('workdir', 'phase', 'env', 'timeout', 'agent'));
const params = fc.oneof(
  anything,
  record('protocolVersion', 'config', 'operation', 'args', 'context'),
  fc.record({ protocolVersion: fc.constant('0.0.1'), config: anything }),
  fc.record({ operation: fc.constantFrom('apply', 'toString'), args: anything, context }),
);
const method = fc.oneof(fc.constantFrom('initialize', 'execute', 'log', 'constructor'), fc.string());

test('any params of any method are answered, each once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(method, params), { maxLength: 6 }), async (requests) => {
      const { raw } = servedExtension({ scripts: { apply: ok } });
      const sent = requests.filter(([method]) => method !== 'shutdown');
      raw.send(...sent.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params })));
      const { result } = await ask(raw, 'last', 'execute', { operation: 'apply' });
      expect(result).toEqual({ success: true });
      const ids = raw.received.map((message) => String((message as { id?: unknown }).id));
      // Params that are neither an object nor an array make it no request, which is told before what waits in the queue.
      expect(ids.toSorted()).toEqual([...sent.map((_, id) => String(id)), 'last'].toSorted());
      raw.destroy();
    }),
  );
});

test('any lines are survived', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(fc.string(), fc.json()), { maxLength: 10 }), async (lines) => {
      const { raw } = servedExtension({ scripts: { apply: ok } });
      raw.sendText(...lines);
      expect((await ask(raw, 'last', 'execute', { operation: 'apply' })).result).toEqual({ success: true });
      raw.destroy();
    }),
  );
});
