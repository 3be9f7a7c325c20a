// Rules and approvals as MCP clients meet them, over /mcp.
import path from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { definePlugin } from '../../src/definition/define-plugin.ts';
import { createApprovalQueue } from '../../src/gate/approval/queue.ts';
import { connectClient, testEndpoint } from '../support/surface/mcp-endpoint.ts';
import { fakeAudit, fakePolicy } from '../support/gate/gate.ts';
import { policyOf } from '../support/gate/policy.ts';
import { root } from '../support/project.ts';

const plugin = definePlugin({
  name: 'files',
  version: '1.0.0',
  tools: {
    write_file: { handler: () => 'written' },
    del: { handler: () => 'deleted' },
    run: { handler: () => 'ran' },
    fetch: { handler: () => 'fetched' },
  },
});

it('a rule on arguments denies the call whatever else is in it, however it is written', async () => {
  const policy = {
    ...fakePolicy(),
    ...policyOf({
      defaultPolicy: 'allow',
      deny: [
        'write_file(path=.git/*)',
        'run(cmd=rm*)',
        'files__fetch(url=http://169.254.169.254/*)',
        'del(path=/etc/*, force=true)',
      ],
    }),
  };
  const at = await testEndpoint({ definitions: [plugin], policy });
  const client = await connectClient(at.url);
  const call = async (name: string, args: JsonObject) =>
    (await client.callTool({ name, arguments: args })).isError === true;
  const denied: [string, JsonObject][] = [
    ['write_file', { content: 'x', path: '.git/hooks/pre-commit', mode: 7 }],
    ['write_file', { path: 'src/../.GIT/config', content: '"' }],
    ['write_file', { files: [{ path: './.git/config' }] }],
    ['run', { timeout: 5, cmd: 'rm -rf "a, b"' }],
    ['fetch', { url: 'http://169.254.169.254/latest', method: 'GET' }],
    ['fetch', { url: 'http://0xa9fea9fe' }],
    ['fetch', { url: '\u0001ht\ntp://169.254.169.254/' }],
    ['write_file', { path: '.\uFE0Fgit/config' }],
    ['write_file', { path: '.git\0/config' }],
    ['write_file', { path: 'a', 'Pa\u200Bth': '.git/config' }],
    ['del', { force: true, path: '/etc/passwd', recursive: true }],
  ];
  for (const [name, args] of denied) expect([name, args, await call(name, args)]).toEqual([name, args, true]);
  const allowed: [string, JsonObject][] = [
    ['write_file', { content: 'see .git/config', path: '.gitignore' }],
    ['run', { cmd: 'ls; rm' }],
    ['del', { path: '/etc/passwd', force: false }],
  ];
  for (const [name, args] of allowed)
    expect([name, args, await call(name, args)]).toEqual([name, args, false]);
});

it('a yes for a client of one profile is not one for a client of another that gives itself the same name', async () => {
  const queue = createApprovalQueue();
  queue.onChanged(([question]) => {
    if (question !== undefined && question.caller.profile === 'high')
      queue.answer(question.id, { kind: 'allow', scope: 'session', by: 'me', covers: 'tool' });
    else if (question !== undefined) queue.answer(question.id, { kind: 'deny', scope: 'once', by: 'me' });
  });
  const at = await testEndpoint({
    definitions: [plugin],
    policy: { ...fakePolicy(), ...policyOf({ defaultPolicy: 'ask' }) },
    gate: { approver: queue },
    token: 'a'.repeat(40),
    profiles: { high: { token: 'h'.repeat(40) }, low: { token: 'l'.repeat(40) } },
  });
  const connect = (profile: string, token: string) =>
    connectClient(new URL(`?profile=${profile}`, at.url), { name: 'claude', token });
  const high = await connect('high', 'h'.repeat(40));
  expect((await high.callTool({ name: 'del', arguments: { path: 'a' } })).isError).not.toBe(true);
  expect((await high.callTool({ name: 'del', arguments: { path: 'b' } })).isError).not.toBe(true);
  const low = await connect('low', 'l'.repeat(40));
  expect((await low.callTool({ name: 'del', arguments: { path: 'a' } })).isError).toBe(true);
});

it('an address that no plugin lists leads to one question, about the plugin whose template it fits', async () => {
  const server = (name: string, command: string) =>
    ({
      name,
      dialect: 'mcp',
      start: { kind: 'program', command: path.join(root, 'test', command), args: [] },
    }) as const;
  const queue = createApprovalQueue();
  const asked: string[] = [];
  queue.onChanged(([question]) => {
    if (question === undefined) return;
    asked.push(question.signature);
    queue.answer(question.id, { kind: 'deny', scope: 'once', by: 'me' });
  });
  const at = await testEndpoint({
    specs: [
      server('other', 'plugins/mcp/well-behaved.mjs'),
      server('first', 'mcp-conformance/fixture-server.mjs'),
      server('second', 'mcp-conformance/fixture-server.mjs'),
    ],
    policy: { ...fakePolicy(), ...policyOf({ defaultPolicy: 'ask' }) },
    gate: { approver: queue },
  });
  const client = await connectClient(at.url);
  await expect(client.readResource({ uri: 'test://template/7/data' })).rejects.toThrow('it was not allowed');
  expect(asked).toEqual(['first__resource:test://template/7/data()']);
  for (const uri of ['test://template/7', 'file:///q/x'])
    await expect(client.readResource({ uri })).rejects.toThrow('No plugin has a resource');
  expect(asked).toHaveLength(1);
});

it('resources and prompts of plugins are had as the rules say, and stand in the audit log', async () => {
  const audit = fakeAudit();
  const spec = {
    name: 'docs',
    dialect: 'mcp',
    start: { kind: 'program', command: path.join(root, 'test/mcp-conformance/fixture-server.mjs'), args: [] },
  } as const;
  const queue = createApprovalQueue();
  const asked: string[] = [];
  queue.onChanged(([question]) => {
    if (question === undefined) return;
    asked.push(`${question.kind} ${question.signature}`);
    queue.answer(question.id, { kind: 'deny', scope: 'once', by: 'me' });
  });
  const policy = policyOf({
    defaultPolicy: 'ask',
    allow: ['docs__resource:test://static-*', 'docs__prompt:test_simple_prompt'],
    deny: ['resource:test://template/13/*'],
  });
  const at = await testEndpoint({
    specs: [spec],
    policy: { ...fakePolicy(), ...policy },
    gate: { approver: queue, audit },
  });
  const client = await connectClient(at.url);
  expect((await client.readResource({ uri: 'test://static-text' })).contents).toHaveLength(1);
  await expect(client.readResource({ uri: 'test://template/13/data' })).rejects.toThrow('A rule forbids it');
  expect(asked).toEqual([]);
  await expect(client.readResource({ uri: 'test://template/7/data' })).rejects.toThrow('it was not allowed');
  expect(asked).toEqual(['resource docs__resource:test://template/7/data()']);
  expect((await client.getPrompt({ name: 'test_simple_prompt' })).messages.length).toBeGreaterThan(0);
  const args = { arg1: 'a', arg2: 'b' };
  const prompt = client.getPrompt({ name: 'test_prompt_with_arguments', arguments: args });
  await expect(prompt).rejects.toThrow('it was not allowed');
  await expect(client.subscribeResource({ uri: 'test://watched-resource' })).rejects.toThrow(
    'Permission denied',
  );
  const decided = audit.events.flatMap((event) =>
    event.kind === 'decided' ? [`${event.what} ${event.name} ${event.method} ${event.allowed}`] : [],
  );
  expect(decided).toEqual([
    'resource docs__resource:test://static-text allow-rule true',
    'resource docs__resource:test://template/13/data deny-rule false',
    'resource docs__resource:test://template/7/data approval false',
    'prompt docs__prompt:test_simple_prompt allow-rule true',
    'prompt docs__prompt:test_prompt_with_arguments approval false',
  ]);
});
