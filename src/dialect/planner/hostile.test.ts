// Nothing that the other end says breaks an end of ours, whatever it is.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ask } from '../../../test/support/dialect/author-end.ts';
import { callAndHear } from '../../../test/support/dialect/dialect-host.ts';
import { discovered, servedPlanner } from '../../../test/support/dialect/planner/ends.ts';
import type { RawEnd } from '../../../test/support/channel/raw-end.ts';

const task = { tool: 'execute_task', args: { task_type: 'analysis', prompt: 'p' } };
const methods = fc.constantFrom(
  'execute_task',
  'create_plan',
  'validate_code',
  'update_context',
  'rpc.discover',
  'rpc.refused',
  'stream_start',
  'stream_data',
  'stream_end',
  'count',
);
const keys = fc.constantFrom(
  'status',
  'output',
  'plan',
  'tasks',
  'valid',
  'findings',
  'code',
  'gzip',
  'task_type',
  'prompt',
  'context',
  'options',
  'stream_id',
  'task_id',
  'sequence',
  'total_chunks',
  '__proto__',
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, fc.jsonValue(), fc.dictionary(keys, tie('value')), fc.constant('s')),
}));

// requirement: planner:security:schema-validation, planner:security:input-sanitization
test('any answers to any questions end them', async () => {
  const { end, raw } = await discovered();
  const known = ['execute_task', 'create_plan', 'validate_code', 'update_context', 'count'];
  const inOrder = fc.asyncProperty(fc.constantFrom(...known), value, async (tool, result) => {
    const { answer } = callAndHear(end, { tool });
    raw.answer((await raw.nextRequest()).id, result ?? null);
    expect(await answer).toHaveProperty('ok');
  });
  await fc.assert(inOrder, { numRuns: 100 });
});

test('any notifications and requests leave the host well', async () => {
  const { end, raw } = await discovered();
  const messages = fc.array(
    fc.record({ method: methods, params: value, id: fc.option(fc.integer({ min: 1000 })) }),
  );
  await fc.assert(
    fc.asyncProperty(messages, async (said) => {
      const { answer } = callAndHear(end, task);
      const request = await nextTask(raw);
      for (const { method, params, id } of said)
        raw.send({ jsonrpc: '2.0', method, params, ...(id === null ? {} : { id }) });
      raw.answer(request, { status: 'success', output: { code: 'alive' } });
      expect(await answer).toMatchObject({ ok: true });
    }),
    { numRuns: 30 },
  );
});

// requirement: planner:served-security:schema-validation, planner:served-security:input-sanitization
test('any requests leave the plugin well', async () => {
  const { raw } = servedPlanner({ scripts: { count: (_, sink) => sink.end({ ok: true }) } });
  let id = 0;
  await fc.assert(
    fc.asyncProperty(methods, value, async (method, params) => {
      id += 1;
      const { result, error } = await ask(raw, id, method, params);
      expect(result ?? error).toBeDefined();
    }),
    { numRuns: 100 },
  );
  expect((await ask(raw, 'last', 'count', {})).result).toMatchObject({ status: 'success' });
});

/** The id of the next task; what was answered to the nonsense before it is passed over. */
async function nextTask(raw: RawEnd): Promise<number> {
  for (;;) {
    const message = (await raw.next()) as { id: number; method?: string };
    if (message.method === 'execute_task') return message.id;
  }
}
