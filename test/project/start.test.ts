// `npm start` in a fresh clone: builds, shows the screen, serves a tool of every dialect, and leaves nothing behind.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { environment } from '../support/surface/command-line.ts';
import { processesWith } from '../support/fleet/process-table.ts';
import { execute, root } from '../support/project.ts';
import { callOverHttp, getJson, mcpClient, ofEachDialect, servedAt } from '../support/surface/running-up.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('npm start in a fresh clone', { timeout: 600_000 }, async () => {
  const clone = await freshClone();
  fs.writeFileSync(path.join(clone, 'note.txt'), 'hello');
  const home = temporaryFolder();
  const mark = `START_TEST=${home}`;
  const child = spawn(process.execPath, ['scripts/start.mjs', '--port', '0'], {
    cwd: clone,
    env: { ...environment({ home }), START_TEST: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise((resolve) => child.once('close', (code) => resolve(code)));
  await new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (stdout.includes('plugins are ready')) resolve();
    });
    void ended.then(() => reject(new Error(stdout + stderr)));
  });
  expect(stderr).toContain('build');
  expect(stdout).toMatch(/(\d) of \1 plugins are ready\./);
  for (const client of ['claude mcp add', 'gemini mcp add', 'code --add-mcp', '.cursor/mcp.json'])
    expect(stdout).toContain(client);

  const served = servedAt(stdout);
  expect(await (await fetch(served.url)).text()).toContain('<script');
  const { plugins } = (await getJson(served, '/api/v1/plugins')) as { plugins: { dialect: string }[] };
  const dialects = new Set(plugins.map(({ dialect }) => dialect));
  const client = await mcpClient(served);
  const { tools } = await client.listTools();
  for (const [dialect, tool, args, says] of ofEachDialect) {
    expect(dialects).toContain(dialect);
    const outcome = await callOverHttp(served, tool, args);
    expect(outcome, tool).toMatchObject({ ok: true });
    expect(JSON.stringify(outcome)).toMatch(says);
    // Names of MCP have no dots: then our server gives the full name, a text, in `_meta`.
    const listed = tools.find(({ name, _meta: { 'pluglot/name': full = name } = {} }) =>
      (full as string).endsWith(`__${tool}`),
    );
    const called = await client.callTool({ name: listed?.name ?? 'not listed', arguments: { ...args } });
    expect(called.isError ?? false, `${tool}: ${JSON.stringify(called)}`).toBe(false);
    expect(JSON.stringify(called.content)).toMatch(says);
  }
  const { entries } = (await getJson(served, '/api/v1/traffic')) as { entries: unknown[] };
  expect(entries.length).toBeGreaterThan(10);

  expect(processesWith(mark).length).toBeGreaterThan(0);
  child.kill('SIGINT');
  expect(await ended).toBe(130);
  await expect.poll(() => processesWith(mark)).toEqual([]);
});

/** The files of this checkout and nothing that was made from them; what npm installs is linked, so that this needs no network. */
async function freshClone(): Promise<string> {
  const clone = temporaryFolder();
  const { stdout } = await execute('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  for (const file of stdout.split('\0')) {
    const source = path.join(root, file);
    if (file === '' || !fs.statSync(source, { throwIfNoEntry: false })?.isFile()) continue;
    fs.mkdirSync(path.dirname(path.join(clone, file)), { recursive: true });
    fs.copyFileSync(source, path.join(clone, file));
  }
  fs.mkdirSync(path.join(clone, '.git'));
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(clone, 'node_modules'));
  return clone;
}
