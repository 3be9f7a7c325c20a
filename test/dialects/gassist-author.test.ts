// Plugins on the SDK under an engine in Python that behaves like the official emulator.
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { runEmulator, type Step } from '../support/dialect/gassist/emulator.ts';
import { root } from '../support/project.ts';
import { hasPython } from '../support/python.ts';

const talks = ['node', path.join(root, 'test/plugins/sdk/talks.mjs')];
const search = ['node', '--import', 'tsx', path.join(root, 'examples/gassist-search/plugin.ts')];
const initialize: Step = { do: 'initialize' };
const shutdown: Step = { do: 'shutdown' };

describe.skipIf(!hasPython)('under the emulator', () => {
  // requirement: gassist:sdk:example, gassist:sdk:framing, gassist:sdk:json-rpc, gassist:execute:example-request
  test('the example of the specification, in TypeScript', async () => {
    const { answers, problems, exitCode } = await runEmulator(search, [
      initialize,
      {
        do: 'execute',
        function: 'search_web',
        arguments: { query: 'NVIDIA stock price' },
        context: [],
        system_info: '',
      },
      { do: 'execute', function: 'get_weather', arguments: { location: 'Oslo' } },
      { do: 'execute', function: 'get_weather', arguments: { location: 'Atlantis' } },
      { do: 'execute', function: 'get_weather', arguments: {} },
      { do: 'execute', function: 'get_whether', arguments: {} },
      shutdown,
    ]);
    expect(problems).toEqual([]);
    expect(answers).toMatchObject([
      { ok: true, result: { name: 'my-plugin', version: '1.0.0', protocol_version: '2.0' } },
      {
        ok: true,
        text: 'Searching...{"results":["NVIDIA stock price","NVIDIA drivers"]}',
        keep_session: false,
      },
      { ok: true, text: 'Rain in Oslo' },
      { ok: false, code: -1, text: 'Atlantis is under water.' },
      { ok: false, code: -32602 },
      {
        ok: false,
        code: -32601,
        text: 'Plugin "my-plugin" has no tool "get_whether". (Did you mean "get_weather"?)',
      },
      { ok: true, result: {} },
    ]);
    expect(exitCode).toBe(0);
  });

  // requirement: gassist:input:acknowledged-first, gassist:complete:keep-session, gassist:log:example
  test('a session: each message as the specification has it', async () => {
    const { said, answers, problems, exitCode } = await runEmulator(
      talks,
      [
        initialize,
        { do: 'execute', function: 'chat', arguments: {} },
        { do: 'input', content: 'Tell me more about that' },
        { do: 'input', content: 'bye' },
        shutdown,
      ],
      ['--ping-every', '60'],
    );
    expect(problems).toEqual([]);
    expect(said).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        result: expect.objectContaining({
          name: 'talks',
          capabilities: ['streaming', 'passthrough'],
        }) as unknown,
      },
      { jsonrpc: '2.0', method: 'log', params: { level: 'info', message: 'Processing query...' } },
      { jsonrpc: '2.0', method: 'stream', params: { request_id: 2, data: 'Welcome. ' } },
      {
        jsonrpc: '2.0',
        method: 'complete',
        params: { request_id: 2, success: true, data: 'Go on.', keep_session: true },
      },
      { jsonrpc: '2.0', id: 3, result: { acknowledged: true } },
      { jsonrpc: '2.0', method: 'stream', params: { request_id: 3, data: 'You said ' } },
      {
        jsonrpc: '2.0',
        method: 'complete',
        params: { request_id: 3, success: true, data: 'Tell me more about that', keep_session: true },
      },
      { jsonrpc: '2.0', id: 4, result: { acknowledged: true } },
      { jsonrpc: '2.0', method: 'stream', params: { request_id: 4, data: 'You said ' } },
      {
        jsonrpc: '2.0',
        method: 'complete',
        params: { request_id: 4, success: true, data: 'bye', keep_session: false },
      },
      { jsonrpc: '2.0', id: 5, result: {} },
    ]);
    expect(answers.map(({ text }) => text)).toEqual([
      '',
      'Welcome. Go on.',
      'You said Tell me more about that',
      'You said bye',
      '',
    ]);
    expect(exitCode).toBe(0);
  });

  // requirement: gassist:author:ping-while-busy, gassist:goals:engine-pings
  test('pings are answered while it works', async () => {
    const { said, problems } = await runEmulator(
      talks,
      [initialize, { do: 'execute', function: 'work', arguments: { ms: 1000 } }, shutdown],
      ['--ping-every', '0.05'],
    );
    expect(problems).toEqual([]);
    const complete = said.findIndex(({ method }) => method === 'complete');
    const pongs = said
      .slice(0, complete)
      .filter(({ result }) => result !== undefined && 'timestamp' in result);
    expect(pongs.length).toBeGreaterThan(0);
  });

  // requirement: gassist:author:silent-stderr
  test('what the author prints, wherever, is logged, and no frame is lost', async () => {
    const { said, answers, problems } = await runEmulator(talks, [
      initialize,
      { do: 'execute', function: 'print', arguments: {} },
      { do: 'execute', function: 'chat', arguments: {} },
      shutdown,
    ]);
    expect(problems).toEqual([]);
    expect(answers).toMatchObject([{}, { text: 'printed' }, { text: 'Welcome. Go on.' }, { ok: true }]);
    const logged = said.filter(({ method }) => method === 'log').map(({ params }) => params?.['message']);
    for (const line of ['printed to stdout', 'printed to stderr', 'written to stdout', 'written to stderr'])
      expect(logged).toContain(line);
  });

  // requirement: gassist:author:end-of-input, gassist:shutdown:exit
  test.each<[string, Step[]]>([
    ['the end of its input', [{ do: 'end' }]],
    [
      'a shutdown that is a notification',
      [{ do: 'send', message: { jsonrpc: '2.0', method: 'shutdown', params: {} } }],
    ],
  ])('it exits with 0 at %s', async (_, steps) => {
    const { exitCode, problems, answers } = await runEmulator(
      talks,
      [initialize, { do: 'execute', function: 'chat' }, ...steps],
      ['--ping-every', '60'],
    );
    expect(problems).toEqual([]);
    expect(answers[1]).toMatchObject({ text: 'Welcome. Go on.' });
    expect(exitCode).toBe(0);
  });

  test('what was asked before the end of the input is finished', async () => {
    const message = {
      jsonrpc: '2.0',
      id: 7,
      method: 'execute',
      params: { function: 'work', arguments: { ms: 50 } },
    };
    const { said, exitCode } = await runEmulator(
      talks,
      [initialize, { do: 'send', message }, { do: 'end' }],
      ['--ping-every', '60'],
    );
    expect(said.at(-1)).toMatchObject({ method: 'complete', params: { request_id: 7, data: 'worked' } });
    expect(exitCode).toBe(0);
  });
});

describe.skipIf(!hasPython)('the emulator notices', () => {
  const raw = ['node', path.join(root, 'test/plugins/gassist/well-behaved.mjs')];

  // requirement: gassist:author:data-is-text
  test('data that is no text, at which the official one hangs', async () => {
    const steps: Step[] = [
      initialize,
      { do: 'execute', function: 'echo', arguments: { value: { a: 1 } } },
      shutdown,
    ];
    const { problems } = await runEmulator(raw, steps, ['--execute-seconds', '1', '--shutdown-seconds', '1']);
    expect(problems[0]).toBe('the data of complete is no text: {"a": 1}');
    expect(problems[1]).toBe('execute did not end within 1.0 s');
  });

  test('prints between frames', async () => {
    const printing = ['python3', path.join(root, 'test/plugins/gassist/prints-between-frames.py')];
    const { problems } = await runEmulator(
      printing,
      [initialize],
      ['--execute-seconds', '1', '--exit-seconds', '1'],
    );
    expect(problems).not.toEqual([]);
  });
});
