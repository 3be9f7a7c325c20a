// Planners and executors under the whole fleet: questions in neutral words, limits, crashes, many calls at once.
import path from 'node:path';
import { expect, test } from 'vitest';
import type { PluginSpec } from '../../src/definition/plugin-spec.ts';
import type { Plugin } from '../../src/fleet/plugin/plugin.ts';
import { fleetOf } from '../support/fleet/program-fleet.ts';
import { root } from '../support/project.ts';

const task = { type: 'analysis', prompt: 'one two three' };

test('plans, tasks, code and context', async () => {
  const plugin = start('../../../examples/planner-words/plugin.mjs');
  const plan = await plugin.createPlan({ userRequest: 'Read. Write.', constraints: { maxTasks: 1 } });
  expect(plan).toMatchObject({
    ok: true,
    data: { tasks: [{ id: 'task_001', description: 'Read', estimatedTimeSeconds: 1 }] },
  });
  const call = plugin.executeTask(task);
  const events = [];
  for await (const event of call) events.push(event);
  expect(events).toEqual([
    { kind: 'text', text: '3 words\n' },
    { kind: 'text', text: 'longest: three\n' },
  ]);
  expect(await call).toMatchObject({
    ok: true,
    text: '3 words\nlongest: three\n',
    data: { status: 'success', filesModified: [], metadata: { tokensUsed: 3, model: 'none' } },
  });
  const verdict = await plugin.validateCode({ code: '\tx', rules: ['no-tabs'] });
  expect(verdict).toMatchObject({
    ok: true,
    data: { valid: false, findings: [{ rule: 'no-tabs', fix: '  x' }] },
  });
  expect(await plugin.updateContext({ action: 'add', type: 'file', data: {} })).toMatchObject({ ok: true });
  expect(await plugin.call('execute_task', { prompt: 5 })).toMatchObject({
    ok: false,
    error: { code: 'INVALID_ARGUMENTS' },
  });
});

test('a plugin of another dialect has none of it', async () => {
  const plugin = fleetOf({
    name: 'other',
    dialect: 'gevals',
    start: { kind: 'program', command: process.execPath, args: [fixture('gevals/files.mjs')] },
  });
  const outcomes = await Promise.all([
    plugin.createPlan({ userRequest: 'u' }),
    plugin.executeTask(task),
    plugin.validateCode({ code: 'c' }),
    plugin.updateContext({ action: 'add', type: 'file', data: {} }),
  ]);
  for (const outcome of outcomes)
    expect(outcome).toMatchObject({ ok: false, error: { code: 'UNSUPPORTED' } });
});

test('a task over its limit fails; when it does not end either, the process does', async () => {
  const plugin = start('hangs-in-execute.mjs', { limits: { callMs: 100, cancelMs: 100 } });
  await plugin.start();
  expect(await plugin.executeTask(task)).toMatchObject({ ok: false, error: { code: 'CALL_TIMEOUT' } });
  await expect.poll(() => plugin.status.restarts).toBe(1);
  await expect.poll(() => plugin.status.state).toBe('ready');
});

test('a crash in a task keeps what was said, and is recovered from', async () => {
  const plugin = start('crashes-in-execute.mjs');
  expect(await plugin.executeTask(task)).toMatchObject({
    ok: false,
    text: 'half of it',
    error: { code: 'PLUGIN_EXITED', message: expect.stringContaining('code 3') as string },
  });
  await expect.poll(() => plugin.status.state).toBe('ready');
});

// requirement: planner:liveness:concurrency
test('three tasks are under way at once: one that waits for all of them is answered', async () => {
  const plugin = start('answers-in-batches.mjs');
  const tasks = ['a', 'b', 'c'].map((prompt) => plugin.executeTask({ type: 'analysis', prompt }));
  expect((await Promise.all(tasks)).map(({ text }) => text)).toEqual(['a', 'b', 'c']);
});

function start(file: string, spec: Partial<PluginSpec> = {}): Plugin {
  return fleetOf({
    name: 'planner',
    dialect: 'planner',
    start: { kind: 'program', command: process.execPath, args: [fixture(`planner/${file}`)] },
    ...spec,
  });
}

function fixture(file: string): string {
  return path.join(root, 'test/plugins', file);
}
