// Planners and executors on the SDK under a host in plain Python, written from the specification: real processes on both sides.
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { vectors } from '../support/dialect/planner/vectors.ts';
import { execute, root } from '../support/project.ts';
import { hasPython } from '../support/python.ts';
import { seenBy } from './raw-host.ts';

const discovery = { request: 'rpc.discover', params: { gzip: true, batch: true } };
const task = { task_type: 'analysis', prompt: 'p' };

describe.runIf(hasPython)('under a host written from the specification', () => {
  // requirement: planner:served-base:request, planner:served-execute:response-example, planner:served-plan:response-example
  test('plain requests are answered, each under its id, and what is wrong with its own number', async () => {
    const { seen, ...rest } = await ofPlans({
      steps: [
        discovery,
        { request: 'execute_task', params: task, id: 'task_001' },
        { request: 'create_plan', params: { user_request: 'u' }, id: 'plan_001' },
        { request: 'validate_code', params: { code: 'abc', language: 'javascript', rules: [] } },
        {
          request: 'update_context',
          params: { action: 'add', context_type: 'file', data: {} },
          id: 'context_001',
        },
        { request: 'shout', params: { text: 'hey' } },
        { request: 'execute_task', params: { ...task, prompt: 'fail' } },
        { request: 'execute_task', params: {} },
        { request: 'make_coffee', params: {} },
        { line: '{"jsonrpc": "2.0", nonsense' },
        { line: '{"jsonrpc": "2.0", "params": {}}' },
      ],
    });
    expect(seen).toMatchObject([
      { result: { name: 'plans', roles: ['planner', 'executor'], gzip: true, batch: true, auth: false } },
      { result: { status: 'success', output: { code: 'p in no language', files_created: ['a.js'] } } },
      { result: { plan: { tasks: [{ id: 'task_001', description: 'u', priority: 1 }] } } },
      { result: { valid: false, findings: [{ rule: 'any', column: 3 }] } },
      { result: { status: 'ok' } },
      { result: { output: { code: 'HEY' } } },
      {
        error: { code: -32001, data: { type: 'EXECUTION_ERROR', recovery_suggestions: ['Wait.'] } },
      },
      { error: { code: -32602 } },
      { error: { code: -32601 } },
      { error: { code: -32700 } },
      { error: { code: -32600 } },
    ]);
    expect(rest).toEqual({ asked: [], left: '', exitCode: 0 });
  });

  // The host itself holds them to their numbers: sequence, total_chunks, and that they end before the answer.
  test('what is streamed comes in numbered chunks before its answer, of many tasks at once', async () => {
    const prompts = Array.from({ length: 20 }, (_, number) => `p${number}`);
    const { seen } = await ofPlans({
      steps: [
        { together: prompts.map((prompt) => ({ method: 'execute_task', params: { ...task, prompt } })) },
      ],
    });
    expect(seen).toMatchObject([
      {
        answers: prompts.map((prompt) => ({
          streamed: ['working '],
          result: { output: { code: `${prompt} in no language` } },
        })),
      },
    ]);
  });

  test('several requests in an array are answered in an array, and what has no id is not', async () => {
    const { seen, left } = await ofPlans({
      steps: [
        {
          batch: [
            { method: 'execute_task', params: task, id: 1 },
            { method: 'update_context', params: { action: 'add', context_type: 'file', data: {} } },
            { method: 'validate_code', params: { code: 'abc' }, id: 2 },
            { method: 'make_coffee', params: {}, id: 'three' },
          ],
        },
        { line: '[]' },
      ],
    });
    expect(seen).toMatchObject([
      {
        answers: [
          { wasInArray: true, streamed: ['working '], result: { status: 'success' } },
          { wasInArray: true, result: { valid: false } },
          { wasInArray: true, error: { code: -32601 } },
        ],
      },
      { error: { code: -32600 } },
    ]);
    expect(left).toBe('');
  });

  test('what is large goes packed in both directions, once both have said that they take it', async () => {
    const text = { repeat: 'ab', times: 600_000 };
    const { seen } = await ofPlans({
      gzip: true,
      steps: [discovery, { request: 'shout', params: { text } }, { request: 'shout', params: { text: 'a' } }],
    });
    expect(seen).toMatchObject([
      { result: { gzip: true } },
      { wasPacked: true, result: { output: { code: 'AB'.repeat(600_000) } } },
      { result: { output: { code: 'A' } } },
    ]);
    expect(seen[2]).not.toHaveProperty('wasPacked');
  });

  test('with a secret every message is signed, and none is taken that is not, or was sent before', async () => {
    const config = ['--config', JSON.stringify({ secret: 's3crét' })];
    const asked = { request: 'execute_task', params: task };
    const script = {
      secret: 's3crét',
      gzip: true,
      steps: [
        discovery,
        asked,
        { ...asked, auth: 'none' },
        { ...asked, auth: 'wrong' },
        { ...asked, auth: 'stale' },
        { ...asked, auth: 'again' },
        { batch: [{ method: 'shout', params: { text: 'a' }, id: 'a' }] },
        { request: 'shout', params: { text: { repeat: 'ab', times: 600_000 } } },
      ],
    };
    const { seen } = await ofPlans(script, config);
    const refused = (why: string) => ({
      error: { code: -32003, message: expect.stringContaining(why) as string },
    });
    expect(seen).toMatchObject([
      { result: { auth: true } },
      { streamed: ['working '], result: { status: 'success' } },
      refused('has no auth'),
      refused('signature is wrong'),
      refused('300 s away'),
      refused('was sent before'),
      { answers: [{ wasInArray: true, result: { output: { code: 'A' } } }] },
      { wasPacked: true },
    ]);
  });

  // requirement: planner:served-upward:execute, planner:served-upward:stream
  test('a planner has its host do a task, and hears what is streamed meanwhile', async () => {
    const output = { code: 'seen', explanation: '', files_modified: [], files_created: [] };
    const executor = { chunks: ['lo', 'ok', 'ing'], result: { status: 'success', output, metadata: {} } };
    const steps = [{ request: 'create_plan', params: { user_request: 'Look at it.' } }];
    for (const secret of [undefined, 'secret']) {
      const config = secret === undefined ? [] : ['--config', JSON.stringify({ secret })];
      const told = await ofAsking({ secret, executor, steps }, config);
      expect(told.asked).toMatchObject([
        { method: 'execute_task', params: { task_type: 'analysis', prompt: 'Look at it.' } },
      ]);
      expect(explained(told)).toMatchObject({ done: { code: 'seen' }, texts: ['lo', 'ok', 'ing'] });
    }
  });

  // requirement: planner:served-upward:refused
  test('a host that does no tasks says so, and the planner plans all the same', async () => {
    const told = await ofAsking({
      steps: [{ request: 'create_plan', params: { user_request: 'Look at it.' } }],
    });
    expect(told.asked).toHaveLength(1);
    expect(explained(told)).toMatchObject({
      done: expect.stringContaining('Method not found') as string,
      texts: [],
    });
  });

  test('it signs as docs/dialects/planner.md has it, in its own words', async () => {
    const client = path.join(root, 'test/raw-hosts/planner_client.py');
    const numbers = [0, -1, 1.5, 1e21, 1e-7, 0.000_01, 123_456_789_012_345_680_000, 5e-324, 0.1 + 0.2];
    const more = { secret: 's', timestamp: 1, message: { numbers } };
    const asked = JSON.stringify([...vectors, more]);
    const { stdout } = await execute('python3', [client, '--sign', asked]);
    const signed = JSON.parse(stdout) as readonly { canonical: string; signature: string }[];
    expect(signed.slice(0, -1)).toEqual(
      vectors.map(({ canonical, signature }) => ({ canonical, signature })),
    );
    expect(signed.at(-1)?.canonical).toBe(JSON.stringify({ numbers }));
    expect(vectors.length).toBeGreaterThan(2);
  });
});

interface Told {
  readonly seen: readonly object[];
  readonly asked: readonly unknown[];
  readonly left: string;
  readonly exitCode: number;
}

async function ofPlans(script: object, args: readonly string[] = []): Promise<Told> {
  return (await seenBy('planner_client.py', script, args, 'plans.mjs')) as Told;
}

async function ofAsking(script: object, args: readonly string[] = []): Promise<Told> {
  return (await seenBy('planner_client.py', script, args, 'asks-its-host.mjs')) as Told;
}

/** What the planner put into the explanation of its plan. */
function explained({ seen }: Told): unknown {
  const [first] = seen as readonly { readonly result: { readonly plan: { readonly explanation: string } } }[];
  return JSON.parse(first?.result.plan.explanation ?? 'null');
}
