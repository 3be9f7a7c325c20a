// What the author's code prints goes to the log of the host, and never between the messages.
import { describe, expect, test } from 'vitest';
import { execute, root } from '../support/project.ts';
import { logged, serveProgram } from './served-program.ts';

test('prints are logged line by line, with their level', async () => {
  const { host, execute, answer, ended, stderr } = serveProgram('many-ways.mjs');
  execute(1, 'print');
  expect(await answer()).toMatchObject({ id: 1, result: { message: 'printed' } });
  host.end();
  expect(await ended).toBe(0);
  expect(await stderr).toBe('');
  const entries = logged(host);
  for (const entry of [
    { level: 'info', message: 'from console.log' },
    { level: 'info', message: 'from console.info 1' },
    { level: 'debug', message: 'from console.debug' },
    { level: 'warn', message: 'from console.warn' },
    { level: 'error', message: 'from console.error' },
    { level: 'info', message: expect.stringContaining("'console.table'") as string },
    { level: 'info', message: 'from a console.log that was kept' },
    { level: 'info', message: 'from process.stdout' },
    { level: 'info', message: 'from fs.writeSync' },
    { level: 'info', message: 'from fs.write' },
  ]) {
    expect(entries).toContainEqual(entry);
  }
});

describe('a print without an end of line', () => {
  const half = { level: 'info', message: 'half a line' };

  test.each(['printHalf', 'printHalfInThread'])(
    'is logged before the answer to its call (%s)',
    async (tool) => {
      const { host, execute, answer, ended } = serveProgram('many-ways.mjs');
      execute(1, tool);
      expect(await answer()).toMatchObject({ id: 1, result: { message: 'printed' } });
      expect(logged(host)).toEqual([half]);
      host.end();
      expect(await ended).toBe(0);
    },
  );

  test('is logged in the words of MCP too', async () => {
    const { host, answer } = serveProgram('many-ways.mjs', { args: ['--dialect', 'mcp'] });
    host.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'printHalf', arguments: {} } });
    expect(await answer()).toMatchObject({ id: 1, result: { content: [{ text: 'printed' }] } });
    expect(host.received[0]).toMatchObject({
      method: 'notifications/message',
      params: { level: 'info', data: 'half a line' },
    });
  });

  test.each([
    ['the host says goodbye', 0],
    ['the host closes its side', 0],
    ['SIGTERM', 143],
  ])('is logged when it comes with the end: %s', async (how, exitCode) => {
    const { child, host, execute, answer, ended } = serveProgram('many-ways.mjs', {
      env: { LAST_WORDS: 'last words' },
    });
    execute(1, 'greet', { name: 'you' });
    await answer();
    if (how === 'SIGTERM') child.kill('SIGTERM');
    else if (how === 'the host closes its side') host.end();
    else host.send({ jsonrpc: '2.0', id: 2, method: 'shutdown', params: {} });
    expect(await ended).toBe(exitCode);
    await host.inputEnded;
    expect(logged(host)).toEqual([{ level: 'info', message: 'last words' }]);
  });
});

test('what goes to stderr stays there, and may go nowhere', async () => {
  const { child, host, execute, answer, ended, stderr } = serveProgram('many-ways.mjs');
  execute(1, 'printToStderr');
  expect(await answer()).toMatchObject({ id: 1, result: { message: 'printed' } });
  child.stderr.destroy();
  for (const id of [2, 3]) {
    execute(id, 'printToStderr');
    expect(await answer()).toMatchObject({ id, result: { message: 'printed' } });
  }
  host.end();
  expect(await ended).toBe(0);
  expect('from stderr\n').toContain(await stderr);
  expect(logged(host)).toEqual([]);
});

test('more prints than the host reads are dropped and counted, and the answer still comes', async () => {
  const { host, execute, answer, ended } = serveProgram('many-ways.mjs');
  host.pause();
  execute(1, 'flood');
  execute(2, 'greet', { name: 'you' });
  host.resume();
  expect(await answer()).toMatchObject({ id: 1, result: { message: 'flooded' } });
  expect(await answer()).toMatchObject({ id: 2, result: { message: 'Hello, you!' } });
  host.end();
  expect(await ended).toBe(0);
  const [first, ...others] = logged(host);
  expect(first).toEqual({ level: 'info', message: 'line 0' });
  expect(others.at(-1)?.message).toMatch(/lines were printed than the host read|^line 199999$/);
});

describe('where stdout is a pipe, as under most hosts that are not written in Node', () => {
  const request = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'execute',
    params: { operation: 'printPastNode', args: {}, context: {} },
  });
  const answer = '{"jsonrpc":"2.0","id":1,"result":{"success":true,"message":"printed"}}\n';
  test('prints of child processes go to stderr', async () => {
    const script = `(echo "$1" | "$0" test/plugins/sdk/many-ways.mjs | sed 's/^/wire: /') 2>&1 | cat`;
    const { stdout } = await execute('sh', ['-c', script, process.execPath, request], { cwd: root });
    expect(stdout.split('\n').toSorted()).toEqual(['', `wire: ${answer.trim()}`, 'from a child'].toSorted());
  });

  test('or nowhere, when stderr is the same pipe', async () => {
    const script = `echo "$1" | "$0" test/plugins/sdk/many-ways.mjs 2>&1 | cat`;
    const { stdout } = await execute('sh', ['-c', script, process.execPath, request], { cwd: root });
    expect(stdout).toBe(answer);
  });
});
