// Whatever an extension says: nothing is thrown at the host, and every call ends once.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callAndHear, hostAndRawEnd } from '../../../test/support/dialect/dialect-host.ts';
import { introducedTo, plainManifest } from '../../../test/support/dialect/gevals/host-end.ts';
import { PluglotError } from '../../base/error.ts';
import { gevals } from './host.ts';

/** Any JSON, and what is nearly right: known fields with any JSON in them. */
const anything = fc.jsonValue();
const record = (...fields: string[]) =>
  fc.record(Object.fromEntries(fields.map((field) => [field, anything])), { requiredKeys: [] });
const schema = fc.oneof(
  anything,
  record('type', 'properties', 'required', 'items', 'anyOf', '$ref', 'minimum'),
);
const manifest = fc.oneof(
  anything,
  fc.record(
    {
      name: fc.oneof(fc.string(), anything),
      version: fc.oneof(fc.string(), anything),
      protocolVersion: anything,
      description: fc.oneof(fc.string(), anything),
      requires: fc.oneof(anything, fc.array(record('command'))),
      operations: fc.oneof(
        anything,
        fc.dictionary(fc.string(), fc.oneof(anything, fc.record({ params: schema }))),
      ),
    },
    { requiredKeys: [] },
  ),
);
const result = fc.oneof(
  anything,
  record('success', 'message', 'error', 'outputs'),
  fc.record({ success: fc.boolean(), outputs: fc.dictionary(fc.string(), anything) }),
);
const log = fc.oneof(anything, record('level', 'message', 'data'));

test('any JSON for a manifest is a manifest or an error that names the plugin', async () => {
  await fc.assert(
    fc.asyncProperty(manifest, async (manifest) => {
      const { raw, connected, told } = hostAndRawEnd(gevals, 'lines');
      const { id } = await raw.nextRequest();
      raw.answer(id, manifest);
      const outcome: unknown = await connected.then(
        (end) => end.manifest.dialect,
        (error: unknown) => error,
      );
      const isFine =
        outcome === 'gevals' ||
        (outcome instanceof PluglotError &&
          outcome.code === 'PROTOCOL_VIOLATION' &&
          outcome.message.includes('lugin "the-plugin"'));
      expect({ outcome, isFine }).toEqual({ outcome, isFine: true });
      expect(told.troubles.filter(({ kind }) => kind === 'thrown')).toEqual([]);
      raw.destroy();
    }),
  );
});

test('any JSON for results and logs ends each call once and is survived', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.array(log, { maxLength: 3 }), result), { maxLength: 5 }),
      async (calls) => {
        const { end, raw, told } = await introducedTo(plainManifest);
        for (const [logs, result] of calls) {
          const { answer } = callAndHear(end, { tool: 'apply' });
          const { id } = await raw.nextRequest();
          for (const params of logs) raw.notify('log', params);
          raw.answer(id, result);
          const { ok } = await answer;
          expect(typeof ok).toBe('boolean');
        }
        expect(told.troubles.filter(({ kind }) => kind === 'thrown')).toEqual([]);
        raw.destroy();
      },
    ),
  );
});

test('any error and any line ends the call or leaves it alone', async () => {
  const line = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .record({
        jsonrpc: fc.constant('2.0'),
        id: fc.constantFrom(1, 2, '2', null, 99),
        error: anything,
        result: anything,
      })
      .map((message) => JSON.stringify(message)),
    fc
      .record({ jsonrpc: fc.constant('2.0'), id: fc.nat(5), method: fc.constantFrom('log', 'execute', 'x') })
      .map((message) => JSON.stringify(message)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 10 }), async (lines) => {
      const { end, raw, told } = await introducedTo(plainManifest);
      const { answer } = callAndHear(end, { tool: 'apply' });
      await raw.nextRequest();
      raw.sendText(...lines);
      raw.end();
      expect(typeof (await answer).ok).toBe('boolean');
      await end.ended;
      expect(told.troubles.filter(({ kind }) => kind === 'thrown')).toEqual([]);
    }),
  );
});
