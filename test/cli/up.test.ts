// `pluglot up` and the commands that use its fleet.
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { cli, type CliOptions, fixture, type RunningCli, startCli } from '../support/surface/command-line.ts';
import { newRun, survivors } from '../support/fleet/process-table.ts';
import { root } from '../support/project.ts';
import { mcpClient, servedAt } from '../support/surface/running-up.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('commands of the project use the running fleet, also from below, until it is stopped', async () => {
  const { up, run, home, cwd } = await startUp({
    talker: { command: 'node', args: [fixture('gassist/well-behaved.mjs')], dialect: 'gassist' },
    slow: { command: 'node', args: [fixture('gassist/never-completes.mjs')], dialect: 'gassist' },
  });
  expect(up.stdout).toContain('2 of 2 plugins are ready.');
  const pids = survivors(run).length;
  const attached = (...args: string[]) => cli(args, { home, cwd: path.join(cwd, 'sub') });

  const status = JSON.parse((await attached('status', '--json')).stdout) as {
    running: boolean;
    plugins: { name: string; state: string; pids: number[] }[];
  };
  expect(status).toMatchObject({
    running: true,
    plugins: [
      { name: 'talker', state: 'ready', restarts: 0, tools: 6 },
      { name: 'slow', state: 'ready' },
    ],
  });
  // The address that it printed when it was started, for those who have lost it; whoever has been there needs no link.
  const [, address = 'none'] = /(http:\S+)\/#\/enter\/\S+/.exec(up.stdout) ?? [];
  expect((await attached('status')).stdout).toMatch(new RegExp(`Console  ${address}$`, 'm'));

  // Only what is said in this call is shown, however much was said before.
  for (const number of [1, 2])
    expect(await attached('call', 'count', `to=${number}`)).toEqual({
      exitCode: 0,
      stdout: number === 1 ? '1 done\n' : '1 2 done\n',
      stderr: 'i count begins\n',
    });
  // That it is ready is said once, not after every call.
  expect(up.stdout.match(/^talker ready$/gm)).toHaveLength(1);
  const [tools, inspected, logged] = await Promise.all([
    attached('tools', '--json'),
    attached('inspect', 'talker'),
    attached('logs', 'talker', '--json'),
  ]);
  const stopped = await attached('stop', 'slow', '--json');
  expect(JSON.parse(tools.stdout)).toContainEqual(
    expect.objectContaining({ name: 'slow__work', plugin: 'slow' }),
  );
  expect(inspected.stdout).toMatch(/^well-behaved 1\.2\.3 {2}speaks gassist {2}known as talker\n/);
  expect(logged.stdout.match(/"message":"count begins"/g)).toHaveLength(2);
  expect(JSON.parse(stopped.stdout)).toMatchObject({ name: 'slow', state: 'stopped' });
  // Nobody started processes of their own.
  expect(survivors(run).length).toBeLessThan(pids);

  const refused = await attached('call', 'slow__work');
  expect(refused.exitCode).toBe(3);
  expect(refused.stderr).toContain(
    'Plugin "slow" is stopped. `pluglot start slow` starts it. (PLUGIN_STOPPED)',
  );
  expect(await attached('call', 'work', '--json')).toMatchObject({ exitCode: 3 });
  expect((await attached('tools', '--json')).stdout).not.toContain('"plugin":"slow"');
  expect(JSON.parse((await attached('start', 'slow', '--json')).stdout)).toMatchObject({ state: 'ready' });
  expect(await attached('restart', 'nobody')).toMatchObject({ exitCode: 2 });

  const second = await cli(['up', '--port', '0'], { home, cwd });
  expect(second.exitCode).toBe(2);
  expect(second.stderr).toContain('running already');

  up.child.kill('SIGTERM');
  expect(await up.ended).toBe(130);
  expect(survivors(run)).toEqual([]);
  expect((await attached('status', '--json')).stdout).toContain('"running":false');
  // What was said is in the file.
  expect((await attached('logs', 'talker')).stdout).toContain('i count begins');
});

test('a call that is interrupted is cancelled there, with what it said; logs are followed', async () => {
  const { up, run, home, cwd } = await startUp({
    slow: { command: 'node', args: [fixture('gassist/never-completes.mjs')], dialect: 'gassist' },
    talker: { command: 'node', args: [fixture('gassist/well-behaved.mjs')], dialect: 'gassist' },
  });
  const follower = startCli(['logs', 'talker', '-f'], { home, cwd });
  await follower.until('stdout', /ready/);
  const call = startCli(['call', 'work'], { home, cwd });
  await call.until('stdout', /\./);
  call.child.kill('SIGINT');
  expect(await call.ended).toBe(130);
  expect(call.stdout).toBe('.\n');
  expect(call.stderr).toBe('✗ slow__work: interrupted (CALL_CANCELLED)\n');

  const talk = startCli(['talk', 'chat', '--json'], { home, cwd });
  await talk.until('stdout', /Go on\./);
  talk.child.stdin.write('hello\n');
  await talk.until('stdout', /You said hello/);
  talk.child.stdin.end('bye\n');
  expect(await talk.ended).toBe(0);
  expect(talk.stdout.trim().split('\n')).toHaveLength(3);
  await follower.until('stdout', /i chat begins/);
  await up.until('stderr', /^talker i chat begins$/m);
  const wire = await cli(['call', 'echo', 'value=1', '-vv'], { home, cwd });
  expect(wire.stderr).toMatch(/^Messages of a running fleet are not shown; --standalone/);

  // One that is gone without a word leaves a socket behind, which is in nobody's way.
  up.child.kill('SIGKILL');
  await up.ended;
  expect(await follower.ended).toBe(3);
  expect(follower.stderr).toContain('The host has ended meanwhile');
  await expect.poll(() => survivors(run)).toEqual([]);
  expect((await cli(['status', '--json'], { home, cwd })).stdout).toContain('"running":false');
  const next = startCli(['up', '--port', '0'], { home, cwd });
  await next.until('stdout', /2 of 2 plugins are ready/);
  next.child.kill('SIGINT');
  expect(await next.ended).toBe(130);
});

test('a broken plugin does not keep the others; --standalone is on its own', async () => {
  const { up, home, cwd } = await startUp({
    broken: { command: 'node', args: [fixture('gassist/crashes-at-start.mjs')], dialect: 'gassist' },
    dice: { command: 'node', args: [path.join(root, 'examples/mcp-dice/server.mjs')], dialect: 'mcp' },
    late: { command: 'node', args: [fixture('gassist/well-behaved.mjs')], dialect: 'gassist', lazy: true },
    off: { command: 'node', args: [], dialect: 'mcp', disabled: true },
  });
  expect(up.stdout).toContain('1 of 2 plugins are ready; 1 starts when used. Ctrl-C stops them.');
  // The whole reason, since no terminal is too narrow for it; while it is tried again there is none.
  const status = async () => (await cli(['status'], { home, cwd })).stdout;
  await expect.poll(status).toMatch(/^broken .* exited with code 3\.$/m);
  const off = await cli(['logs', 'off'], { home, cwd });
  expect(off).toEqual({ exitCode: 0, stdout: '', stderr: 'Nothing was logged by off yet.\n' });
  const [all, alone] = await Promise.all([
    cli(['inspect', '--json'], { home, cwd }),
    cli(['call', 'roll', 'dice=1d1', '--standalone', '-vv'], { home, cwd }),
  ]);
  expect(all.exitCode).toBe(3);
  expect(JSON.parse(all.stdout)).toMatchObject([
    { plugin: 'broken', error: { code: expect.any(String) as string } },
    { plugin: 'dice', dialect: 'mcp', tools: [{ name: 'roll' }] },
    { plugin: 'late' },
    { plugin: 'off', error: { code: 'UNKNOWN_PLUGIN' } },
  ]);
  expect(alone).toMatchObject({ exitCode: 0 });
  expect(alone.stderr).toMatch(/→ dice .*"tools\/call"/);
  up.child.kill('SIGINT');
  expect(await up.ended).toBe(130);
});

test('a plugin that starts late is asked once what it has, rests, and is offered; the next up knows it without asking', async () => {
  const late = {
    command: 'node',
    args: [fixture('gassist/well-behaved.mjs')],
    dialect: 'gassist',
    lazy: true,
  };
  const { up, home, cwd } = await startUp({ late });
  const statusOf = async () => {
    const { stdout } = await cli(['status', '--json'], { home, cwd });
    return (JSON.parse(stdout) as { plugins: unknown[] }).plugins[0];
  };
  await expect.poll(statusOf).toMatchObject({ name: 'late', dialect: 'gassist', state: 'stopped', tools: 6 });
  const client = await mcpClient(servedAt(up.stdout));
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('late__count');
  expect(await cli(['call', 'count', 'to=1'], { home, cwd })).toMatchObject({
    exitCode: 0,
    stdout: '1 done\n',
  });
  await client.close();
  up.child.kill('SIGINT');
  await up.ended;

  const next = startCli(['up', '--port', '0'], { home, cwd });
  await next.until('stdout', /No plugin is started yet; 1 starts when used/);
  expect(await statusOf()).toMatchObject({ dialect: 'gassist', state: 'stopped', tools: 6 });
  const again = await mcpClient(servedAt(next.stdout));
  expect((await again.listTools()).tools.map(({ name }) => name)).toContain('late__count');
  expect(next.stdout).not.toContain('late ready');
  next.child.kill('SIGINT');
  expect(await next.ended).toBe(130);
});

test('what a plugin prints that answers in no dialect is in its log, and told by up once', async () => {
  const home = temporaryFolder({
    'pluglot/pluglot.json': {
      plugins: {
        mute: {
          command: process.execPath,
          args: ['-e', `process.stderr.write('no store'); process.exitCode = 3`],
        },
      },
    },
  });
  const at = { home, cwd: temporaryFolder({ '.git/HEAD': '' }) };
  expect(await cli(['tools'], at)).toMatchObject({ exitCode: 3 });
  expect((await cli(['logs', 'mute'], at)).stdout).toMatch(/ \| no store$/m);
  const started = await cli(['start', 'mute'], at);
  expect(started.exitCode).toBe(3);
  expect(started.stderr.match(/\| no store$/gm)).toHaveLength(1);
  const up = startCli(['up', '--port', '0'], at);
  await up.until('stdout', /^mute failed: /m);
  expect(up.stderr.match(/^mute \| no store$/gm)).toHaveLength(1);
  expect(up.stdout.match(/^mute backoff: /gm)).toHaveLength(1);
  const called = startCli(['stop', 'mute'], at);
  expect(await called.ended).toBe(0);
  expect(called.stdout).toBe('mute stopped\n');
  up.child.kill('SIGINT');
  expect(await up.ended).toBe(130);
});

test('a running fleet follows the files: what is new, changed, gone and trusted meanwhile', async () => {
  const talker = { command: 'node', args: [fixture('gassist/well-behaved.mjs')], dialect: 'gassist' };
  const { up, home, cwd } = await startUp({ talker });
  const at = { home, cwd };
  const words = ['--dialect', 'gassist', '--', talker.command, ...talker.args];
  const added = await cli(['add', 'other', ...words], at);
  expect(added.stderr).toContain('The running `pluglot up` has taken it over.');
  await up.until('stdout', /^other ready$/m);
  expect(await cli(['call', 'other__count', 'to=1'], at)).toMatchObject({ exitCode: 0 });

  const file = path.join(cwd, 'pluglot.json');
  const text = fs.readFileSync(file, 'utf8');
  fs.writeFileSync(
    file,
    text.replace('"other": {', '"third": { "command": "node" },\n"other": { "lazy": true,'),
  );
  // It goes on as it is, but nothing of the file is started before somebody has read it.
  expect((await cli(['status'], at)).stderr).toMatch(
    /^! other: It is not started again: .*pluglot trust add/m,
  );
  expect(await cli(['start', 'third'], at)).toMatchObject({ exitCode: 4 });
  expect(await cli(['restart', 'other'], at)).toMatchObject({ exitCode: 4 });
  expect(await cli(['call', 'other__count', 'to=1'], at)).toMatchObject({ exitCode: 0 });
  await cli(['trust', 'add', '.'], at);
  expect(await cli(['start', 'third'], at)).not.toMatchObject({ exitCode: 4 });
  // What is trusted again is followed at once.
  await up.until('stdout', /configuration: .*started again: other/);
  expect((await cli(['plugins'], at)).stderr).not.toContain('applies that');
  expect(await cli(['restart', 'other'], at)).toMatchObject({ exitCode: 0 });

  await cli(['stop', 'other'], at);
  await up.until('stdout', /^other stopped/m);
  await cli(['remove', 'other'], at);
  const { plugins } = JSON.parse((await cli(['status', '--json'], at)).stdout) as {
    plugins: { name: string }[];
  };
  expect(plugins.map(({ name }) => name).toSorted()).toEqual(['talker', 'third']);
  up.child.kill('SIGINT');
  expect(await up.ended).toBe(130);
});

interface Up extends CliOptions {
  readonly up: RunningCli;
  /** In the words of every plugin. */
  readonly run: string;
  readonly cwd: string;
}

/** In a project that is trusted. */
test('built-in plugins that are switched off are not missed', async () => {
  const home = temporaryFolder({ 'pluglot/pluglot.json': { gate: { builtIns: false } } });
  const cwd = temporaryFolder();
  const up = startCli(['up', '--port', '0'], { home, cwd });
  await up.until('stdout', /plugins? (?:is|are) ready|No plugin is started yet/);
  expect((await cli(['plugins', '--all', '--json'], { home, cwd })).stdout).not.toContain('built-in');
  up.child.kill('SIGTERM');
  await up.ended;
  expect(up.stderr).not.toMatch(/^!/m);
});

async function startUp(
  plugins: Record<
    string,
    { command: string; args: string[]; dialect?: string; lazy?: boolean; disabled?: boolean }
  >,
): Promise<Up> {
  const run = newRun();
  const home = temporaryFolder();
  const cwd = temporaryFolder({
    'sub/file': '',
    '.git/HEAD': '',
    'pluglot.json': {
      plugins: Object.fromEntries(
        Object.entries(plugins).map(([name, { args, ...rest }]) => [name, { ...rest, args: [...args, run] }]),
      ),
    },
  });
  expect(await cli(['trust', 'add', '.'], { home, cwd })).toMatchObject({ exitCode: 0 });
  const up = startCli(['up', '--port', '0'], { home, cwd });
  await up.until('stdout', /plugins? (?:is|are) ready|No plugin is started yet/);
  expect(fs.readdirSync(path.join(home, 'pluglot', 'state', 'run'))).toHaveLength(2);
  return { up, run, home, cwd };
}
