// The gevals host end on real programs, written from the specification without our code.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { gevals } from '../../src/dialect/gevals/host.ts';
import type { WirePort } from '../../src/dialect/host-dialect.ts';
import { callAndHear, hostAndProgram } from '../support/dialect/dialect-host.ts';
import { root } from '../support/project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const hasPython = (() => {
  try {
    execFileSync('python3', ['--version']);
    return true;
  } catch {
    return false;
  }
})();

const wellBehaved = ['files.mjs', 'files.py'].filter((file) => hasPython || !file.endsWith('.py'));

describe.each(wellBehaved)('%s', (file) => {
  // requirement: gevals:lifecycle:spawn, gevals:transport:stdin, gevals:transport:stdout, gevals:transport:utf-8
  // requirement: gevals:lifecycle:exits, gevals:shutdown:exit-after-response, gevals:transport:stderr
  test('a whole session', async () => {
    const workdir = temporaryFolder();
    const { connected, running, told } = start(file, { spec: { config: { namespace: 'é😀' } } });
    const end = await connected;
    expect(end.manifest.tools.map(({ name }) => name)).toEqual(['create', 'exists', 'tell']);

    const before = callAndHear(end, { tool: 'exists', args: { file: 'ü.txt' }, context: { workdir } });
    expect(await before.answer).toEqual({
      ok: false,
      error: { code: 'TOOL_FAILED', message: `ü.txt is not in ${workdir}` },
      text: 'Not found',
      outputs: { looked: '1' },
    });

    const created = callAndHear(end, {
      tool: 'create',
      args: { file: 'ü.txt', text: 'é\n' },
      context: { workdir },
    });
    expect(await created.answer).toEqual({ ok: true, text: 'Created ü.txt', outputs: { size: '3' } });
    expect(created.events).toEqual([{ kind: 'log', level: 'info', message: 'Creating ü.txt' }]);
    expect(fs.readFileSync(path.join(workdir, 'ü.txt'), 'utf8')).toBe('é\n');

    const agent = { prompt: 'p', output: 'o' };
    const telling = callAndHear(end, {
      tool: 'tell',
      args: { any: [1] },
      context: { workdir, phase: 'verify', env: { A: 'b' }, agent },
      timeoutMs: 90_000,
    });
    const outputs = (await telling.answer).outputs ?? {};
    expect(parsed(outputs)).toEqual({
      args: { any: [1] },
      context: { workdir, phase: 'verify', env: { A: 'b' }, timeout: '1m30s', agent },
      config: { namespace: 'é😀' },
    });

    await end.shutdown(5000);
    expect(await running.exited).toMatchObject({ exitCode: 0, stderr: 'goodbye\n' });
    expect(told).toMatchObject({ logs: [], troubles: [] });
  });

  // requirement: gevals:categories:unknown-operation, gevals:categories:missing-argument
  test('what is wrong with a request is an error', async () => {
    const end = await start(file).connected;
    expect(await callAndHear(end, { tool: 'creat' }).answer).toEqual({
      ok: false,
      error: {
        code: 'UNKNOWN_TOOL',
        message: 'Unknown operation: creat',
        wireCode: -32601,
        suggestions: ['create'],
      },
    });
    expect(await callAndHear(end, { tool: 'create' }).answer).toMatchObject({
      ok: false,
      error: { code: 'INVALID_ARGUMENTS', wireCode: -32602 },
    });
  });

  test('one request on stdin is enough for an extension that rests on nothing of ours', async () => {
    const workdir = temporaryFolder();
    const params = { operation: 'create', args: { file: 'x.yaml' }, context: { workdir, phase: 'setup' } };
    const { lines, exitCode } = await oneShot(
      file,
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'execute', params }),
    );
    expect(lines).toEqual([
      { jsonrpc: '2.0', method: 'log', params: { level: 'info', message: 'Creating x.yaml' } },
      { jsonrpc: '2.0', id: 1, result: { success: true, message: 'Created x.yaml', outputs: { size: '0' } } },
    ]);
    expect(exitCode).toBe(0);
    expect(fs.existsSync(path.join(workdir, 'x.yaml'))).toBe(true);
  });

  test('what is no JSON is answered, and nobody here takes that for an answer of his own', async () => {
    const { lines } = await oneShot(file, '{nonsense');
    expect(lines).toEqual([{ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } }]);
    const { connected, running } = start(file);
    const end = await connected;
    running.pipe.write('{nonsense\n');
    const call = callAndHear(end, { tool: 'tell' });
    expect(await call.answer).toMatchObject({ ok: true });
  });
});

describe('like-the-go-sdk.mjs', () => {
  test('a long answer of an agent does not end it, nor does anything else we send', async () => {
    const { connected, running } = start('like-the-go-sdk.mjs');
    const end = await connected;
    expect(end.manifest.tools).toEqual([
      { name: 'echo', description: 'Gives back what it gets', inputSchema: { type: 'object' } },
      { name: 'refuse', description: 'Fails', inputSchema: true },
      { name: 'anything', description: 'Is not there', inputSchema: true },
    ]);
    const args = { text: '<a> & "b"\n\u2028' };
    const output = '"é😀\\'.repeat(50_000);
    const { answer, events } = callAndHear(end, {
      tool: 'echo',
      args,
      context: { agent: { prompt: 'p', output } },
    });
    expect(await answer).toMatchObject({ ok: true, text: JSON.stringify(args) });
    expect((await answer).outputs?.['agent']).toContain('some are left out here');
    expect(events).toMatchObject([{ kind: 'log', level: 'warn' }]);
    expect(await callAndHear(end, { tool: 'echo', args: { text: 'x'.repeat(66_000) } }).answer).toMatchObject(
      {
        ok: false,
        error: { code: 'FRAME_TOO_LARGE' },
      },
    );
    expect(await callAndHear(end, { tool: 'refuse' }).answer).toEqual({
      ok: false,
      error: { code: 'INTERNAL', message: 'a <panic> & more', wireCode: -32603 },
    });
    expect(await callAndHear(end, { tool: 'ecko' }).answer).toMatchObject({
      ok: false,
      error: { code: 'UNKNOWN_TOOL', suggestions: ['echo'] },
    });
    await end.shutdown(5000);
    expect(await running.exited).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

describe('at the start', () => {
  test('crashes-at-start.mjs', async () => {
    const { connected, running } = start('crashes-at-start.mjs');
    await expect(connected).rejects.toMatchObject({ code: 'PIPE_ENDED' });
    expect(await running.exited).toMatchObject({ exitCode: 3, stderr: 'cannot find module "cluster"\n' });
  });

  test('refuses-to-initialize.mjs', async () => {
    await expect(start('refuses-to-initialize.mjs').connected).rejects.toMatchObject({
      code: 'START_FAILED',
      message: 'Plugin "the-plugin" answered initialize with error -32603: no cluster at localhost.',
    });
  });

  test('never-initializes.mjs', async () => {
    const controller = new AbortController();
    const { connected, running } = start('never-initializes.mjs', { signal: controller.signal });
    await expect.poll(() => running.stderr(), { interval: 5 }).toContain('thinking');
    controller.abort();
    await expect(connected).rejects.toMatchObject({ code: 'START_FAILED' });
  });

  test('broken-manifest.mjs', async () => {
    await expect(start('broken-manifest.mjs').connected).rejects.toMatchObject({
      code: 'PROTOCOL_VIOLATION',
      message: expect.stringContaining('"operations.run.params.type" is 5') as string,
    });
  });

  test('logs-before-initialize.mjs', async () => {
    const { connected, told } = start('logs-before-initialize.mjs');
    await connected;
    expect(told.logs).toEqual([{ level: 'warn', message: 'no configuration found' }]);
  });

  test('needs-a-missing-program.mjs', async () => {
    const end = await start('needs-a-missing-program.mjs', { commands: ['node'] }).connected;
    expect(await run(end)).toMatchObject({
      ok: false,
      error: { code: 'REQUIREMENT_MISSING', message: expect.stringContaining('kubectl-of-nobody') as string },
    });
  });
});

describe('in an operation', () => {
  // requirement: gevals:categories:crash
  test('crashes-in-execute.py', async ({ skip }) => {
    skip(!hasPython, 'there is no python3');
    const { connected, running } = start('crashes-in-execute.py');
    const end = await connected;
    const calls = [callAndHear(end, { tool: 'run' }), callAndHear(end, { tool: 'run' })];
    for (const { answer } of calls) {
      expect(await answer).toMatchObject({ ok: false, error: { code: 'PIPE_ENDED' } });
    }
    expect(await running.exited).toMatchObject({
      exitCode: 2,
      stderr: 'panic: runtime error: index out of range\n',
    });
  });

  test('dies-in-mid-answer.mjs', async () => {
    const { connected, running } = start('dies-in-mid-answer.mjs');
    expect(await run(await connected)).toMatchObject({ ok: false, error: { code: 'PIPE_ENDED' } });
    expect(await running.exited).toMatchObject({ exitCode: 137, stderr: 'signal: killed\n' });
  });

  test('hangs-in-execute.mjs: one that is cancelled ends when it likes, and the next follows', async () => {
    const workdir = temporaryFolder();
    const end = await start('hangs-in-execute.mjs').connected;
    const events: unknown[] = [];
    let begun = () => {};
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    const ended = new Promise((resolve) => {
      const call = end.call(
        { tool: 'run', args: {}, context: { workdir }, timeoutMs: 60_000 },
        {
          event: (event) => {
            events.push(event);
            begun();
          },
          end: resolve,
        },
      );
      void hasBegun.then(() => {
        expect(call.cancel('enough')).toBe('occupied');
        fs.writeFileSync(path.join(workdir, 'go'), '');
      });
    });
    expect(await ended).toEqual({ ok: true, text: 'at last' });
    expect(events).toEqual([{ kind: 'log', level: 'info', message: 'begun' }]);
    expect(await callAndHear(end, { tool: 'run', context: { workdir } }).answer).toMatchObject({ ok: true });
  });

  test('prints-noise.py', async ({ skip }) => {
    skip(!hasPython, 'there is no python3');
    const { connected, running, told } = start('prints-noise.py');
    const end = await connected;
    expect(await run(end)).toEqual({ ok: true, text: 'done' });
    await end.shutdown(5000);
    expect(await running.exited).toMatchObject({ exitCode: 0 });
    await end.ended;
    expect(told.troubles.map((trouble) => ('text' in trouble ? trouble.text : trouble))).toEqual([
      'Loading the model: 100% |##########| 42/42',
      "DEBUG got {'method': 'initialize'}",
      '[1, 2, {',
      "DEBUG got {'method': 'execute'}",
      '[1, 2, {',
      "DEBUG got {'method': 'shutdown'}",
      '[1, 2, {',
    ]);
  });

  test('drips.py', async ({ skip }) => {
    skip(!hasPython, 'there is no python3');
    const { connected, running } = start('drips.py');
    const end = await connected;
    expect(await run(end)).toEqual({ ok: true, text: 'drip é drop 😀' });
    await end.shutdown(5000);
    expect(await running.exited).toMatchObject({ exitCode: 0 });
  });

  test('answers-with-other-ids.mjs', async () => {
    const end = await start('answers-with-other-ids.mjs').connected;
    expect(await run(end)).toEqual({ ok: true, text: 'done' });
    expect(await run(end)).toEqual({ ok: true, text: 'done' });
  });

  test('answers-twice.mjs', async () => {
    const end = await start('answers-twice.mjs').connected;
    expect(await run(end)).toEqual({ ok: true, text: 'first' });
    expect(await run(end)).toEqual({ ok: true, text: 'first' });
  });

  test('outputs-of-all-types.mjs', async () => {
    const { connected, told } = start('outputs-of-all-types.mjs');
    const end = await connected;
    expect(await run(end)).toEqual({
      ok: true,
      outputs: { text: 'b', number: '1.5', object: '{"a":[true]}', nothing: 'null' },
    });
    expect(told.troubles).toHaveLength(3);
    expect(await callAndHear(end, { tool: 'run', args: { silent: true } }).answer).toMatchObject({
      ok: false,
      error: { code: 'TOOL_FAILED', message: expect.stringContaining('did not say whether') as string },
      outputs: { a: 'b' },
    });
  });

  test('floods-logs.mjs', async () => {
    const { connected, told } = start('floods-logs.mjs');
    const end = await connected;
    const { answer, events } = callAndHear(end, { tool: 'run' });
    expect(await answer).toEqual({ ok: true, text: 'done' });
    expect(events).toHaveLength(20_000);
    expect(events.at(-1)).toEqual({ kind: 'log', level: 'debug', message: 'number 19999' });
    await end.shutdown(5000);
    expect(told.logs).toEqual([{ level: 'info', message: 'after the result' }]);
  });

  test('answers-with-17-mib.mjs', async () => {
    const end = await start('answers-with-17-mib.mjs').connected;
    expect(await callAndHear(end, { tool: 'run', args: { large: true } }).answer).toMatchObject({
      ok: false,
      error: { code: 'FRAME_TOO_LARGE' },
    });
    expect(await run(end)).toEqual({ ok: true, text: 'x' });
  });

  test('asks-the-host.mjs', async () => {
    const end = await start('asks-the-host.mjs').connected;
    const { text = '' } = await run(end);
    expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', id: 'mine', error: { code: -32601 } });
  });
});

describe('at the end', () => {
  test('exits-without-ack.mjs', async () => {
    const { connected, running } = start('exits-without-ack.mjs');
    const end = await connected;
    await end.shutdown(60_000);
    expect(await running.exited).toMatchObject({ exitCode: 0 });
  });

  test('ignores-shutdown.mjs', async () => {
    const { connected, running } = start('ignores-shutdown.mjs');
    const end = await connected;
    await end.shutdown(50);
    expect(await run(end)).toMatchObject({ ok: true });
    expect(await running.stop({ stdinMs: 50, termMs: 50 })).toMatchObject({ signal: 'SIGKILL' });
  });
});

function start(file: string, options: Parameters<typeof hostAndProgram>[2] = {}) {
  return hostAndProgram(gevals, `gevals/${file}`, options);
}

function run(end: WirePort) {
  return callAndHear(end, { tool: 'run' }).answer;
}

function parsed(outputs: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(outputs).map(([name, text]) => [name, JSON.parse(text) as unknown]),
  );
}

/** What a program writes when it gets this one line and then the end of its stdin. */
async function oneShot(file: string, line: string): Promise<{ lines: unknown[]; exitCode: number | null }> {
  const command = file.endsWith('.py') ? 'python3' : process.execPath;
  const child = spawn(command, [path.join(root, 'test/plugins/gevals', file)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.end(`${line}\n`);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    lines: text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
    exitCode,
  };
}
