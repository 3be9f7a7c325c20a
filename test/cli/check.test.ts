// `pluglot check` as people and build machines meet it: its output, its files, its exit codes, and that nothing is left of it.
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { CheckReport } from '../../src/conformance/report.ts';
import { cli, fixture, startCli } from '../support/surface/command-line.ts';
import { newRun, survivors } from '../support/fleet/process-table.ts';
import { root } from '../support/project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test.for([
  ['gassist', 'gassist-countdown/plugin.mjs'],
  ['gevals', 'gevals-workspace/extension.mjs'],
  ['mcp', 'mcp-clock/server.py'],
  ['mcp', 'mcp-dice/server.mjs'],
  ['planner', 'planner-words/plugin.mjs'],
  ['yams', 'yams-markdown/plugin.mjs'],
] as const)('the example for %s has nothing to fix: %s', async ([dialect, file], { expect }) => {
  const program = file.endsWith('.py') ? 'python3' : 'node';
  const { stdout, exitCode } = await check('--json', '--', program, path.join(root, 'examples', file));
  const { results, ...report } = JSON.parse(stdout) as CheckReport;
  expect(results.filter(({ verdict, severity }) => verdict === 'failed' && severity !== 'info')).toEqual([]);
  expect(report).toMatchObject({ dialect, grade: 'A', ok: true });
  expect(exitCode).toBe(0);
});

test('a plugin with errors: the scorecard, exit code 1, and files for machines', async () => {
  const folder = temporaryFolder();
  const [junit, badge] = [path.join(folder, 'reports/junit.xml'), path.join(folder, 'badge.svg')];
  const some = ['--only', 'bad-json', '--only', 'manifest:name'];
  const files = ['--junit', junit, '--badge', badge];
  const twin = ['--dialect', 'gevals', '--', 'node', fixture('twins/gevals.mjs'), 'fault:bad-json'];
  const { stdout, exitCode } = await check(...some, ...files, ...twin);
  expect(stdout).toContain('  Manifest  ✓  1\n');
  expect(stdout).toContain('    ✗ A message that is not JSON does not end the plugin  fault:bad-json\n');
  expect(stdout).toMatch(/Grade F {2}1 passed · 1 error · .* s\n$/);
  expect(exitCode).toBe(1);
  expect(fs.readFileSync(junit, 'utf8')).toContain('tests="2" failures="1"');
  expect(fs.readFileSync(badge, 'utf8')).toContain('grade F, 1 of 2 checks passed');
});

test('the tool and the slow tool can be named, and a handler that blocks is named by the report', async () => {
  const tools = ['--tool', 'repeat', 'text=hello', '--slow-tool', 'repeat', '{"text":"long"}'];
  const twin = ['--dialect', 'mcp', '--', 'node', fixture('twins/mcp.mjs'), 'fault:ping-during-call'];
  const { stdout } = await check('--json', '--only', 'ping-during-call', ...tools, ...twin);
  const { results, tool } = JSON.parse(stdout) as CheckReport;
  expect(tool).toBe('repeat');
  expect(results[0]?.seen).toMatch(/^The handler of "repeat" blocks: /);
});

test.for([
  ['gevals', 'gevals/crashes-at-start.mjs', 3, 'START_FAILED'],
  ['gevals', 'gevals/refuses-to-initialize.mjs', 3, 'START_FAILED'],
  ['gevals', 'no-such-file.mjs', 3, 'START_FAILED'],
] as const)(
  'what cannot be started is no failed check: %s %s',
  async ([dialect, file, code, word], { expect }) => {
    const { stdout, stderr, exitCode } = await check('--dialect', dialect, '--', 'node', fixture(file));
    expect(stderr).toContain(word);
    expect(stdout).toBe('');
    expect(exitCode).toBe(code);
  },
);

test.for([
  [
    ['--only', 'nonsense', '--dialect', 'mcp', '--', 'node', 'x.mjs'],
    'No check has an id with "nonsense" in it.',
  ],
  [['--'], 'Nothing stands behind `--`.'],
  [[], 'Name a plugin, or give the command that starts it'],
  [['nobody'], 'There is no plugin "nobody".'],
  [['dice', '--', 'node', 'x.mjs'], 'Give either the name of a plugin or a command'],
  [['--tool', 'roll', 'dice', '--', 'node', 'x.mjs'], '"dice" is not an argument.'],
] as const)('wrong usage: %j', async ([words, message], { expect }) => {
  const { stderr, exitCode } = await check(...words);
  expect(stderr).toContain(message);
  expect(exitCode).toBe(2);
});

test('a configured plugin is checked by its name, as it is configured', async () => {
  const twin = { command: 'node', args: [fixture('twins/gevals.mjs')], dialect: 'gevals' };
  const home = temporaryFolder({
    'pluglot/pluglot.json': { plugins: { files: twin, docs: { url: 'http://127.0.0.1:1/mcp' } } },
    'work/pluglot.json': { plugins: { theirs: twin } },
  });
  const run = (...words: readonly string[]) =>
    cli(['check', ...words, '--only', 'manifest:name'], { home, cwd: path.join(home, 'work') });
  const { stdout, exitCode } = await run('files');
  expect(stdout).toMatch(/^files {2}checked as gevals, .*Grade A {2}1 passed/s);
  expect(exitCode).toBe(0);
  expect((await run('docs')).stderr).toContain('Plugin "docs" cannot be checked: it is only reached');
  expect(await run('theirs')).toMatchObject({
    exitCode: 4,
    stderr: expect.stringContaining('pluglot trust add') as string,
  });
});

test('interrupted in the middle, it leaves nothing behind', async () => {
  const run = newRun();
  const plugin = fixture('gevals/hangs-in-execute.mjs');
  const running = startCli(['check', '--dialect', 'gevals', '--', 'node', plugin, run], {
    home: temporaryFolder(),
  });
  // The command itself is the first.
  await expect.poll(() => survivors(run).length).toBeGreaterThan(1);
  running.child.kill('SIGINT');
  expect(await running.ended).toBe(130);
  await expect.poll(() => survivors(run)).toEqual([]);
});

function check(...words: readonly string[]) {
  return cli(['check', ...words], { home: temporaryFolder() });
}
