// Rules as a person writes them beside a running `pluglot serve --stdio`, and tools that are held until somebody has looked at them.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it, onTestFinished } from 'vitest';
import { cli, environment, program, startCli } from '../support/surface/command-line.ts';
import { root } from '../support/project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

function place(files: Record<string, string> = {}) {
  const args = [path.join(root, 'test/plugins/mcp/grows-a-tool.mjs')];
  const plugins = { grows: { dialect: 'mcp', command: 'node', args } };
  const home = temporaryFolder({ 'pluglot/pluglot.json': JSON.stringify({ plugins }), ...files });
  return { home, cwd: temporaryFolder() };
}

async function served(files: Record<string, string>) {
  const at = place(files);
  const client = new Client({ name: 'tester', version: '1.0.0' });
  const env = Object.fromEntries(
    Object.entries(environment(at)).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, 'serve', '--stdio', '--standalone'],
      env,
      cwd: at.cwd,
      stderr: 'pipe',
    }),
  );
  onTestFinished(() => client.close());
  const call = async (name: string) => {
    const { isError, content } = await client.callTool({ name, arguments: {} });
    return { isError: isError === true, text: JSON.stringify(content) };
  };
  return { at, client, call };
}

it('a denial says that nobody can be asked and which command allows it; that command does, while the host runs', async () => {
  const { at, call } = await served({});
  const denied = await call('grow');
  expect(denied.isError).toBe(true);
  expect(denied.text).toContain(
    'no one can be asked, since `pluglot serve --stdio` runs without `pluglot up`',
  );
  expect(denied.text.split('To allow it: pluglot allow grows__grow')).toHaveLength(2);
  const { exitCode, stdout } = await cli(['allow', 'grows__grow'], at);
  expect([exitCode, stdout]).toEqual([
    0,
    expect.stringContaining(path.join(at.home, 'pluglot/permissions.json')) as string,
  ]);
  await expect.poll(async () => (await call('grow')).isError).toBe(false);
});

it('`up` says which rule decides, and follows a rule that is written beside it', async () => {
  const at = place();
  const up = startCli(['up', '--port', '0', '--no-bundled'], at);
  await up.until('stdout', /\/mcp/);
  const explained = async () => {
    const { stdout } = await cli(['explain', 'grow', '--json'], at);
    return JSON.parse(stdout) as { decision: string; rules: { rule: string }[] };
  };
  expect(await explained()).toMatchObject({ decision: 'ask', rules: [] });
  const { stderr } = await cli(['allow', 'grows__grow'], at);
  expect(stderr).toContain('The running `pluglot up` has taken it over.');
  expect(await explained()).toMatchObject({ decision: 'allow', rules: [{ rule: 'grows__grow' }] });
});

it('a rule for command lines alone is written and shown in its long form, and opens no tool of that name', async () => {
  const { at, call } = await served({
    'pluglot/permissions.json': '{ "version": "1.0", "defaultPolicy": "deny" }',
  });
  for (const name of ['grow', 'grows__grow']) {
    const { exitCode, stdout } = await cli(['allow', `{"rule":"${name}"}`], at);
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringContaining(`allow { "rule": "${name}" } was added in `) as string,
    ]);
  }
  const file = path.join(at.home, 'pluglot/permissions.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    allow: [{ rule: 'grow' }, { rule: 'grows__grow' }],
  });
  const { stdout } = await cli(['explain', 'grow', '--standalone', '--json'], at);
  expect(JSON.parse(stdout)).toMatchObject({ decision: 'deny', rules: [] });
  expect((await call('grow')).isError).toBe(true);
});

it('a tool that is new under a wildcard is held, listed as held, and released by a rule that names it', async () => {
  const { at, client, call } = await served({
    'pluglot/permissions.json': '{ "allow": ["grows__*"], "defaultPolicy": "deny" }',
  });
  expect((await call('grow')).isError).toBe(false);
  await expect
    .poll(async () => (await client.listTools()).tools.map(({ name }) => name))
    .toContain('grows__grown-1');
  const held = await call('grown-1');
  expect(held.isError).toBe(true);
  expect(held.text).toContain('is new: plugin');
  expect(held.text).toContain('To allow it: pluglot allow grows__grown-1');
  const state = path.join(at.home, 'pluglot/state/definitions.json');
  const { pins } = JSON.parse(readFileSync(state, 'utf8')) as { pins: { kind: string; name: string }[] };
  expect(pins.map(({ kind, name }) => `${kind} ${name}`).toSorted()).toEqual(['plugin ', 'tool grow']);
  await cli(['allow', 'grows__grown-1'], at);
  await expect.poll(async () => (await call('grown-1')).isError).toBe(false);
});

it('tools that are held are named by `pluglot tools`', async () => {
  const { at, call } = await served({
    'pluglot/permissions.json': '{ "allow": ["grows__*"] }',
  });
  expect((await call('grow')).isError).toBe(false);
  // The same plugin, as another version of it would be.
  const file = path.join(at.home, 'pluglot/pluglot.json');
  const server = path.join(root, 'test/plugins/mcp/plain-server.mjs');
  const source = `import { answer, serve, tool } from ${JSON.stringify(server)};
const tools = [{ ...tool('grow'), description: 'Another one' }, tool('more')];
serve({ 'tools/list': ({ id }) => answer(id, { tools }) });
`;
  writeFileSync(path.join(at.home, 'next.mjs'), source);
  const plugins = { grows: { dialect: 'mcp', command: 'node', args: [path.join(at.home, 'next.mjs')] } };
  writeFileSync(file, JSON.stringify({ plugins }));
  const { stderr } = await cli(['tools', '--standalone'], at);
  expect(stderr).toContain('! grows__grow is held: it is not defined as it was when it was approved.');
  expect(stderr).toContain('! grows__more is held: its plugin did not have it when it was approved.');
  expect(stderr).toContain('pluglot allow grows__more');
  const { stdout } = await cli(['tools', '--standalone', '--json'], at);
  const listed = JSON.parse(stdout) as { name: string; held?: string }[];
  expect(listed.map(({ name, held }) => [name, held])).toEqual([
    ['grows__grow', 'changed'],
    ['grows__more', 'new'],
  ]);
  await cli(['allow', 'grows__grow'], at);
  await cli(['allow', 'grows__more'], at);
  expect((await cli(['tools', '--standalone'], at)).stderr).not.toContain('held');
});
