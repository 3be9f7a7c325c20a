// The host end and the author end of gevals, over one pipe.
import { expect, onTestFinished, test } from 'vitest';
import { authorServices } from '../../../test/support/dialect/author-end.ts';
import { callAndHear, recordingServices } from '../../../test/support/dialect/dialect-host.ts';
import {
  heldCalls,
  scriptedBackend,
  type BackendScript,
} from '../../../test/support/definition/scripted-backend.ts';
import { linkedPipes } from '../../channel/bytes/stream-pipe.ts';
import type { Answer } from '../../definition/outcome.ts';
import type { JsonObject } from '../../base/json.ts';
import { gevalsAuthor } from './author.ts';
import { gevals } from './host.ts';

test('the manifest comes through, and so does the config', async () => {
  const tools = [
    { name: 'apply', description: 'Applies it.', inputSchema: { type: 'object', required: ['file'] } },
    { name: 'wait', inputSchema: { type: 'object' } },
  ];
  const { end, backend } = await bothEnds(
    { manifest: { description: 'For tests.', requires: [{ command: 'git' }], tools } },
    { namespace: 'n' },
  );
  expect(end.manifest).toMatchObject({
    name: 'scripted',
    version: '1.0.0',
    description: 'For tests.',
    requires: [{ command: 'git' }],
    tools,
  });
  expect(backend.setups).toEqual([{ namespace: 'n' }]);
});

test('what a host says of a call comes through', async () => {
  const { end, backend } = await bothEnds({ manifest: { tools: [{ name: 'apply' }] } });
  const context = {
    workdir: '/task',
    phase: 'verify' as const,
    env: { A: '1' },
    agent: { prompt: 'p', output: 'o' },
  };
  await callAndHear(end, { tool: 'apply', args: { file: 'x' }, context, timeoutMs: 1500 }).answer;
  expect(backend.requests).toEqual([
    { tool: 'apply', args: { file: 'x' }, context, timeoutMs: 1500, dialect: 'gevals' },
  ]);
});

test.each<[Answer, Answer]>([
  [
    { ok: true, text: 'Done.', outputs: { a: 'b' } },
    { ok: true, text: 'Done.', outputs: { a: 'b' } },
  ],
  [
    { ok: true, data: { n: 1 } },
    { ok: true, outputs: { n: '1' } },
  ],
  [
    { ok: false, text: 't', outputs: { a: 'b' }, error: { code: 'TOOL_FAILED', message: 'No.' } },
    { ok: false, text: 't', outputs: { a: 'b' }, error: { code: 'TOOL_FAILED', message: 'No.' } },
  ],
  ...(
    [
      { code: 'UNAVAILABLE', message: 'No.' },
      { code: 'TOOL_FAILED', message: 'No.', reason: 'Why', details: { n: 1 }, recoverable: true },
      { code: 'RATE_LIMITED', message: 'No.', suggestions: ['Wait'] },
    ] as const
  ).map((error): [Answer, Answer] => [
    { ok: false, error },
    { ok: false, error },
  ]),
  [
    { ok: false, text: 't', outputs: { a: 'b' }, error: { code: 'INTERNAL', message: 'No.' } },
    {
      ok: false,
      text: 't',
      outputs: { a: 'b' },
      error: {
        code: 'INTERNAL',
        message: 'No.',
        wireCode: -32603,
        data: { text: 't', outputs: { a: 'b' } },
      },
    },
  ],
  ...(
    [
      ['TIMEOUT', -32001],
      ['REQUIREMENT_MISSING', -32002],
      ['INVALID_ARGUMENTS', -32602],
      ['INTERNAL', -32603],
    ] as const
  ).map(([code, wireCode]): [Answer, Answer] => [
    { ok: false, error: { code, message: 'No.', reason: 'Why' } },
    { ok: false, error: { code, message: 'No.', wireCode, reason: 'Why', data: { reason: 'Why' } } },
  ]),
])('%j is heard as %j', async (answer, heard) => {
  const { end } = await bothEnds({ scripts: { apply: (_, sink) => sink.end(answer) } });
  expect(await callAndHear(end, { tool: 'apply' }).answer).toEqual(heard);
});

test('events come as logs, in their order; shutdown waits for the call', async () => {
  const held = heldCalls();
  const { end, served } = await bothEnds({ scripts: { wait: held.script } });
  const { answer, events } = callAndHear(end, { tool: 'wait' });
  const call = await held.next();
  const gone = end.shutdown(60_000);
  call.event({ kind: 'log', level: 'debug', message: 'one', data: { n: 1 } });
  call.event({ kind: 'text', text: 'two\n' });
  call.end({ ok: true, text: 'two\n' });
  expect(await answer).toEqual({ ok: true, text: 'two\n' });
  expect(events).toEqual([
    { kind: 'log', level: 'debug', message: 'one', data: { n: 1 } },
    { kind: 'log', level: 'info', message: 'two' },
  ]);
  await gone;
  expect(await served.over).toEqual({ exitCode: 0 });
});

async function bothEnds(script: BackendScript, config?: JsonObject) {
  const backend = scriptedBackend(script);
  const [hostPipe, authorPipe] = linkedPipes();
  const served = gevalsAuthor.serve(authorPipe, backend, authorServices().services);
  const spec = {
    name: 'the-plugin',
    start: { kind: 'program' as const, command: 'not-started' },
    ...(config === undefined ? {} : { config }),
  };
  const end = await gevals.connect(hostPipe, spec, recordingServices().services);
  onTestFinished(() => end.close());
  return { end, backend, served };
}
