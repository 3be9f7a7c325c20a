// Whatever a plugin sends, in whatever order: each call ends once at most, and nothing is thrown.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import type { Answer, CallSink } from '../../definition/outcome.ts';
import { connectedEnd } from '../../../test/support/dialect/gassist/host-end.ts';

const CALLS = 3;
const INPUTS = 2;

const junk = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom('__proto__', '', 'true', -0, 1e300, Number.MAX_SAFE_INTEGER),
);
const oddly = <T>(usual: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: usual }, { weight: 1, arbitrary: junk });
// The handshake had id 1.
const id = oddly(fc.integer({ min: 0, max: CALLS + INPUTS + 3 }));
const fields = fc.record(
  {
    request_id: id,
    success: oddly(fc.boolean()),
    data: oddly(fc.string()),
    keep_session: oddly(fc.boolean()),
    code: oddly(fc.constantFrom(-1, -2, -3, -32601)),
    message: oddly(fc.string()),
    error: junk,
    level: oddly(fc.constantFrom('info', 'warning')),
    acknowledged: oddly(fc.boolean()),
  },
  { requiredKeys: [] },
);
const notification = fc.record(
  {
    jsonrpc: fc.constant('2.0'),
    method: oddly(fc.constantFrom('stream', 'complete', 'error', 'log')),
    params: oddly(fields),
  },
  { requiredKeys: ['jsonrpc', 'method'] },
);
const response = fc.oneof(
  fc.record({ jsonrpc: fc.constant('2.0'), id, result: oddly(fields) }),
  fc.record({ jsonrpc: fc.constant('2.0'), id, error: oddly(fields) }),
);
const messages = fc.array(fc.oneof({ weight: 3, arbitrary: notification }, response, junk), {
  maxLength: 40,
});

test('any interleaving of messages, with junk in every field', async () => {
  await fc.assert(
    fc.asyncProperty(messages, async (sent) => {
      const { raw, end, told } = await connectedEnd();
      const ends: Answer[][] = [];
      const sink = (): CallSink => {
        const mine: Answer[] = [];
        ends.push(mine);
        return {
          event: () => expect(mine).toEqual([]),
          end: (answer) => void mine.push(answer),
        };
      };
      for (let count = 0; count < CALLS; count += 1)
        end.call({ tool: 'a', args: {}, timeoutMs: 1000 }, sink());
      for (let count = 0; count < INPUTS; count += 1) end.talk?.input('b', sink());
      await raw.take(CALLS + INPUTS);
      raw.send(...sent);
      raw.end();
      await end.ended;
      await new Promise(setImmediate);
      expect(ends.map((mine) => mine.length)).toEqual(ends.map(() => 1));
      expect(told.troubles.filter(({ kind }) => kind === 'thrown')).toEqual([]);
      raw.destroy();
      end.close();
    }),
    { numRuns: runs(300) },
  );
});

test('any answer to initialize, with junk in every field', async () => {
  const introduction = fc.record(
    {
      name: oddly(fc.string()),
      version: oddly(fc.string()),
      description: junk,
      protocol_version: oddly(fc.constantFrom('2.0', '2.1', 2)),
      capabilities: junk,
      commands: oddly(
        fc.array(fc.record({ name: oddly(fc.string()), description: junk }, { requiredKeys: [] })),
      ),
      success: oddly(fc.boolean()),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(introduction, async (result) => {
      const code = await connectedEnd(result as Parameters<typeof connectedEnd>[0]).then(
        ({ end }) => {
          end.close();
          return end.manifest.name === '' ? 'no name' : 'taken';
        },
        (error: { code: string }) => error.code,
      );
      expect(['taken', 'UNSUPPORTED_PROTOCOL', 'START_FAILED']).toContain(code);
    }),
    { numRuns: runs(200) },
  );
});
