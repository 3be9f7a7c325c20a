// `pluglot doctor` as people and build machines meet it: what is wrong, the way out, the exit code, and that nothing untrusted is run.
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { DoctorReport } from '../../src/runtime/doctor/doctor.ts';
import { cli, fixture, startCli } from '../support/surface/command-line.ts';
import { newRun, survivors } from '../support/fleet/process-table.ts';
import { root } from '../support/project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const example = (file: string) => path.join(root, 'examples', file);

function project(own: object, found: object = {}): { home: string; cwd: string } {
  const home = temporaryFolder({
    'pluglot/pluglot.json': JSON.stringify({ plugins: own }),
    'project/pluglot.json': JSON.stringify({ plugins: found }),
  });
  return { home, cwd: path.join(home, 'project') };
}

test('a healthy project: a line for each plugin, and 0', async () => {
  const where = project({
    dice: { command: 'node', args: [example('mcp-dice/server.mjs')] },
    countdown: { command: 'node', args: [example('gassist-countdown/plugin.mjs')] },
    workspace: { command: 'node', args: [example('gevals-workspace/extension.mjs')], dialect: 'gevals' },
  });
  const { stdout, stderr, exitCode } = await cli(['doctor'], where);
  expect(stdout, stderr).toMatch(/^✓ This machine {2}Node \d/);
  expect(stdout).toMatch(/^✓ dice {7}mcp · 1\.0\.0 · 1 tool · \d+\.\d s$/m);
  expect(stdout).toMatch(/^✓ countdown {2}gassist · /m);
  expect(stdout).toMatch(/3 of 3 plugins fine/);
  expect(exitCode).toBe(0);
});

test('everything that is wrong has its code and its way out; what is not trusted is not run', async () => {
  const run = newRun();
  const where = project(
    {
      crash: { command: 'node', args: [fixture('crashes-at-once.mjs'), run], dialect: 'gevals' },
      gone: { command: 'no-such-program-anywhere' },
      lacks: { command: 'node', args: ['x.mjs'], env: { A: '${env:NOT_SET_ANYWHERE}' } },
      noisy: { command: 'node', args: [fixture('mcp/prints-to-stdout.mjs')], dialect: 'mcp' },
      needy: { command: 'node', args: [fixture('gevals/needs-a-missing-program.mjs')], dialect: 'gevals' },
      off: { command: 'node', disabled: true },
      remote: { url: 'http://127.0.0.1:1/mcp' },
      one: { command: 'node', args: [example('mcp-dice/server.mjs')], dialect: 'mcp' },
      two: { command: 'node', args: [example('mcp-dice/server.mjs')], dialect: 'mcp' },
      broken: { comand: 'node' },
    },
    { hostile: { command: 'touch', args: ['executed'] } },
  );
  const { stdout, exitCode } = await cli(['doctor', '--json'], where);
  const report = JSON.parse(stdout) as DoctorReport;
  const codesOf = (plugin: string) =>
    report.plugins.find(({ name }) => name === plugin)?.findings.map(({ code }) => code);
  expect(codesOf('crash')).toEqual(['exits-at-start']);
  expect(codesOf('gone')).toEqual(['program-missing']);
  expect(codesOf('lacks')).toEqual(['value-missing']);
  expect(codesOf('noisy')).toContain('stdout-noise');
  expect(codesOf('needy')).toContain('requirement-missing');
  expect(codesOf('off')).toEqual(['disabled']);
  expect(codesOf('remote')).toEqual(['server-unreachable']);
  // Two plugins may have tools of the same name: their full names differ.
  expect(codesOf('one')).toEqual([]);
  expect(codesOf('two')).toEqual([]);
  expect(codesOf('hostile')).toEqual(['not-trusted']);
  expect(report.findings.find(({ code }) => code === 'config-broken')?.what).toContain('comand');
  expect(report.findings.find(({ code }) => code === 'exits-at-start')).toMatchObject({
    what: expect.stringContaining('exited with code 7') as string,
    stderr: expect.stringContaining('cannot find the model file') as string,
  });
  const { command } = report.findings.find(({ code }) => code === 'not-trusted') ?? {};
  expect(command).toBe(`pluglot trust add ${fs.realpathSync(where.cwd)}`);
  expect(report.findings.every(({ what, fix }) => what !== '' && fix !== '')).toBe(true);
  expect(fs.existsSync(path.join(where.cwd, 'executed'))).toBe(false);
  expect(exitCode).toBe(1);
  expect(survivors(run)).toEqual([]);
});

test('plugins that run inside of the host are loaded where they are trusted', async () => {
  const manifest = (name: string, plugin: string) =>
    JSON.stringify({ name, type: 'module', pluglot: { plugins: { [plugin]: './plugin.js#createPlugin' } } });
  const home = temporaryFolder({
    'project/package.json': JSON.stringify({ name: 'mine', dependencies: { good: '1', bad: '1' } }),
    'project/node_modules/good/package.json': manifest('good', 'greeter'),
    'project/node_modules/good/plugin.js': `import { definePlugin } from ${JSON.stringify(path.join(root, 'dist/sdk/index.js'))};
      export const createPlugin = () => definePlugin({ name: 'greeter', version: '2.0.0', tools: { greet: { description: 'Greets', input: { type: 'object', properties: { name: { type: 'string' } } }, handler: () => 'hi' } } });`,
    'project/node_modules/bad/package.json': manifest('bad', 'breaker'),
    'project/node_modules/bad/plugin.js': `throw new Error('it is broken');`,
  });
  const where = { home, cwd: path.join(home, 'project') };
  const look = async () =>
    (JSON.parse((await cli(['doctor', '--json'], where)).stdout) as DoctorReport).plugins;
  const before = await look();
  expect(before.flatMap(({ findings }) => findings.map(({ code }) => code))).toEqual([
    'not-trusted',
    'not-trusted',
  ]);
  await cli(['trust', 'add', '.'], where);
  const plugins = await look();
  expect(plugins.find(({ name }) => name === 'greeter')).toMatchObject({
    dialect: 'in-process',
    version: '2.0.0',
    tools: 1,
    findings: [],
  });
  expect(plugins.find(({ name }) => name === 'breaker')?.findings).toMatchObject([
    { code: 'module-broken', what: expect.stringContaining('it is broken') as string },
  ]);
});

test('warnings alone fail with --strict only; one can be asked by its name', async () => {
  const where = project({
    one: { command: 'node', args: [example('mcp-dice/server.mjs')], dialect: 'mcp' },
    noisy: { command: 'node', args: [fixture('mcp/prints-to-stdout.mjs')], dialect: 'mcp' },
  });
  expect((await cli(['doctor', '-q'], where)).exitCode).toBe(0);
  const strict = await cli(['doctor', '-q', '--strict'], where);
  expect(strict.stdout).toMatch(/^1 of 2 plugins fine · 1 warning( · \d hints?)?\n$/);
  expect(strict.exitCode).toBe(1);
  const one = await cli(['doctor', 'one', '--strict'], where);
  expect(one.stdout).toContain('1 of 1 plugin fine');
  expect(one.exitCode).toBe(0);
  const none = await cli(['doctor', 'three'], where);
  expect(none.stderr).toMatch(/no plugin "three"/);
  expect(none.exitCode).toBe(2);
});

test('Ctrl-C ends it at once, and nothing is left', async () => {
  const run = newRun();
  const silent = `process.stderr.write('up'); setInterval(() => {}, 1000)`;
  const where = project({ silent: { command: 'node', args: ['-e', silent, run], dialect: 'mcp' } });
  const running = startCli(['doctor'], where);
  await expect.poll(() => survivors(run).length, { timeout: 20_000 }).toBeGreaterThan(0);
  running.child.kill('SIGINT');
  expect(await running.ended).toBe(130);
  expect(survivors(run)).toEqual([]);
});
