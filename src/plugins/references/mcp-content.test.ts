import { describe, expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import type { Answer } from '../../definition/outcome.ts';
import { PendingCall } from '../../definition/call.ts';
import type { Gate } from '../../gate/gate.ts';
import type { Verdict } from '../../gate/policy/policy.ts';
import { mcpContent, type McpOptions } from './content.ts';

function setUp(
  tools: Readonly<Record<string, { plugin: string; tool: string }>>,
  {
    answer = { ok: true, text: 'the page' },
    verdict = 'allow',
  }: { answer?: Answer; verdict?: Verdict['kind'] } = {},
) {
  const calls: unknown[] = [];
  // The part of a gate that is used.
  const gate = {
    check: () => Promise.resolve({ kind: verdict, method: 'default', reason: 'as the rules say' }),
    call: (name: string, args: unknown, { caller, timeoutMs }: { caller: unknown; timeoutMs: number }) => {
      calls.push({ name, args, caller, timeoutMs });
      const call = new PendingCall({ id: '1', tool: name, clock: systemClock, onCancel: () => {} });
      call.end(answer);
      return call;
    },
  } as unknown as Gate;
  const options: McpOptions = {
    findTool: (name) => {
      const found = tools[name];
      return found && { plugin: found.plugin, tool: { name: found.tool } };
    },
    gate: () => gate,
    signal: new AbortController().signal,
    timeoutMs: 30_000,
    maxChars: 1000,
    mayAsk: true,
  };
  const get = (rest: Partial<McpOptions> = {}) =>
    mcpContent({ server: 'My Wiki', tool: 'get_page', args: { id: 1 } }, { ...options, ...rest });
  return { calls, get };
}

const known = { 'My Wiki__get_page': { plugin: 'My Wiki', tool: 'get_page' } };

describe('the tool is called through the gate, as a job', () => {
  test.each([
    ['My Wiki__get_page', 'My Wiki'],
    ['My_Wiki__get_page', 'My_Wiki'],
  ])('under the name %s', async (name, plugin) => {
    const { calls, get } = setUp({ [name]: { plugin, tool: 'get_page' } });
    expect(await get()).toEqual({ kind: 'text', text: 'the page' });
    expect(calls).toEqual([
      { name, args: { id: 1 }, caller: { kind: 'job', name: 'references' }, timeoutMs: 30_000 },
    ]);
  });

  test('data is shown as JSON', async () => {
    expect(await setUp(known, { answer: { ok: true, data: { a: 1 } } }).get()).toEqual({
      kind: 'text',
      text: '{"a":1}',
    });
  });
});

test('a tool of the same name that is somebody else’s is not called', async () => {
  const tool = { plugin: 'evil', tool: 'get_page' };
  const { calls, get } = setUp({ get_page: tool, 'My Wiki__get_page': tool });
  expect(await get()).toEqual({
    kind: 'none',
    reason: 'the tool "get_page" of the server "My Wiki" is not available; connect the server',
  });
  expect(calls).toEqual([]);
});

test('where nobody may be asked, it is called only when the rules allow it', async () => {
  const asking = setUp(known, { verdict: 'ask' });
  expect(await asking.get({ mayAsk: false })).toMatchObject({
    kind: 'none',
    reason: 'a call of "My Wiki__get_page" has to be allowed by the user (as the rules say)',
  });
  expect(asking.calls).toEqual([]);
  expect(await setUp(known).get({ mayAsk: false })).toMatchObject({ kind: 'text' });
});

test('what fails, says nothing, or has no gate yet is told', async () => {
  const error = { code: 'PERMISSION_DENIED', message: 'Permission denied: no' } as const;
  expect(await setUp(known, { answer: { ok: false, error } }).get()).toMatchObject({
    reason: '"My Wiki__get_page" failed: Permission denied: no',
  });
  expect(await setUp(known, { answer: { ok: true, text: ' ' } }).get()).toMatchObject({
    reason: '"My Wiki__get_page" answered with nothing',
  });
  const gate = () => {
    throw new Error('not yet');
  };
  expect(await setUp(known).get({ gate })).toMatchObject({ kind: 'none' });
});
