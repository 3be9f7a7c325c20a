// Ctrl-C, and everything else that ends a command early: in every phase it ends soon, tells 130 and leaves no process.
import { expect, test, vi } from 'vitest';
import { fixture, type RunningCli, startCli } from '../support/surface/command-line.ts';
import { newRun, survivors } from '../support/fleet/process-table.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What is interrupted when: the words of the command, its plugin, and how a test sees that it is so far. */
const phases = {
  detecting: [['inspect'], 'gassist/never-answers-initialize.mjs', 'its processes run'],
  starting: [
    ['inspect', '--dialect', 'gassist'],
    'gassist/never-answers-initialize.mjs',
    'its processes run',
  ],
  'looking for the tool': [['call', 'work'], 'yams/hangs-at-handshake.mjs', 'its processes run'],
  calling: [['call', 'work', '--dialect', 'gassist'], 'gassist/never-completes.mjs', /\./],
  talking: [['talk', 'work', '--dialect', 'gassist'], 'gassist/keeps-session-for-ever.mjs', /Stay\./],
} as const satisfies Record<string, readonly [readonly string[], string, RegExp | string]>;

test.for(Object.entries(phases))('Ctrl-C while %s', async ([, phase], { expect }) => {
  const { command, run } = await begin(phase);
  command.child.kill('SIGINT');
  expect(await command.ended).toBe(130);
  expect(survivors(run)).toEqual([]);
});

test('`start` without an `up` holds the plugin until Ctrl-C', async () => {
  const run = newRun();
  const args = [fixture('gassist/well-behaved.mjs'), run];
  const home = temporaryFolder({
    'pluglot/pluglot.json': { plugins: { talker: { command: 'node', args, dialect: 'gassist' } } },
  });
  const command = startCli(['start', 'talker'], { home, cwd: home });
  await command.until('stderr', /Ctrl-C stops it/);
  await command.until('stdout', /^talker ready/);
  command.child.kill('SIGINT');
  expect(await command.ended).toBe(130);
  expect(survivors(run)).toEqual([]);
});

test('while `serve` waits for a host to begin', async () => {
  const command = startCli(['serve', '--', 'node', fixture('gassist/well-behaved.mjs')], {
    home: temporaryFolder(),
  });
  // What no host says is complained of, and it goes on waiting.
  command.child.stdin.write('hello?\n');
  await command.until('stderr', /--as/);
  command.child.kill('SIGINT');
  expect(await command.ended).toBe(130);
});

test('what was streamed before is kept; --json tells it as one line', async () => {
  const [words, plugin] = phases.calling;
  const run = newRun();
  const command = startCli([...words, '--json', '-vv', '--', 'node', fixture(plugin), run], {
    home: temporaryFolder(),
  });
  await command.until('stderr', /"method":"stream"/);
  command.child.kill('SIGINT');
  expect(await command.ended).toBe(130);
  expect(JSON.parse(command.stdout)).toMatchObject({
    ok: false,
    text: '.',
    error: { code: 'CALL_CANCELLED' },
    events: [{ kind: 'text', text: '.' }],
  });
  expect(survivors(run)).toEqual([]);
});

test.each(['SIGTERM', 'SIGHUP'] as const)('%s is taken like Ctrl-C', async (signal) => {
  const { command, run } = await begin(phases.calling);
  command.child.kill(signal);
  expect(await command.ended).toBe(130);
  expect(survivors(run)).toEqual([]);
});

test('while it waits for arguments on stdin, and nothing is started', async () => {
  const command = startCli(['call', 'x', '-', '--json', '--', 'node', fixture('gassist/well-behaved.mjs')], {
    home: temporaryFolder(),
  });
  // More than a pipe holds: it is through when the command has begun to read.
  const beginning = `{"a":"${'x'.repeat(1024 * 1024)}`;
  await new Promise((resolve) => command.child.stdin.write(beginning, resolve));
  command.child.kill('SIGINT');
  expect(await command.ended).toBe(130);
  expect(JSON.parse(command.stdout)).toMatchObject({ ok: false, error: { code: 'CALL_CANCELLED' } });
});

test('a plugin that does not want to end is ended soon after', async () => {
  const { command, run } = await begin([
    ['inspect', '--dialect', 'gassist', '-v'],
    'gassist/ignores-shutdown.mjs',
    'its processes run',
  ]);
  await command.until('stderr', /ready/);
  command.child.kill('SIGINT');
  expect([0, 130]).toContain(await command.ended);
  expect(survivors(run)).toEqual([]);
});

test('the second Ctrl-C ends it at once, and still nothing is left a moment later', async () => {
  const { command, run } = await begin([
    ['call', 'work', '--dialect', 'yams'],
    'yams/ignores-sigterm.mjs',
    'its processes run',
  ]);
  command.child.kill('SIGINT');
  command.child.kill('SIGINT');
  expect(await command.ended).toBe(130);
  await expect.poll(() => survivors(run)).toEqual([]);
});

test('a reader that goes away ends it quietly', async () => {
  const { command, run } = await begin([
    ['call', 'work', '--dialect', 'gassist'],
    'gassist/floods-streams.mjs',
    /./,
  ]);
  command.child.stdout.destroy();
  expect(await command.ended).toBe(0);
  expect(command.stderr).toBe('');
  expect(survivors(run)).toEqual([]);
});

async function begin([words, plugin, sign]: readonly [readonly string[], string, RegExp | string]): Promise<{
  command: RunningCli;
  run: string;
}> {
  const run = newRun();
  const command = startCli([...words, '--', 'node', fixture(plugin), run], { home: temporaryFolder() });
  if (sign instanceof RegExp) await command.until('stdout', sign);
  // The command itself has the number in its words too.
  else await vi.waitUntil(() => survivors(run).length > 1, { timeout: 60_000 });
  return { command, run };
}
