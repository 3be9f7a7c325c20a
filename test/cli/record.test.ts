// `pluglot record` and `pluglot replay`: any session to a cassette and back, in every dialect, byte by byte and with nothing left behind.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { cli, environment, program, startCli } from '../support/surface/command-line.ts';
import { newRun, survivors } from '../support/fleet/process-table.ts';
import { runEmulator } from '../support/dialect/gassist/emulator.ts';
import { hasPython } from '../support/python.ts';
import { execute, root } from '../support/project.ts';
import { onScreen } from '../support/surface/screen.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const home = temporaryFolder;
const example = (file: string) => ['node', path.join(root, 'examples', file)];
const ours = (...words: string[]) => [process.execPath, program, ...words];

const sessions = [
  ['gassist', 'gassist-countdown/plugin.mjs', 'countdown', 'from=2'],
  ['gevals', 'gevals-workspace/extension.mjs', 'contains', 'file=README.md', 'text=pluglot'],
  ['mcp', 'mcp-dice/server.mjs', 'roll', 'dice=3d6'],
  ['planner', 'planner-words/plugin.mjs', 'execute_task', 'task_type=analysis', 'prompt=one two'],
  ['yams', 'yams-markdown/plugin.mjs', 'extractor.extract', 'source=README.md'],
] as const;

test.for(sessions)(
  'a session of %s, recorded between host and plugin, is played again',
  async ([dialect, file, tool, ...args], { expect }) => {
    const folder = home();
    const cassette = path.join(folder, 'a.jsonl');
    const call = (more: readonly string[], command: readonly string[]) =>
      cli(['call', tool, ...args, '--json', ...more, '--', ...command], { home: folder });
    const then = await call(['--dialect', dialect], ours('record', cassette, '--', ...example(file)));
    expect(then.exitCode, then.stderr).toBe(0);
    expect(fs.statSync(cassette).mode & 0o777).toBe(0o600);
    expect(JSON.parse(fs.readFileSync(cassette, 'utf8').split('\n')[0] ?? '')).toMatchObject({
      cassette: 1,
      dialect,
    });
    // What it speaks is found out by asking, as of any plugin.
    const asked = dialect === 'planner' ? ['--dialect', 'planner'] : [];
    const now = await call(asked, ours('replay', cassette));
    expect(now.exitCode, now.stderr).toBe(0);
    expect(outcomeOf(now.stdout)).toEqual(outcomeOf(then.stdout));
    const strictly = await call(['--dialect', dialect], ours('replay', cassette, '--strict'));
    expect(outcomeOf(strictly.stdout)).toEqual(outcomeOf(then.stdout));
    if (dialect === 'mcp') return;
    const again = await cli(['replay', cassette, '--', ...example(file)], { home: folder });
    expect(again.stdout).toMatch(/exchanges, all as recorded/);
    expect(again.exitCode).toBe(0);
  },
);

test.skipIf(!hasPython)(
  'sessions of hosts that know nothing of our code are recorded and played again',
  async () => {
    const folder = home();
    const own = (...words: string[]) => ['env', `PLUGLOT_HOME=${folder}/pluglot`, ...ours(...words)];
    const seenBy = async (host: string, script: unknown, command: readonly string[]) => {
      const program = path.join(root, 'test/raw-hosts', host);
      const ran = await execute('python3', [program, JSON.stringify(script), ...command]);
      expect(ran.exitCode, ran.stderr).toBe(0);
      return JSON.parse(ran.stdout) as object;
    };
    const scripts = [
      [
        'mcp_client.py',
        'mcp-dice/server.mjs',
        [
          {
            request: 'initialize',
            params: {
              protocolVersion: '2025-06-18',
              capabilities: {},
              clientInfo: { name: 'raw', version: '1' },
            },
          },
          { notify: 'notifications/initialized', params: {} },
          { request: 'tools/call', params: { name: 'roll', arguments: { dice: '3d6' } } },
          { request: 'tools/call', params: { name: 'roll', arguments: { dice: '3d6' } } },
        ],
      ],
      [
        'gevals_host.py',
        'gevals-workspace/extension.mjs',
        { config: {}, steps: [{ operation: 'contains', args: { file: 'README.md', text: 'pluglot' } }] },
      ],
    ] as const;
    for (const [host, file, script] of scripts) {
      const cassette = path.join(folder, `${host}.jsonl`);
      const then = await seenBy(host, script, own('record', cassette, '--', ...example(file)));
      const now = await seenBy(host, script, own('replay', cassette, '--strict'));
      expect(now).toEqual(then);
    }
    const cassette = path.join(folder, 'gassist.jsonl');
    const steps = [
      { do: 'initialize' },
      { do: 'execute', function: 'countdown', arguments: { from: 2 } },
      { do: 'shutdown' },
    ] as const;
    const then = await runEmulator(
      own('record', cassette, '--', ...example('gassist-countdown/plugin.mjs')),
      steps,
    );
    const now = await runEmulator(own('replay', cassette), steps);
    expect(then.problems).toEqual([]);
    expect({ ...now, said: now.said.length }).toEqual({ ...then, said: then.said.length });
  },
);

test('a call of our own is recorded with all that was said for it; the file is never written over', async () => {
  const folder = home();
  const cassette = path.join(folder, 'dice.jsonl');
  const record = () =>
    cli(['record', cassette, '--call', 'roll', 'dice=d6', '--', ...example('mcp-dice/server.mjs')], {
      home: folder,
    });
  const first = await record();
  expect(first.stdout).toMatch(/→ \d/);
  expect(first.exitCode).toBe(0);
  const methods = [...fs.readFileSync(cassette, 'utf8').matchAll(/"method":"([^"]+)"/g)].map(
    ([, method]) => method,
  );
  expect(methods).toEqual([
    'server/discover',
    'initialize',
    'notifications/initialized',
    'tools/list',
    'tools/call',
  ]);
  const second = await record();
  expect(second.stderr).toContain('exists already');
  expect(second.exitCode).toBe(2);
});

test('a plugin of the configuration is recorded by its name, where it is trusted', async () => {
  const folder = temporaryFolder({
    'pluglot/pluglot.json': JSON.stringify({
      plugins: { dice: { command: 'node', args: [path.join(root, 'examples/mcp-dice/server.mjs')] } },
    }),
    'project/pluglot.json': JSON.stringify({
      plugins: { hostile: { command: 'touch', args: ['executed'] } },
    }),
  });
  const where = { home: folder, cwd: path.join(folder, 'project') };
  const call = await cli(['record', 'a.jsonl', 'dice', '--call', 'roll', 'dice=1d1'], where);
  expect(call.stdout).toBe('1 → 1\n');
  const input = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';
  const wire = await cli(['record', 'b.jsonl', 'dice'], { ...where, input });
  expect(JSON.parse(wire.stdout)).toMatchObject({ id: 1 });
  expect(fs.readFileSync(path.join(where.cwd, 'b.jsonl'), 'utf8')).toMatch(
    /"dialect":"mcp"[^]*"method":"ping"/,
  );
  for (const more of [[], ['--call', 'x']]) {
    const hostile = await cli(['record', 'c.jsonl', 'hostile', ...more], where);
    expect(hostile.stderr).toContain('NOT_TRUSTED');
    expect(hostile.exitCode).toBe(4);
  }
  expect(fs.readdirSync(where.cwd).sort()).toEqual(['a.jsonl', 'b.jsonl', 'pluglot.json']);
});

test('a plugin that answers otherwise now is shown with a diff, or as JSON', async () => {
  const folder = home();
  const cassette = path.join(folder, 'dice.jsonl');
  const message = (from: string, content: object) =>
    JSON.stringify({ at: 0, from, message: { jsonrpc: '2.0', ...content } });
  fs.writeFileSync(
    cassette,
    [
      JSON.stringify({ cassette: 1, plugin: 'dice', dialect: 'mcp', recordedAt: '' }),
      message('host', { id: 1, method: 'tools/nonsense', params: {} }),
      message('plugin', { id: 1, result: { tools: 'old' } }),
    ].join('\n'),
  );
  const replay = (...more: string[]) =>
    cli(['replay', cassette, ...more, '--', ...example('mcp-dice/server.mjs')], { home: folder });
  const { stdout, exitCode } = await replay();
  expect(stdout).toMatch(/^→ .*tools\/nonsense/);
  expect(stdout).toMatch(/^ {2}- {4}"tools": "old"$/m);
  expect(stdout).toMatch(/^ {2}\+ {4}"code": -32\d+/m);
  expect(stdout).toMatch(/✗ 1 of 1 exchange differ from the recording\.\n$/);
  expect(exitCode).toBe(1);
  const { ok, turns, differences } = JSON.parse((await replay('--json')).stdout) as {
    ok: boolean;
    turns: number;
    differences: { recorded: unknown }[];
  };
  expect({ ok, turns }).toEqual({ ok: false, turns: 1 });
  expect(differences[0]?.recorded).toEqual([{ jsonrpc: '2.0', result: { tools: 'old' } }]);
  const ignored = await replay('--ignore', 'result', '--ignore', 'error');
  expect(ignored.exitCode).toBe(0);
});

test('with --strict, what was said otherwise and what was never said are told, and the exit code is 1', async () => {
  const folder = home();
  const cassette = path.join(folder, 'a.jsonl');
  fs.writeFileSync(
    cassette,
    `${JSON.stringify({ cassette: 1, plugin: 'x', dialect: 'mcp', recordedAt: '' })}\n${['a', 'b']
      .map((method) => JSON.stringify({ at: 0, from: 'host', message: { jsonrpc: '2.0', id: 1, method } }))
      .join('\n')}\n`,
  );
  const input = `${JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'c' })}\n`;
  const { stdout, stderr, exitCode } = await cli(['replay', cassette, '--strict'], { home: folder, input });
  expect(JSON.parse(stdout)).toMatchObject({ id: 7, error: { code: -32603 } });
  expect(stderr).toMatch(/^! the host sent .*"method":"c".*recorded was.*"method":"a"/);
  expect(stderr).toMatch(/2 recorded and not sent:/);
  expect(exitCode).toBe(1);
  const lenient = await cli(['replay', cassette], { home: folder, input });
  expect(lenient.exitCode).toBe(0);
});

test('bytes pass unchanged in both directions, and so do stderr and the exit code', async () => {
  const folder = home();
  const echo = `process.stderr.write('hello there\\n');
    process.stdin.on('data', (chunk) => process.stdout.write(chunk)).on('end', () => { process.exitCode = 7; });`;
  const bytes = Buffer.concat([
    Buffer.from(
      '{"jsonrpc":"2.0","method":"initialize","id":1,"params":{}}\r\n\n  no message \x00\xff\n',
      'latin1',
    ),
    Buffer.alloc(3_000_000, 'x'),
    Buffer.from('\nlast line without an end'),
  ]);
  const cassette = path.join(folder, 'a.jsonl');
  const child = spawn(process.execPath, [program, 'record', cassette, '--', 'node', '-e', echo], {
    env: environment({ home: folder }),
  });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  const exitCode = new Promise((resolve) => child.once('close', resolve));
  child.stdin.end(bytes);
  expect(await exitCode).toBe(7);
  expect(Buffer.concat(out).equals(bytes)).toBe(true);
  expect(Buffer.concat(err).toString()).toBe('hello there\n');
  const entries = fs.readFileSync(cassette, 'utf8').trim().split('\n');
  expect(entries[0]).toContain('"dialect":"mcp"');
  expect(entries.filter((line) => line.includes('"from":"host"'))).toHaveLength(4);
  expect(entries.filter((line) => line.includes('"from":"plugin"'))).toHaveLength(4);
}, 30_000);

test('the environment of the host reaches the plugin, and its secrets stay out of the cassette', async () => {
  const folder = home();
  const cassette = path.join(folder, 'a.jsonl');
  const tells = `process.stdin.once('data', () => {
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { said: process.env.MY_TOKEN } }) + '\\n');
    process.exit(0);
  })`;
  const { stdout } = await cli(['record', cassette, '--', 'node', '-e', tells], {
    home: folder,
    env: { MY_TOKEN: 'hunter2-and-more' },
    input: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"password":"swordfish"}}\n',
  });
  expect(stdout).toContain('hunter2-and-more');
  expect(fs.readFileSync(cassette, 'utf8')).not.toMatch(/hunter2|swordfish/);
});

test.for(['SIGTERM', 'SIGKILL'] as const)(
  'nothing is left of the plugin after %s',
  async (signal, { expect }) => {
    const run = newRun();
    const folder = home();
    const stays = `process.stderr.write('up'); setInterval(() => {}, 1000); process.on('SIGTERM', () => {});`;
    const running = startCli(['record', path.join(folder, 'a.jsonl'), '--', 'node', '-e', stays, run], {
      home: folder,
    });
    await running.until('stderr', /up/);
    running.child.kill(signal);
    await running.ended;
    await expect.poll(() => survivors(run), { timeout: 10_000 }).toEqual([]);
  },
);

test('at a terminal both say that they wait for a host, and Ctrl-C ends them', async () => {
  const folder = home();
  const cassette = path.join(folder, 'a.jsonl');
  const dice = example('mcp-dice/server.mjs');
  const recording = onScreen(['record', cassette, '--dialect', 'mcp', '--', ...dice]);
  await recording.until(/It waits for a host/);
  recording.type('\u0003');
  expect(await recording.ended).toBe(130);
  expect(recording.text()).toMatch(/0 messages are in/);
  const playing = onScreen(['replay', cassette]);
  await playing.until(/This is the plugin "mcp-dice", and it waits for a host/);
  playing.type('\u0003');
  expect(await playing.ended).toBe(130);
});

test('what cannot be started leaves no file, and what is not a cassette is told with its line', async () => {
  const folder = home();
  const cassette = path.join(folder, 'a.jsonl');
  const none = await cli(['record', cassette, '--', 'no-such-program-anywhere'], { home: folder });
  expect(none.stderr).toContain('PROGRAM_NOT_FOUND');
  expect(none.exitCode).toBe(3);
  expect(fs.existsSync(cassette)).toBe(false);
  fs.writeFileSync(cassette, '{"cassette":1,"plugin":"x","dialect":"mcp"}\nnonsense\n{}\n');
  const broken = await cli(['replay', cassette], { home: folder });
  expect(broken.stderr).toContain('line 2: invalid JSON');
  expect(broken.exitCode).toBe(2);
  const nobody = await cli(['record', path.join(folder, 'b.jsonl')], { home: folder });
  expect(nobody.stderr).toContain('Give the plugin to record');
  expect(nobody.exitCode).toBe(2);
});

function outcomeOf(stdout: string): unknown {
  const { durationMs: _, ...outcome } = JSON.parse(stdout) as { durationMs: number };
  return outcome;
}
