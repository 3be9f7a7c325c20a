// Plugins on the SDK as extensions of gevals: under a raw host that behaves like the real one, and in pipes of the shell.
import { describe, expect, test } from 'vitest';
import { execute } from '../support/project.ts';
import { hasPython } from '../support/python.ts';
import { seenBy } from './raw-host.ts';

describe.runIf(hasPython)('under a host that behaves like the real one', () => {
  // requirement: gevals:extension:real-context, gevals:extension:ids, gevals:extension:config, gevals:extension:string-outputs
  // requirement: gevals:extension:failure-result, gevals:extension:shutdown
  test('a whole session', async () => {
    const seen = await seenBy('gevals_host.py', {
      config: { author: 'Ada' },
      steps: [
        { operation: 'add', args: { text: 'one' } },
        { operation: 'count' },
        { operation: 'recite', args: null },
        { operation: 'around', agent: { prompt: 'p', output: 'o' } },
        { operation: 'lose' },
        { operation: 'break' },
        { operation: 'add', args: {} },
        { operation: 'ad' },
      ],
    });
    expect(seen).toMatchObject({
      manifest: {
        result: {
          name: 'takes-notes',
          version: '1.2.3',
          protocolVersion: '0.0.1',
          operations: { add: { description: 'Adds a note', params: { required: ['text'] } } },
        },
      },
      steps: [
        {
          logs: [{ level: 'info', message: 'noted', data: { length: 3 } }],
          result: { success: true, message: 'Noted by Ada', outputs: { count: '1', last: 'one' } },
        },
        { result: { success: true, outputs: { count: '1' } } },
        {
          logs: [
            { level: 'info', message: 'Progress', data: { progress: 1, total: 1 } },
            { level: 'info', message: 'one' },
          ],
          result: { success: true, message: 'one\n' },
        },
        {
          result: {
            outputs: {
              workdir: '/task',
              phase: 'verify',
              env: 'null',
              agent: '{"prompt":"p","output":"o"}',
              dialect: 'gevals',
            },
          },
        },
        { result: { success: false, error: 'The notes are lost. (Look again)' } },
        { error: { code: -32603, message: 'The pen broke.' } },
        { error: { code: -32602 } },
        { error: { code: -32601, message: 'Unknown operation: ad' } },
      ],
      goodbye: { logs: [], result: {} },
      exitCode: 0,
      stderr: '',
    });
  });

  // requirement: gevals:extension:line-limit
  test('no line is too long for it, whatever a tool says', async () => {
    expect(await seenBy('gevals_host.py', { steps: [{ operation: 'fill' }] })).toMatchObject({
      steps: [
        {
          logs: [{ message: expect.stringContaining('100000 characters were too many') as string }],
          result: {
            success: true,
            message: expect.stringContaining('300000 characters were too many') as string,
            outputs: { page: expect.stringContaining('were too many for one line') as string, number: '1' },
          },
        },
      ],
      exitCode: 0,
    });
  });

  // requirement: gevals:extension:setup-error
  test('a setup that fails is told', async () => {
    expect(await seenBy('gevals_host.py', { config: { author: 'refused' }, steps: [] })).toMatchObject({
      manifest: { error: { code: -32603, message: expect.stringContaining('may not write') as string } },
      exitCode: 0,
    });
  });
});

describe('in a pipe of the shell', () => {
  const request = (id: number, operation: string, args: object) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: 'execute',
      params: { operation, args, context: { workdir: '/tmp', phase: 'setup' } },
    });

  // requirement: gevals:extension:one-shot, gevals:one-shot:example, gevals:one-shot:stdin-closes
  // requirement: gevals:one-shot:executes, gevals:one-shot:writes-result, gevals:one-shot:exits
  test('echo … | plugin answers, and exits with 0', async () => {
    const { exitCode, stdout, stderr } = await inPipe(`echo '${request(1, 'add', { text: 'hi' })}'`, '');
    expect(
      stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { jsonrpc: '2.0', method: 'log', params: { level: 'info', message: 'noted', data: { length: 2 } } },
      {
        jsonrpc: '2.0',
        id: 1,
        result: { success: true, message: 'Noted by nobody', outputs: { count: '1', last: 'hi' } },
      },
    ]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });

  // requirement: gevals:extension:command-line-config, gevals:extension:serial
  test('any number of requests, with a config from the command line', async () => {
    const requests = [
      request(1, 'add', { text: 'one' }),
      request(2, 'add', { text: 'two' }),
      request(3, 'count', {}),
    ];
    const { exitCode, stdout } = await inPipe(
      `printf '%s\\n' ${requests.map((text) => `'${text}'`).join(' ')}`,
      `--config '{"author":"Ada"}'`,
    );
    const answers = stdout.split('\n').filter((line) => line.includes('"id"'));
    expect(answers.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { id: 1, result: { message: 'Noted by Ada', outputs: { count: '1' } } },
      { id: 2, result: { outputs: { count: '2' } } },
      { id: 3, result: { outputs: { count: '2' } } },
    ]);
    expect(exitCode).toBe(0);
  });

  function inPipe(input: string, args: string) {
    return execute('sh', ['-c', `${input} | "$NODE" test/plugins/sdk/takes-notes.mjs ${args}`], {
      env: { PATH: process.env['PATH'], NODE: process.execPath },
    });
  }
});
