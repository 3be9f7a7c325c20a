// The official conformance suite and the inspector's command line against /mcp, with the suite's fixture server as a plugin behind it.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { testEndpoint } from '../support/surface/mcp-endpoint.ts';
import { execute, root } from '../support/project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { installed } from './install.ts';
import { clientScenarios, fixture, fixtureAlone, runClient, runSuite, underOwnNames } from './suite.ts';

const expected = JSON.parse(
  readFileSync(path.join(root, 'test/mcp-conformance/expected-failures.json'), 'utf8'),
) as Record<'server' | 'client', Record<string, string>>;

it(
  'fails in nothing in which the server behind it does not fail by itself',
  { timeout: 900_000 },
  async (context) => {
    const modules = await installed(context, 'mcp-conformance');
    const { url } = await testEndpoint({ specs: [fixture] });
    const through = await runSuite(modules, await underOwnNames(url));
    expect(through.passed.length, through.output.slice(-2000)).toBeGreaterThan(25);
    expect(through.failed.filter((name) => !Object.hasOwn(expected.server, name))).toEqual([]);
    // What is expected to fail does, and also without us.
    expect(Object.keys(expected.server).filter((name) => !through.failed.includes(name))).toEqual([]);
    if (through.failed.length === 0) return;
    const alone = await runSuite(modules, await fixtureAlone());
    expect(through.failed.filter((name) => !alone.failed.includes(name))).toEqual([]);
  },
);

it('our client passes what it is expected to', { timeout: 900_000 }, async (context) => {
  const modules = await installed(context, 'mcp-conformance');
  const { passed, failed, output } = await runClient(modules, await clientScenarios(modules));
  const others = failed.filter((name) => !Object.hasOwn(expected.client, name));
  expect(others, output).toEqual([]);
  expect(Object.keys(expected.client).filter((name) => !failed.includes(name))).toEqual([]);
  expect(passed).toHaveLength(18);
});

it('is listed and called by the inspector, over HTTP and stdio', { timeout: 600_000 }, async (context) => {
  const modules = await installed(context, 'mcp-conformance');
  const inspector = path.join(modules, '@modelcontextprotocol/inspector-cli/build/cli.js');
  const inspect = async (...args: readonly string[]) => {
    const { stdout, stderr } = await execute(process.execPath, [inspector, '--cli', ...args], {
      cwd: temporaryFolder(),
    });
    expect(stdout, stderr).toMatch(/^\{/);
    return JSON.parse(stdout) as { tools?: { name: string }[]; content?: object[] };
  };
  const { url } = await testEndpoint({ specs: [fixture] });
  const overHttp = [url.href, '--transport', 'http'];
  const overStdio = ['--config', inspectorConfig(), '--server', 'pluglot'];
  for (const way of [overHttp, overStdio]) {
    const { tools = [] } = await inspect(...way, '--method', 'tools/list');
    expect(tools.map(({ name }) => name)).toContain('fixture__test_simple_text');
    for (const name of ['fixture__test_simple_text', 'test_simple_text']) {
      const { content } = await inspect(...way, '--method', 'tools/call', '--tool-name', name);
      expect(content).toHaveLength(1);
    }
  }
});

/** How the inspector starts us, as any client does. */
function inspectorConfig(): string {
  const folder = temporaryFolder();
  const ours = path.join(folder, 'pluglot.json');
  const theirs = path.join(folder, 'inspector.json');
  const command = fixture.start.kind === 'program' ? fixture.start.command : '';
  writeFileSync(ours, JSON.stringify({ plugins: { fixture: { dialect: 'mcp', command } } }));
  const args = [path.join(root, 'dist/surface/cli/main.js'), 'serve', '--stdio', '--config', ours];
  const server = { command: process.execPath, args, env: { PLUGLOT_HOME: path.join(folder, 'home') } };
  writeFileSync(theirs, JSON.stringify({ mcpServers: { pluglot: server } }));
  return theirs;
}
