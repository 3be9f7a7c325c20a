// `pluglot serve` as a host meets it: what is on stdout and stderr, how it ends, and that nothing is left of it.
import { expect, test } from 'vitest';
import { cli, fixture, startCli, type CliResult } from '../support/surface/command-line.ts';
import { newRun, survivors } from '../support/fleet/process-table.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const hello = { method: 'initialize', params: { protocolVersion: '0.0.1' } };
const goodbye = { method: 'shutdown', params: {} };

test('a host that says goodbye gets its answers, and nothing is left', async () => {
  const run = newRun();
  const served = await serve(
    ['--as', 'gevals', '--', 'node', fixture('mcp/well-behaved.mjs'), run],
    [hello, execute('add', { a: 1, b: 2 }), goodbye],
  );
  expect(served).toMatchObject({ exitCode: 0, stderr: '' });
  expect(answers(served)).toEqual([
    expect.objectContaining({ name: 'well-behaved' }),
    { success: true, message: '3', outputs: { sum: '3' } },
    {},
  ]);
  expect(survivors(run)).toEqual([]);
});

test('a host that only closes its side gets its answers', async () => {
  const run = newRun();
  const served = await serve(
    ['--as', 'gevals', '--', 'node', fixture('gassist/well-behaved.mjs'), run],
    [execute('count', { to: 3 })],
  );
  expect(served.exitCode).toBe(0);
  expect(served.stdout).toContain('1 2 3 done');
  expect(survivors(run)).toEqual([]);
});

test('without --as the first words of the host tell its dialect', async () => {
  const served = await serve(['--', 'node', fixture('yams/well-behaved.mjs')], [hello, goodbye]);
  expect(answers(served)[0]).toMatchObject({ name: 'well_behaved', protocolVersion: '0.0.1' });
});

test('a host that says nothing is told nothing', async () => {
  const served = await serve(['--', 'node', fixture('yams/well-behaved.mjs')], []);
  expect(served).toEqual({ exitCode: 0, stdout: '', stderr: '' });
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s ends it in the middle of a call', async (signal) => {
  const run = newRun();
  const serving = startCli(['serve', '--as', 'gevals', '--', 'node', fixture('mcp/well-behaved.mjs'), run], {
    home: temporaryFolder(),
  });
  serving.child.stdin.write(lines([hello, execute('wait', {})]));
  await serving.until('stdout', /waiting|"id":1/);
  serving.child.kill(signal);
  expect(await serving.ended).toBe(130);
  expect(survivors(run)).toEqual([]);
});

test('plugins of the project are served by their names, and two tools of one name are told apart', async () => {
  const plugin = (file: string) => ({ command: 'node', args: [fixture(file)] });
  const home = temporaryFolder({
    'pluglot/pluglot.json': {
      plugins: {
        one: { ...plugin('gassist/well-behaved.mjs'), dialect: 'gassist' },
        two: { ...plugin('mcp/well-behaved.mjs'), dialect: 'mcp' },
        unwanted: { command: 'nothing-of-that-name' },
      },
    },
  });
  const served = await serve(
    ['--as', 'gevals', 'one', 'two'],
    [hello, execute('one__count', { to: 2 }), goodbye],
    home,
  );
  const [told, counted] = answers(served) as [{ operations: object }, { message: string }];
  expect(Object.keys(told.operations)).toEqual(
    expect.arrayContaining(['two__add', 'one__count', 'two__count']),
  );
  expect(counted.message).toBe('1 2 done');
});

test.each([
  ['a plugin that is not there', ['--as', 'gevals', 'nobody'], 2, /There is no plugin "nobody"/],
  ['names beside a command', ['--as', 'gevals', 'dice', '--', 'node'], 2, /not both/],
  ['a program that is not there', ['--as', 'gevals', '--', 'no-such-program'], 3, /no-such-program/],
  ['nothing to run', ['--as', 'gevals'], 2, /There is no plugin to run/],
  [
    'http in another dialect',
    ['--http', '--as', 'gevals'],
    2,
    /--http goes without --stdio and without --as/,
  ],
  ['a port on stdio', ['--as', 'gevals', '--port', '7717'], 2, /On stdio there is no --port/],
  ['a dialect that is none', ['--as', 'klingon'], 2, /Allowed choices/],
] as const)('%s is refused with the way out', async (_, args, exitCode, message) => {
  const served = await serve([...args], [hello]);
  expect(served).toMatchObject({ exitCode, stdout: '', stderr: expect.stringMatching(message) as string });
});

test('what is not trusted is not served', async () => {
  const home = temporaryFolder({
    'project/pluglot.json': { plugins: { dice: { command: 'node', args: ['dice.mjs'] } } },
  });
  const served = await cli(['serve', '--as', 'gevals', 'dice'], { home, cwd: `${home}/project` });
  expect(served).toMatchObject({ exitCode: 4, stdout: '' });
  expect(served.stderr).toContain('pluglot trust add');
});

test('a host of G-Assist hears nothing on stderr, unless it is asked for', async () => {
  const args = ['--as', 'gassist', '--', 'no-such-program'];
  expect(await serve(args, [])).toEqual({ exitCode: 3, stdout: '', stderr: '' });
  expect((await serve(['-v', ...args], [])).stderr).toContain('no-such-program');
});

function serve(
  args: readonly string[],
  messages: readonly object[],
  home = temporaryFolder(),
): Promise<CliResult> {
  return cli(['serve', ...args], { home, cwd: home, input: lines(messages) });
}

/** Requests with ids from 0. */
function lines(messages: readonly object[]): string {
  return messages.map((message, id) => `${JSON.stringify({ jsonrpc: '2.0', id, ...message })}\n`).join('');
}

function execute(operation: string, args: object): object {
  return { method: 'execute', params: { operation, args, context: { workdir: '/', phase: 'setup' } } };
}

function answers({ stdout }: CliResult): unknown[] {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id?: number; result?: unknown })
    .flatMap(({ id, result }) => (id === undefined ? [] : [result]));
}
