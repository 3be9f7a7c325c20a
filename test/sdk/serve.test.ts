// serve() from the outside: real processes, from the first byte of a host to the exit.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Answer } from '../../src/definition/outcome.ts';
import { hostDialects } from '../../src/dialect/hosts.ts';
import { callAndHear, hostAndProgram } from '../support/dialect/dialect-host.ts';
import { execute, root } from '../support/project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { logged, serveProgram, untilLogged } from './served-program.ts';

const sdk = pathToFileURL(path.join(root, 'dist/sdk/index.js')).href;
const program = `${root}/test/plugins/sdk/many-ways.mjs`;

describe('the dialect', () => {
  test('is recognised', async () => {
    const { host, execute, answer, ended } = serveProgram('many-ways.mjs');
    execute(1, 'greet', { name: 'you' });
    expect(await answer()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { success: true, message: 'Hello, you!' },
    });
    host.end();
    expect(await ended).toBe(0);
  });

  test.each([
    ['--dialect', ['--dialect', 'gevals'], {}],
    ['PLUGLOT_DIALECT', [], { PLUGLOT_DIALECT: 'gevals' }],
  ])('is named by %s: then no first words are needed', async (_, args, env) => {
    const { host, answer, ended } = serveProgram('many-ways.mjs', { args, env });
    host.send({ jsonrpc: '2.0', id: 'x', method: 'tools/list' });
    expect(await answer()).toMatchObject({ id: 'x', error: { code: -32601 } });
    host.end();
    expect(await ended).toBe(0);
  });

  test('that nobody knows is refused with those that there are', async () => {
    expect(await execute(process.execPath, [program, '--dialect', 'gevls'])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `--dialect is "gevls"; expected one of gassist, gevals, mcp, planner, yams. Did you mean "gevals"?\n`,
    });
  });

  test('is not guessed from garbage, and what follows is heard', async () => {
    const { host, execute, answer, ended, stderr } = serveProgram('many-ways.mjs');
    host.write('What is this?\n');
    expect(await answer()).toMatchObject({ id: null, error: { code: -32700 } });
    execute(1, 'greet', { name: 'you' });
    expect(await answer()).toMatchObject({ id: 1, result: { success: true } });
    host.end();
    expect(await ended).toBe(0);
    expect(await stderr).toContain('The host began with "What is this?"');
  });
});

test('a flood of garbage is answered as far as it is read, told once, and forgotten', async () => {
  const { host, execute, answer, ended, stderr } = serveProgram('many-ways.mjs');
  host.write('garbage\n'.repeat(200_000));
  execute(1, 'greet', { name: 'you' });
  let last = await answer();
  while (last.id !== 1) last = await answer();
  expect(last).toMatchObject({ result: { message: 'Hello, you!' } });
  host.end();
  expect(await ended).toBe(0);
  expect((await stderr).match(/The host began with/g)).toHaveLength(1);
});

describe('the command line', () => {
  test('has a configuration for hosts that give none', async () => {
    const { host, execute, answer, ended } = serveProgram('many-ways.mjs', {
      args: ['--config', '{"greeting":"Good day"}'],
    });
    execute(1, 'greet', { name: 'you' });
    expect(await answer()).toMatchObject({ result: { message: 'Good day, you!' } });
    host.end();
    expect(await ended).toBe(0);
  });

  test('asks for help', async () => {
    const { exitCode, stdout, stderr } = await execute(process.execPath, [program, '--help'], {
      cwd: path.dirname(program),
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain('many-ways 1.0.0: Does what it is asked, in many ways');
    expect(stdout).toContain('Usage: node many-ways.mjs [options]');
    expect(stdout).toMatch(/^ {2}greet +Greets$/m);
    expect(stdout).toContain('To try it: pluglot inspect -- node many-ways.mjs\n');
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });
});

test('a manifest that a dialect cannot have is refused in words', async () => {
  const odd = `
    import { definePlugin, serve } from 'pluglot/sdk';
    serve(definePlugin({ name: 'odd', version: '1.0.0', tools: { rise_up: { handler: () => 'up' } } }));
  `;
  const file = path.join(temporaryFolder({ 'odd.mjs': odd.replace('pluglot/sdk', sdk) }), 'odd.mjs');
  const { exitCode, stdout, stderr } = await execute(process.execPath, [file, '--manifest', 'gassist']);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toMatch(/^Tool "rise_up" of plugin "odd" cannot have this name in G-Assist.*\n$/);
});

describe('a program ends', () => {
  test('when its host says nothing at all', async () => {
    expect(await execute(process.execPath, [program])).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  });

  test('when its host has closed its side, after it has answered all that was asked', async () => {
    const { host, execute, answer, ended } = serveProgram('many-ways.mjs');
    for (const id of [1, 2, 3]) execute(id, 'wait', { ms: 20 });
    host.end();
    for (const id of [1, 2, 3]) expect(await answer()).toMatchObject({ id, result: { message: 'waited' } });
    expect(await ended).toBe(0);
  });

  test('when its host is gone, though a call hangs and a timer runs', async () => {
    const { child, host, execute, ended } = serveProgram('many-ways.mjs', { env: { LINGER_MS: '100' } });
    execute(1, 'hang');
    await untilLogged(host, 'hanging');
    child.stdout.destroy();
    child.stdin.destroy();
    expect(await ended).toBe(1);
  });

  test('when its host does not read any more', async () => {
    const { child, execute, answer, ended } = serveProgram('many-ways.mjs');
    execute(1, 'greet', { name: 'you' });
    await answer();
    child.stdout.destroy();
    // Its answer finds nobody.
    execute(2, 'greet', { name: 'nobody' });
    expect(await ended).toBe(0);
  });

  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ] as const)('by %s, and what runs is answered first', async (signal, exitCode) => {
    const { child, host, execute, answer, ended } = serveProgram('many-ways.mjs');
    execute(1, 'hang');
    await untilLogged(host, 'hanging');
    child.kill(signal);
    expect(await answer()).toMatchObject({ id: 1, result: { success: false } });
    expect(await ended).toBe(exitCode);
  });

  describe.each(Object.entries(hostDialects))('in %s', (name, load) => {
    const served = async (tool: string) => {
      const args = ['--dialect', name];
      const { running, connected, told } = hostAndProgram(await load(), 'sdk/many-ways.mjs', { args });
      const { answer, events } = callAndHear(await connected, { tool });
      // Some dialects have no word for logs.
      const printed = () => running.stderr() + JSON.stringify([told.logs, events]);
      return { running, answer, printed };
    };

    test('by SIGTERM, and what runs is answered first', async () => {
      const { running, answer, printed } = await served('hang');
      await expect.poll(printed, { timeout: 10_000 }).toContain('hanging');
      running.signal('SIGTERM');
      expect(failureOf(await answer)).toContain('Plugin "many-ways" ends.');
      expect(await running.exited).toMatchObject({ kind: 'exited', exitCode: 143 });
    });

    test('by an uncaught error, and what runs is answered first', async () => {
      const { running, answer } = await served('throwLater');
      expect(failureOf(await answer)).toContain('nobody catches this');
      expect(await running.exited).toMatchObject({ kind: 'exited', exitCode: 1 });
    });
  });

  test('by a signal before its host has said anything', async () => {
    const { child, host, ended } = serveProgram('many-ways.mjs');
    // Once it answers, it listens to signals.
    host.write('garbage\n');
    await host.next();
    child.kill('SIGTERM');
    expect(await ended).toBe(143);
  });

  test.each([
    ['throwLater', 'nobody catches this'],
    ['rejectLater', 'nobody hears this'],
  ])('by an uncaught error (%s), and what runs is answered first', async (tool, message) => {
    const { host, execute, answer, ended, stderr } = serveProgram('many-ways.mjs');
    execute(1, tool);
    expect(await answer()).toMatchObject({
      id: 1,
      error: { code: -32603, message: `The plugin ends after an uncaught error: ${message}` },
    });
    expect(await ended).toBe(1);
    expect(logged(host)).toMatchObject([
      { level: 'error', message: expect.stringContaining(message) as string },
    ]);
    expect(await stderr).toContain(message);
  });
});

function failureOf(answer: Answer): string {
  return answer.ok ? 'It did not fail.' : answer.error.message;
}
