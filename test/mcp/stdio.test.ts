// `pluglot serve --stdio` as clients of MCP start it: a whole runtime behind a pipe of a process of its own.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it, onTestFinished } from 'vitest';
import { execute, root } from '../support/project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const main = path.join(root, 'dist/surface/cli/main.js');

function project() {
  const folder = temporaryFolder();
  const config = path.join(folder, 'mine.json');
  writeFileSync(
    config,
    JSON.stringify({
      plugins: {
        fixture: { dialect: 'mcp', command: path.join(root, 'test/mcp-conformance/fixture-server.mjs') },
        broken: { dialect: 'mcp', command: path.join(root, 'test/plugins/mcp/crashes-before-hello.mjs') },
      },
    }),
  );
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, PLUGLOT_HOME: path.join(folder, 'home') };
  return { folder, env, args: [main, 'serve', '--stdio', '--config', config] };
}

it.each(['legacy', 'modern'] as const)(
  'a client of the %s era lists and calls, and its user allows it',
  async (era) => {
    const { folder, env, args } = project();
    const transport = new StdioClientTransport({
      command: process.execPath,
      args,
      env,
      cwd: folder,
      stderr: 'pipe',
    });
    const client = new Client(
      { name: 'tester', version: '1.0.0' },
      {
        capabilities: { elicitation: { form: {} }, sampling: {} },
        ...(era === 'modern' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {}),
      },
    );
    const asked: string[] = [];
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message);
      return { action: 'accept', content: { decision: 'allow' } };
    });
    client.setRequestHandler('sampling/createMessage', () => ({
      role: 'assistant',
      model: 'm',
      content: { type: 'text', text: 'as you say' },
    }));
    await client.connect(transport);
    onTestFinished(() => client.close());
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('fixture__test_simple_text');
    const said = await client.callTool({ name: 'fixture__test_simple_text' });
    expect(said.content).toEqual([{ type: 'text', text: 'This is a simple text response for testing.' }]);
    expect(asked[0]).toContain('fixture__test_simple_text');
    const sampled = await client.callTool({ name: 'test_sampling', arguments: { prompt: 'Say it' } });
    expect(sampled.content).toEqual([{ type: 'text', text: 'LLM response: as you say' }]);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toContain('fixture__test_simple_prompt');
  },
);

it('a call under way when it is ended is answered with why', async () => {
  const { folder, env, args } = project();
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    env,
    cwd: folder,
    stderr: 'pipe',
  });
  const client = new Client(
    { name: 'tester', version: '1.0.0' },
    { capabilities: { elicitation: { form: {} }, sampling: {} } },
  );
  client.setRequestHandler('elicitation/create', () => ({
    action: 'accept',
    content: { decision: 'allow' },
  }));
  const asked = new Promise<void>((resolve) => {
    client.setRequestHandler('sampling/createMessage', () => {
      resolve();
      return new Promise(() => {});
    });
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const called = client.callTool({ name: 'test_sampling', arguments: { prompt: 'Say it' } });
  await asked;
  if (transport.pid !== null) process.kill(transport.pid, 'SIGTERM');
  const result = await called;
  expect(result.isError).toBe(true);
  expect(JSON.stringify(result.content)).toContain('The host is shutting down.');
});

it('who only closes its input hears all answers, and nothing else is on stdout', async () => {
  const { folder, env, args } = project();
  const lines = [
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'echo', version: '1' } },
    },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'test_simple_text', arguments: {} } },
  ];
  const input = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const { stdout, stderr, exitCode } = await execute(process.execPath, args, { cwd: folder, env, input });
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number; result: { isError?: boolean } });
  expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([1, 2, 3]));
  // Nobody is there who could allow it.
  expect(answers.find(({ id }) => id === 3)?.result.isError).toBe(true);
  expect(stderr).toContain('broken');
  expect(exitCode).toBe(0);
});
