// `pluglot serve` for clients of MCP: over HTTP what is named or typed, and on stdio what a running `up` has.
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { cli, environment, fixture, program, startCli } from '../support/surface/command-line.ts';
import { newRun, survivors } from '../support/fleet/process-table.ts';
import { root } from '../support/project.ts';
import { mcpClient, servedAt, servedUp, type Served } from '../support/surface/running-up.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const dice = path.join(root, 'examples/mcp-dice/server.mjs');
const allow = { 'pluglot/permissions.json': { defaultPolicy: 'allow' } };
const modern = { versionNegotiation: { mode: { pin: '2026-07-28' } } } as const;

function gassist(name: string, run: string) {
  return { command: process.execPath, args: [fixture(`gassist/${name}.mjs`), run], dialect: 'gassist' };
}

test('a command that is typed, over HTTP: with a token, through the gate, in both eras, and nothing left', async () => {
  const run = newRun();
  const home = temporaryFolder(allow);
  const cwd = temporaryFolder({ '.git/HEAD': '' });
  const words = ['serve', '--http', '--port', '0', '--json', '--', process.execPath, dice, run];
  const serving = startCli(words, { home, cwd });
  const [line] = await serving.until('stdout', /^.*"token".*$/m);
  const served = JSON.parse(line) as Served & { mcp: string };
  expect(served.mcp).toBe(`${served.url}/mcp`);
  await serving.until('stdout', /"state":"ready"/);
  for (const options of [{}, modern]) {
    const client = await mcpClient(served, '', options);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['mcp-dice__roll']);
    for (const name of ['mcp-dice__roll', 'roll']) {
      const rolled = await client.callTool({ name, arguments: { dice: '1d1' } });
      expect(JSON.stringify(rolled.content)).toContain('1');
    }
  }
  await expect(mcpClient({ ...served, token: 'wrong' })).rejects.toThrow(/token/);
  expect(await fetch(served.url)).toMatchObject({ status: 404 });
  // Of a project it takes nothing: other commands do not find it.
  expect((await cli(['status', '--json'], { home, cwd })).stdout).toContain('"running":false');
  serving.child.kill('SIGINT');
  expect(await serving.ended).toBe(130);
  expect(survivors(run)).toEqual([]);
});

test('what is named, over HTTP, and nothing else; wrong words are told', async () => {
  const run = newRun();
  const plugins = { talker: gassist('well-behaved', run), other: gassist('well-behaved', run) };
  const home = temporaryFolder({ ...allow, 'pluglot/pluglot.json': { plugins } });
  const cwd = temporaryFolder({ '.git/HEAD': '' });
  const serving = startCli(['serve', '--http', '--port', '0', 'talker', 'todo'], { home, cwd });
  await serving.until('stdout', /1 of 1 plugin is ready/);
  const [, url = ''] = /(http:\/\/[\d.]+:\d+)\/mcp/.exec(serving.stdout) ?? [];
  const { token } = servedAt(serving.stdout);
  // Made while it runs, for reading alone.
  const reads = (await cli(['tokens', 'new', 'reads', '--for', 'api-read'], { home, cwd })).stdout.trim();
  const read = (secret: string) =>
    fetch(`${url}/api/v1/plugins`, { headers: { authorization: `Bearer ${secret}` } });
  await expect.poll(async () => (await read(reads)).status).toBe(200);
  expect((await read(token)).status).toBe(403);
  const { plugins: seen } = (await (await read(reads)).json()) as { plugins: { name: string }[] };
  expect(seen.map(({ name }) => name).toSorted()).toEqual(['talker', 'todo']);
  const client = await mcpClient({ url, token });
  const tools = (await client.listTools()).tools.map(({ name }) => name);
  expect(tools).toContain('talker__count');
  expect(tools).toContain('todo__createPlan');
  serving.child.kill('SIGINT');
  expect(await serving.ended).toBe(130);

  for (const [words, says] of [
    [['serve', '--http', 'nobody'], 'There is no plugin "nobody"'],
    [['serve', '--http', '--stdio'], '--http goes without --stdio'],
    [['serve', '--stdio', '--port', '1'], 'On stdio there is no --port'],
    [['serve', '--http', 'talker', '--', 'node'], 'not both'],
  ] as const) {
    const refused = await cli(words, { home, cwd });
    expect(refused.exitCode, words.join(' ')).toBe(2);
    expect(refused.stderr).toContain(says);
  }
});

test.each([
  ['before 2026', {}],
  ['since 2026', modern],
])('on stdio beside a running up, a client %s shares its fleet until that ends', async (_, options) => {
  const run = newRun();
  const plugins = { slow: gassist('never-completes', run), talker: gassist('well-behaved', run) };
  const { up, home, cwd } = await servedUp({ plugins });
  const processes = survivors(run).length;
  const connect = async (...words: string[]) => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [program, 'serve', '--stdio', ...words],
      env: environment({ home }) as Record<string, string>,
      cwd,
      stderr: 'pipe',
    });
    const client = new Client({ name: 'a test', version: '1.0.0' }, options);
    await client.connect(transport);
    onTestFinished(() => client.close());
    return { client, transport };
  };
  const { client, transport } = await connect();
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('slow__work');
  const counted = await client.callTool({ name: 'count', arguments: { to: 2 } });
  expect(JSON.stringify(counted.content)).toContain('done');
  expect(survivors(run)).toHaveLength(processes);

  const alone = await connect('--standalone');
  expect((await alone.client.listTools()).tools.map(({ name }) => name)).toContain('slow__work');
  expect(survivors(run).length).toBeGreaterThan(processes);
  await alone.client.close();

  let hear = () => {};
  const begun = new Promise<void>((resolve) => (hear = resolve));
  const calling = client.callTool({ name: 'work' }, { onprogress: () => hear() });
  await begun;
  const ended = new Promise<void>((resolve) => (transport.onclose = resolve));
  up.child.kill('SIGINT');
  expect(JSON.stringify((await calling).content)).toContain('The host is shutting down.');
  await ended;
  expect(await up.ended).toBe(130);
  await expect.poll(() => survivors(run)).toEqual([]);
});

test('who only closes its input hears all answers through a running up, too', async () => {
  const { up, home, cwd } = await servedUp({ plugins: { talker: gassist('well-behaved', newRun()) } });
  const { stdout, stderr, exitCode } = await cli(['serve', '--stdio'], { home, cwd, input });
  expect(answered(stdout)).toEqual([1, 2]);
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  up.child.kill('SIGINT');
  expect(await up.ended).toBe(130);
});

test('beside an up that is frozen it serves its client by itself', async () => {
  const { up, home, cwd } = await servedUp({ plugins: { talker: gassist('well-behaved', newRun()) } });
  up.child.kill('SIGSTOP');
  onTestFinished(() => void up.child.kill('SIGCONT'));
  const { stdout, exitCode } = await cli(['serve', '--stdio'], { home, cwd, input });
  expect(answered(stdout)).toEqual([1, 2]);
  expect(exitCode).toBe(0);
  // Who asks for the running one is told that it says nothing.
  const status = await cli(['status'], { home, cwd });
  expect(status.exitCode).toBe(124);
  expect(status.stderr).toMatch(/did not answer within 5000 ms.*or use --standalone/);
  up.child.kill('SIGCONT');
  up.child.kill('SIGINT');
  expect(await up.ended).toBe(130);
});

const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'echo', version: '1' } },
};
const call = {
  jsonrpc: '2.0',
  id: 2,
  method: 'tools/call',
  params: { name: 'count', arguments: { to: 1 } },
};
const input = [hello, { jsonrpc: '2.0', method: 'notifications/initialized' }, call]
  .map((message) => `${JSON.stringify(message)}\n`)
  .join('');

function answered(stdout: string): unknown[] {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id?: number })
    .flatMap(({ id }) => id ?? []);
}
