import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../../test/support/project.ts';
import { type Content, temporaryFolder } from '../../test/support/temporary-folder.ts';
import { definePlugin } from '../definition/define-plugin.ts';
import { readAudit } from '../gate/audit/read-audit.ts';
import { createApprovalQueue } from '../gate/approval/queue.ts';
import type { Approver, Question } from '../gate/approval/approver.ts';
import { createRuntime, type RuntimeOptions } from './create-runtime.ts';

const model = { caller: { kind: 'model' } } as const;
const user = { caller: { kind: 'user' } } as const;

const greeter = definePlugin({
  name: 'greeter',
  version: '1.0.0',
  description: 'Greets.',
  tools: {
    greet: {
      description: 'Greets somebody.',
      input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      handler: ({ name }) => `Hello ${name}`,
    },
    wave: { description: 'Waves.', handler: () => 'o/' },
  },
  commands: { hello: { description: 'Says hello.', handler: () => 'hello' } },
  autoApprove: ['wave'],
});

test('finds and starts nothing by itself, and closes', async () => {
  const { runtime, at } = await open();
  expect(runtime.registry.listAvailable()).toEqual([]);
  expect(runtime.fleet.plugins).toEqual([]);
  await runtime.close();
  expect(fs.readdirSync(at.home)).toEqual([]);
});

test('a call passes the gate: the user’s is checked, that of a model needs a yes, and both are written down', async () => {
  const asked: Question[] = [];
  const approver: Approver = {
    ask(question) {
      asked.push(question);
      return Promise.resolve({ kind: 'allow', scope: 'once', by: 'test' });
    },
  };
  const { runtime, at } = await open({}, { approver });
  runtime.registry.registerPlugin(greeter);
  await runtime.registry.exposeAll();

  expect(await runtime.call('greet', { name: 'Ada' }, user)).toMatchObject({ ok: true, text: 'Hello Ada' });
  expect(await runtime.call('greet', {}, user)).toMatchObject({ error: { code: 'INVALID_ARGUMENTS' } });
  expect(await runtime.run('hello', {})).toMatchObject({ ok: true, text: 'hello' });
  expect(await runtime.call('wave', {}, model)).toMatchObject({ ok: true, text: 'o/' });
  expect(asked).toEqual([]);
  expect(await runtime.call('greet', { name: 'Bo' }, model)).toMatchObject({ ok: true });
  expect(asked.map(({ tool }) => tool)).toEqual(['greeter__greet']);
  const executor = runtime.registry.getExposedExecutors().get('greeter__greet');
  expect(await executor?.({ name: 'Cy' })).toMatchObject({ ok: true, text: 'Hello Cy' });
  expect(asked).toHaveLength(2);
  await runtime.close();

  const decided: string[] = [];
  for await (const { event } of readAudit(path.join(at.home, 'pluglot/state/audit')))
    if (event.kind === 'decided') decided.push(`${event.caller.kind} ${event.name} ${event.allowed}`);
  expect(decided).toEqual([
    'user greeter__greet true',
    'user greeter__greet false',
    'program greeter__hello true',
    'model greeter__wave true',
    'model greeter__greet true',
    'model greeter__greet true',
  ]);
});

test('nobody to ask is a no, with the way out', async () => {
  const { runtime } = await open();
  runtime.registry.registerPlugin(greeter);
  await runtime.registry.exposeAll();
  expect(await runtime.call('greet', { name: 'Ada' }, model)).toMatchObject({
    ok: false,
    error: { code: 'PERMISSION_DENIED' },
  });
});

test.for<[name: string, files: Record<string, object>]>([
  [
    'a file',
    { 'pluglot.json': { gate: { approver: { type: 'file', folder: './answers', timeoutMs: 200 } } } },
  ],
  [
    'a terminal that is not there',
    { 'pluglot.json': { gate: { approver: { type: 'terminal', timeoutMs: 200 } } } },
  ],
  ['a channel', { 'permissions.json': { defaultPolicy: 'ask', channel: { type: 'console', timeout: 0.2 } } }],
])('the time limit of %s holds for questions that the console waits for, too', async ([, files]) => {
  const approvals = createApprovalQueue();
  const inHome: Record<string, string> = {};
  for (const [name, content] of Object.entries(files))
    inHome[`home/pluglot/${name}`] = JSON.stringify(content);
  const { runtime } = await open(inHome, { approvals });
  runtime.registry.registerPlugin(greeter);
  await runtime.registry.exposeAll();
  const outcome = await runtime.call('greet', { name: 'Ada' }, model);
  expect(outcome).toMatchObject({ ok: false, error: { code: 'PERMISSION_DENIED' } });
  expect(approvals.pending()).toEqual([]);
  await runtime.close();
});

test('the key gate holds: rules, limits, results, and the audit where it says', async () => {
  const { runtime, at } = await open({
    'home/pluglot/pluglot.json': {
      gate: {
        permissions: './rules.json',
        limits: { budget: { tools: { wave: 1 } } },
        output: { textCharacters: 4, callers: ['model'] },
        classes: { readOnly: ['greet'] },
        audit: { folder: './log' },
        builtIns: false,
      },
    },
    'home/pluglot/rules.json': { defaultPolicy: 'deny', blacklist: { tools: ['hello'] } },
  });
  runtime.registry.registerPlugin(greeter);
  expect(await runtime.registry.discover()).toEqual(['greeter']);
  await runtime.registry.exposeAll();
  expect(await runtime.call('wave', {}, model)).toMatchObject({ ok: true });
  expect(await runtime.call('wave', {}, model)).toMatchObject({ error: { code: 'BUDGET_SPENT' } });
  const greeted = await runtime.call('greet', { name: 'Ada' }, model);
  expect(greeted.ok).toBe(true);
  expect(greeted.text).not.toBe('Hello Ada');
  expect(await runtime.run('hello', {})).toMatchObject({ error: { code: 'PERMISSION_DENIED' } });
  await runtime.close();
  expect(fs.readdirSync(path.join(at.home, 'pluglot/log')).length).toBeGreaterThan(0);
});

test('the head of the audit is sent where the configuration says, and verified against it', async () => {
  const { runtime, at } = await open({
    'home/pluglot/pluglot.json': { gate: { audit: { sendHead: { file: './heads.jsonl' } } } },
  });
  runtime.registry.registerPlugin(greeter);
  await runtime.registry.exposeAll();
  expect(await runtime.call('wave', {}, user)).toMatchObject({ ok: true });
  await runtime.close();
  const file = path.join(at.home, 'pluglot/heads.jsonl');
  expect(fs.readFileSync(file, 'utf8')).toContain(`"folder":"${path.join(at.home, 'pluglot/state/audit')}"`);
  expect((await runtime.audit({ verify: true })).verified).toMatchObject({ ok: true, notSent: 0 });
  fs.rmSync(file);
  expect((await runtime.audit({ verify: true })).verified).toMatchObject({ ok: false, problems: [{ file }] });
});

test('where the head has to be sent and cannot be, no call is made', async () => {
  const sendHead = { url: 'https://${env:HEADS_HOST}/', required: true };
  const { runtime } = await open({ 'home/pluglot/pluglot.json': { gate: { audit: { sendHead } } } });
  expect(runtime.problems).toContainEqual(
    expect.objectContaining({
      file: 'gate.audit.sendHead',
      severity: 'error',
      reason: 'the variable HEADS_HOST of gate.audit.sendHead is not set',
      wayOut: 'Fix it. Until then no call is made.',
    }),
  );
  runtime.registry.registerPlugin(greeter);
  await runtime.registry.exposeAll();
  expect(await runtime.call('wave', {}, user)).toMatchObject({
    error: {
      code: 'AUDIT_FAILED',
      message: expect.stringContaining('gate.audit.sendHead requires') as string,
    },
  });
  await runtime.close();
});

test('the user’s own gate that cannot be read lets nobody call but the user', async () => {
  const { runtime } = await open({ 'home/pluglot/pluglot.json': { gate: { limit: 5 } } });
  runtime.registry.registerPlugin(greeter);
  await runtime.registry.exposeAll();
  expect(await runtime.call('wave', {}, model)).toMatchObject({ error: { code: 'PERMISSION_DENIED' } });
  expect(await runtime.call('wave', {}, user)).toMatchObject({ ok: true });
  expect(runtime.problems.map(({ reason }) => reason)).toContain('gate.limit: unknown key');
});

test('rules that break while the host runs deny until they are fixed', async () => {
  const { runtime, at } = await open({ 'home/pluglot/permissions.json': { defaultPolicy: 'allow' } });
  runtime.registry.registerPlugin(greeter);
  await runtime.registry.exposeAll();
  const file = path.join(at.home, 'pluglot/permissions.json');
  const call = () => runtime.call('greet', { name: 'Ada' }, model);
  expect(await call()).toMatchObject({ ok: true });
  for (const broken of ['{ "defaultPolicy": "allow", ', '{ "defaultPolicy": "allow", "deni": ["x"] }', '']) {
    fs.writeFileSync(file, broken);
    const { problems } = await runtime.reloadGate();
    expect(problems).toEqual([
      expect.objectContaining({
        file,
        denies: true,
        wayOut: expect.stringMatching(
          /Until it is fixed, everything but what a person types is denied\.$/,
        ) as string,
      }),
    ]);
    expect(await call()).toMatchObject({ error: { code: 'PERMISSION_DENIED', reason: 'broken' } });
    expect(await runtime.call('greet', { name: 'Ada' }, user)).toMatchObject({ ok: true });
  }
  fs.writeFileSync(file, '{ "defaultPolicy": "allow" }');
  expect((await runtime.reloadGate()).problems).toEqual([]);
  expect(await call()).toMatchObject({ ok: true });
});

test('a rule that is written to the file while a question waits answers it', async () => {
  const queue = createApprovalQueue();
  const { runtime, at } = await open(
    { 'home/pluglot/permissions.json': { defaultPolicy: 'ask' } },
    { approvals: queue },
  );
  runtime.registry.registerPlugin(greeter);
  await runtime.registry.exposeAll();
  const write = async (text: string) => {
    fs.writeFileSync(path.join(at.home, 'pluglot/permissions.json'), text);
    await runtime.reloadGate();
  };
  const calls = ['Ada', 'Bo', 'Cy'].map((name) => runtime.call('greet', { name }, model));
  await expect.poll(() => queue.pending()).toHaveLength(3);
  await write('{ "defaultPolicy": ');
  expect(queue.pending()).toHaveLength(3);
  await write(
    '{ "defaultPolicy": "ask", "allow": ["greeter__greet(name=Ada)"], "deny": ["greeter__greet(name=Bo)"] }',
  );
  expect(await calls[0]).toMatchObject({ ok: true });
  expect(await calls[1]).toMatchObject({ error: { code: 'PERMISSION_DENIED' } });
  expect(queue.pending().map(({ args }) => args)).toEqual([{ name: 'Cy' }]);
  runtime.gate.policy.session.allow('greeter__*');
  expect(await calls[2]).toMatchObject({ ok: true });
  expect(queue.pending()).toEqual([]);
});

test('modules of the embedding program need no trust, those of others do', async () => {
  const module = (name: string) =>
    `export const createPlugin = () => ({ name: '${name}', getFunctionDeclarations: () => [{ name: '${name}_tool' }], getExecutors: () => ({ ${name}_tool: () => '${name}' }) });\n`;
  const files = { 'project/plugins/mine.mjs': module('mine') };
  const stranger = await open(files);
  expect(await stranger.runtime.registry.discover()).not.toContain('mine');
  const { runtime } = await open(files, { ownFolders: ['.'] });
  expect(await runtime.registry.discover()).toContain('mine');
  await runtime.registry.exposeTool('mine');
  expect(await runtime.call('mine_tool', {}, user)).toMatchObject({ ok: true, text: 'mine' });
});

test('built-in plugins get what is configured for them, and make room for others of their name', async () => {
  const { runtime } = await open({
    'home/pluglot/pluglot.json': {
      plugins: {
        cli: { config: { max_output_chars: 5 } },
        todo: { disabled: true },
        web_search: { command: 'mine' },
      },
    },
  });
  const available = await runtime.registry.discover();
  expect(available).toContain('cli');
  expect(available).not.toContain('todo');
  expect(runtime.registry.getPlugin('web_search')?.origin).toBe('process');
  await runtime.registry.exposeTool('cli');
  const printed = await runtime.call('cli_based_tool', { command: 'echo', args: ['1234567890'] }, user);
  expect(printed).toMatchObject({ ok: true, data: { returncode: 0 } });
  expect(printed.data).not.toMatchObject({ stdout: '1234567890\n' });
});

test('plugins in code: definitions, objects of the specification, and programs as in pluglot.json', async () => {
  const object = {
    name: 'elsewhere',
    getFunctionDeclarations: () => [{ name: 'object_tool' }],
    getExecutors: () => ({ object_tool: () => 'object' }),
  };
  const args = [path.join(root, 'test/plugins/mcp/well-behaved.mjs')];
  const { runtime } = await open(
    { 'home/pluglot/pluglot.json': { plugins: { mine: { command: 'another' } } } },
    { plugins: { mine: greeter, object, server: { command: process.execPath, args } }, containment: 'group' },
  );
  expect(runtime.registry.listAvailable()).toEqual(['mine', 'object', 'server']);
  expect(runtime.fleet.plugins.map(({ name, status }) => [name, status.state])).toEqual([
    ['server', 'stopped'],
  ]);
  expect(await runtime.call('mine__wave', {}, user)).toMatchObject({ ok: true, text: 'o/' });
  expect(await runtime.call('object__object_tool', {}, user)).toMatchObject({ ok: true, text: 'object' });
  expect(await runtime.call('server__add', { a: 1, b: 2 }, user)).toMatchObject({ ok: true });
  await runtime.look();
  expect(runtime.registry.getPlugin('mine')?.origin).toBe('in-process');
  expect(runtime.fleet.plugins.map(({ name }) => name)).toEqual(['server']);
});

test('a plugin in code that cannot be used is refused', async () => {
  await expect(open({}, { plugins: { x: { command: '${env:MISSING_VARIABLE}' } } })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: 'The plugin "x" in `plugins` cannot be used: the variable MISSING_VARIABLE is not set.',
  });
});

test('a plugin that is not trusted is an error wherever it is wanted', async () => {
  const { runtime } = await open({
    'project/pluglot.json': { plugins: { stranger: { command: 'stranger' } } },
    'project/.git/HEAD': '',
  });
  runtime.registry.registerPlugin(greeter);
  expect(await runtime.registry.discover()).not.toContain('stranger');
  expect(await runtime.registry.exposeAll()).toMatchObject([
    { plugin: 'stranger', error: { code: 'NOT_TRUSTED' } },
  ]);
  for (const name of ['stranger__tool', 'unknown_tool'])
    expect(await runtime.call(name, {}, user)).toMatchObject({ error: { code: 'NOT_TRUSTED' } });
  await expect(runtime.tool('stranger__tool')).rejects.toMatchObject({ code: 'NOT_TRUSTED' });
  await expect(runtime.start('stranger')).rejects.toMatchObject({ code: 'NOT_TRUSTED' });
});

test('a call waits for a plugin that is starting, and is written down with its id', async () => {
  const args = [path.join(root, 'test/plugins/mcp/well-behaved.mjs')];
  const { runtime, at } = await open(
    {},
    { plugins: { server: { command: process.execPath, args } }, containment: 'group', builtIns: false },
  );
  void runtime.startAll();
  const call = runtime.call('add', {}, { ...user, pairs: { a: '5', b: '6' } });
  expect(await call.target).toEqual({ name: 'server__add', plugin: 'server' });
  expect(await call).toMatchObject({ ok: true });
  expect(await runtime.call('nothing', {}, user)).toMatchObject({ error: { code: 'UNKNOWN_TOOL' } });
  await runtime.close();
  const decided: unknown[] = [];
  for await (const { event } of readAudit(path.join(at.home, 'pluglot/state/audit')))
    if (event.kind === 'decided') decided.push([event.id, event.name, event.allowed]);
  expect(decided).toEqual([
    [call.id, 'server__add', true],
    [expect.any(String), 'nothing', false],
  ]);
});

async function open(files: Record<string, Content> = {}, options: Partial<RuntimeOptions> = {}) {
  const folder = temporaryFolder({ 'home/.keep': '', 'project/.keep': '', ...files });
  fs.rmSync(path.join(folder, 'home/.keep'));
  const home = path.join(folder, 'home');
  const env = { PATH: process.env['PATH'], PLUGLOT_HOME: path.join(home, 'pluglot') };
  const at = { cwd: path.join(folder, 'project'), home, env };
  const runtime = await createRuntime({ ...at, ...options });
  onTestFinished(() => runtime.close());
  return { runtime, at };
}
