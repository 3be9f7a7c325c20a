// The host end and the author end of MCP, over one pipe.
import { expect, onTestFinished, test } from 'vitest';
import { authorServices } from '../../../test/support/dialect/author-end.ts';
import { callAndHear, recordingServices } from '../../../test/support/dialect/dialect-host.ts';
import {
  heldCalls,
  scriptedBackend,
  type BackendScript,
} from '../../../test/support/definition/scripted-backend.ts';
import { deferred } from '../../base/async.ts';
import { linkedPipes } from '../../channel/bytes/stream-pipe.ts';
import type { Answer } from '../../definition/outcome.ts';
import type { Tool } from '../../definition/tool.ts';
import { mcpAuthor } from './author.ts';
import { mcp } from './host.ts';

test('the manifest comes through, tools with all that is known of them', async () => {
  const tools = [
    {
      name: 'act',
      title: 'Act',
      description: 'Acts.',
      inputSchema: { type: 'object', required: ['a'] },
      outputSchema: { type: 'object' },
      hints: { readOnly: true },
    },
  ];
  const { end } = await bothEnds({
    manifest: { description: 'For tests.', instructions: 'Be brief.', tools },
  });
  expect(end.manifest).toMatchObject({
    name: 'scripted',
    version: '1.0.0',
    description: 'For tests.',
    instructions: 'Be brief.',
    protocolVersion: '2025-11-25',
    tools,
  });
});

test.each<[Answer]>([
  [{ ok: true, text: 'Done.' }],
  [{ ok: true, text: 'Done.', data: { n: 1 } }],
  [{ ok: true, data: [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }] }],
  [{ ok: false, error: { code: 'TOOL_FAILED', message: 'No.' } }],
  [{ ok: false, text: 'Half.', data: { n: 1 }, error: { code: 'UNAVAILABLE', message: 'No.' } }],
  [
    {
      ok: false,
      error: {
        code: 'RATE_LIMITED',
        message: 'No.',
        reason: 'Busy',
        details: { after: 5 },
        recoverable: true,
        suggestions: ['Wait'],
        data: [1],
      },
    },
  ],
  [{ ok: false, error: { code: 'INVALID_ARGUMENTS', message: 'a is missing.' } }],
  [{ ok: false, error: { code: 'TIMEOUT', message: 'Late.' } }],
])('%j is heard as it was said', async (answer) => {
  const { end } = await bothEnds({ scripts: { act: (_, sink) => sink.end(answer) } });
  expect(await callAndHear(end, { tool: 'act' }).answer).toEqual(answer);
});

test('an unknown tool is one on both sides', async () => {
  const { end } = await bothEnds({});
  expect(await callAndHear(end, { tool: 'nope' }).answer).toMatchObject({
    ok: false,
    error: { code: 'UNKNOWN_TOOL', wireCode: -32602 },
  });
});

test('logs, text and progress come through in their order and as what they are', async () => {
  const { end } = await bothEnds({
    scripts: {
      act: (_, sink) => {
        sink.event({ kind: 'log', level: 'warn', message: 'one', data: { n: 1 } });
        sink.event({ kind: 'text', text: 'two' });
        sink.event({ kind: 'progress', progress: 3, total: 4, message: 'three' });
        sink.event({ kind: 'text', text: 'four' });
        sink.event({ kind: 'progress', progress: 3, total: 4 });
        sink.event({ kind: 'progress', progress: 1 });
        sink.end({ ok: true, text: 'two' });
      },
    },
  });
  const { answer, events } = callAndHear(end, { tool: 'act' });
  await answer;
  expect(events).toEqual([
    { kind: 'log', level: 'warn', message: 'one', data: { n: 1 } },
    { kind: 'text', text: 'two' },
    { kind: 'progress', progress: 3, total: 4, message: 'three' },
    { kind: 'text', text: 'four' },
    { kind: 'progress', progress: 3, total: 4 },
    { kind: 'progress', progress: 1 },
  ]);
});

test('a call that is given up is given up at the other end; others go on', async () => {
  const held = heldCalls();
  const { end, backend } = await bothEnds({ scripts: { wait: held.script } });
  const { answer, wireCall } = callAndHear(end, { tool: 'wait' });
  await held.next();
  expect(wireCall.cancel('enough')).toBe('free');
  expect(await answer).toMatchObject({ ok: false, error: { code: 'CALL_CANCELLED' } });
  await end.ping?.(60_000);
  expect(backend.cancelled).toHaveLength(1);
});

test('tools that change are listed anew', async () => {
  const { backend, listed } = await bothEnds({ manifest: { tools: [{ name: 'old' }] } });
  backend.changeManifest({ tools: [{ name: 'new' }] });
  expect(await listed).toMatchObject([{ name: 'new' }]);
});

test('commands are prompts', async () => {
  const commands = [
    { name: 'today', description: 'What is on.', parameters: [{ name: 'day' }], shareWithModel: true },
  ];
  const { end } = await bothEnds({
    manifest: { commands },
    commands: {
      today: ({ args }, sink) => sink.end({ ok: true, text: `On ${JSON.stringify(args)}: nothing.` }),
    },
  });
  expect(await end.prompts?.list()).toMatchObject({
    prompts: [{ name: 'today', arguments: [{ name: 'day' }] }],
  });
  expect(await end.prompts?.get('today', { day: 'Monday' })).toMatchObject({
    messages: [{ role: 'user', content: { type: 'text', text: 'On {"day":"Monday"}: nothing.' } }],
  });
});

async function bothEnds(script: BackendScript) {
  const backend = scriptedBackend(script);
  const [hostPipe, authorPipe] = linkedPipes();
  const served = mcpAuthor.serve(authorPipe, backend, authorServices().services);
  const { services } = recordingServices();
  const listed = deferred<readonly Tool[]>();
  const end = await mcp.connect(
    hostPipe,
    { name: 'the-plugin', start: { kind: 'program', command: 'not-started' } },
    { ...services, toolsChanged: (tools) => listed.resolve(tools) },
  );
  onTestFinished(() => end.close());
  return { end, backend, served, listed: listed.promise };
}
