// `pluglot inspect` and `tools` as people meet them.
import path from 'node:path';
import { expect, test } from 'vitest';
import { cli, fixture } from '../support/surface/command-line.ts';
import { mcpHttpServer } from '../support/dialect/mcp/raw-http-server.ts';
import { newRun, survivors } from '../support/fleet/process-table.ts';
import { root } from '../support/project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const example = (file: string) => path.join(root, 'examples', file);

test('a program is asked which dialect it speaks, and nothing of that is left', async () => {
  const run = newRun();
  const home = temporaryFolder();
  const { exitCode, stdout, stderr } = await cli(
    ['inspect', '--', 'node', example('mcp-dice/server.mjs'), run],
    {
      home,
    },
  );
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toMatch(/^dice 1\.0\.0 {2}speaks mcp/);
  expect(stdout).toMatch(/Tools\n {2}roll\n {4}Rolls dice.*\n {4}· dice: string\n {6}How many/);
  for (const line of stdout.split('\n').filter((one) => !one.includes('command')))
    expect(line.length).toBeLessThanOrEqual(80);
  expect(survivors(run)).toEqual([]);
});

test('--json is one line; a manifest beside the program tells what the plugin does not', async () => {
  const plugin = example('gassist-countdown/plugin.mjs');
  const { stdout } = await cli(['inspect', '--json', '--', 'node', plugin], { home: temporaryFolder() });
  expect(stdout.indexOf('\n')).toBe(stdout.length - 1);
  expect(JSON.parse(stdout)).toMatchObject({
    plugin: 'gassist-countdown',
    name: 'gassist-countdown',
    version: '1.0.0',
    dialect: 'gassist',
    health: { status: 'ok' },
    tools: [
      { name: 'countdown', inputSchema: { properties: { from: { type: 'integer' } }, required: ['from'] } },
      { name: 'launch' },
    ],
    command: `node ${plugin}`,
    manifest: expect.any(Object) as object,
  });
});

test('a plugin on the SDK, which speaks all dialects, is the same plugin every time', async () => {
  const plugin = path.join(root, 'examples/word-tools/plugin.mjs');
  const { stdout } = await cli(['inspect', '--json', '--', 'node', plugin], { home: temporaryFolder() });
  expect(JSON.parse(stdout)).toMatchObject({ dialect: 'mcp', tools: [{ name: 'count_words' }] });
});

test('a program that is no plugin: 3, with its last words', async () => {
  const run = newRun();
  const words = ['inspect', '--', 'node', '-e', 'console.error("no such option"); process.exit(5)', run];
  const { exitCode, stdout, stderr } = await cli(words, { home: temporaryFolder() });
  expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
  expect(stderr).toMatch(
    /exited with code 5 before it had answered in any dialect\. \(PLUGIN_EXITED\)\n.*\| no such option\n$/s,
  );
  expect(survivors(run)).toEqual([]);
  // With -v it is shown as it comes, once.
  const verbose = await cli(['inspect', '-v', ...words.slice(1)], { home: temporaryFolder() });
  expect(verbose.stderr.match(/^.*no such option$/gm)).toEqual(['| no such option']);
});

test('an extension that cannot set itself up is recognised, and says why', async () => {
  const args = [fixture('gevals/like-the-go-sdk.mjs'), '--without-kubeconfig'];
  const home = temporaryFolder({
    'pluglot/pluglot.json': {
      plugins: { kubernetes: { command: 'node', args, limits: { startMs: 2000 }, restart: { max: 0 } } },
    },
  });
  expect(await cli(['inspect', 'kubernetes'], { home, cwd: home })).toEqual({
    exitCode: 3,
    stdout: '',
    stderr:
      '✗ Plugin "kubernetes" answered initialize with error -32603: initialization failed: no kubeconfig at ~/.kube/config. (START_FAILED)\n',
  });
});

test('all at once: one that is broken hides no other; servers are reached; headers and variables are not shown', async () => {
  const server = await mcpHttpServer();
  const home = temporaryFolder({
    'pluglot/pluglot.json': {
      plugins: {
        broken: {
          command: 'node',
          args: [fixture('gassist/crashes-at-start.mjs')],
          dialect: 'gassist',
          restart: { max: 0 },
        },
        reached: { url: server.url, headers: { Authorization: 'Bearer ${env:SECRET}' } },
        count: {
          command: 'node',
          args: [example('gassist-countdown/plugin.mjs')],
          env: { KEY: '${env:SECRET}' },
        },
      },
    },
  });
  const options = { home, cwd: home, env: { SECRET: 'sk-very-secret-value' } };
  const [all, tools] = [await cli(['inspect', '-vv'], options), await cli(['tools'], options)];
  expect(all.exitCode).toBe(3);
  expect(all.stderr).toContain('✗ Plugin "broken" exited with code 3. (PLUGIN_EXITED)\n');
  expect(all.stderr).toContain('  | config.json is missing\n');
  expect(all.stdout).toMatch(/speaks mcp {2}known as reached\n/);
  expect(all.stdout).toMatch(/gassist-countdown 1\.0\.0 {2}speaks gassist {2}known as count\n/);
  // Some are listed, and that one is missing is told.
  expect(tools.exitCode).toBe(3);
  expect(tools.stdout).toMatch(/^TOOL +PLUGIN +WHAT IT DOES\n/);
  expect(tools.stdout).toMatch(/^count__countdown +count +Counts down/m);
  expect(tools.stderr).toContain('✗ broken: ');
  expect(server.seen.some(({ headers }) => headers.authorization === 'Bearer sk-very-secret-value')).toBe(
    true,
  );
  for (const text of [all.stdout, all.stderr, tools.stdout, tools.stderr])
    expect(text).not.toContain('sk-very-secret-value');
});

test('many plugins are asked at once, and nobody warns of that', async () => {
  const dice = { command: 'node', args: [example('mcp-dice/server.mjs')], dialect: 'mcp' };
  const names = Array.from({ length: 12 }, (_, index) => `dice-${index}`);
  const home = temporaryFolder({
    'pluglot/pluglot.json': { plugins: Object.fromEntries(names.map((name) => [name, dice])) },
  });
  const { exitCode, stdout, stderr } = await cli(['inspect', '--json'], { home, cwd: temporaryFolder() });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect((JSON.parse(stdout) as { plugin: string }[]).map(({ plugin }) => plugin)).toEqual(names);
});
