// Our host's end and our author's end, on one wire: what one says the other understands, and nothing is told as trouble.
import { expect, onTestFinished, test } from 'vitest';
import { authorServices } from '../../../test/support/dialect/author-end.ts';
import {
  callAndHear,
  hear,
  recordingServices,
  type Told,
} from '../../../test/support/dialect/dialect-host.ts';
import { backendOf, type TestPlugin } from '../../../test/support/dialect/gassist/author-end.ts';
import { linkedPipes } from '../../channel/bytes/stream-pipe.ts';
import { fail } from '../../definition/failure.ts';
import type { Served } from '../author-dialect.ts';
import type { WirePort } from '../host-dialect.ts';
import { gassistAuthor } from './author.ts';
import { gassist } from './host.ts';

test('an introduction becomes a manifest', async () => {
  const { end } = await joined({
    description: 'Knows the web.',
    onInput: () => '',
    tools: { search: { description: 'Searches.', handler: () => '' } },
  });
  expect(end.manifest).toMatchObject({
    name: 'my-plugin',
    version: '1.0.0',
    description: 'Knows the web.',
    protocolVersion: '2.0',
    capabilities: ['streaming', 'passthrough'],
    tools: [{ name: 'search', description: 'Searches.' }],
  });
});

test('a call: its events in their order, its text whole, its context', async () => {
  const { end, told } = await joined({
    tools: {
      search: {
        async *handler({ query }, { log, conversation, systemInfo }) {
          log('warn', 'slow today', { seconds: 2 });
          yield `Searching ${JSON.stringify(query)}… `;
          return `${JSON.stringify(conversation)} on ${systemInfo}`;
        },
      },
    },
  });
  const { answer, events } = callAndHear(end, {
    tool: 'search',
    args: { query: 'é😀' },
    context: { conversation: [{ role: 'user' }], systemInfo: 'RTX' },
  });
  expect(await answer).toEqual({
    ok: true,
    text: 'Searching "é😀"… [{"role":"user"}] on RTX',
    keepSession: false,
  });
  expect(events).toEqual([
    { kind: 'log', level: 'warn', message: 'slow today', data: { seconds: 2 } },
    { kind: 'text', text: 'Searching "é😀"… ' },
  ]);
  expect(told).toMatchObject({ logs: [], troubles: [] });
});

test.each([
  ['TOOL_FAILED', 'TOOL_FAILED'],
  ['TIMEOUT', 'TIMEOUT'],
  ['RATE_LIMITED', 'RATE_LIMITED'],
  ['INVALID_ARGUMENTS', 'INVALID_ARGUMENTS'],
  ['INTERNAL', 'INTERNAL'],
  ['UNAVAILABLE', 'TOOL_FAILED'],
] as const)('a failure %s arrives as %s', async (code, heard) => {
  const { end } = await joined({ tools: { ask: { handler: () => fail({ code, message: 'no' }) } } });
  expect(await callAndHear(end, { tool: 'ask' }).answer).toMatchObject({
    ok: false,
    error: { code: heard, message: 'no' },
  });
});

test('what is known of a failure arrives apart from its message', async () => {
  const failure = {
    message: 'no',
    reason: 'Quota',
    details: { left: 0 },
    recoverable: true,
    suggestions: ['Wait.'],
  };
  const { end } = await joined({ tools: { ask: { handler: () => fail(failure) } } });
  expect(await callAndHear(end, { tool: 'ask' }).answer).toMatchObject({
    ok: false,
    error: failure,
  });
});

test('a function that is not there, and an input that nobody takes', async () => {
  const { end, told } = await joined({});
  expect(await callAndHear(end, { tool: 'gone' }).answer).toMatchObject({ error: { code: 'UNKNOWN_TOOL' } });
  expect(await hear((sink) => talkOf(end).input('hi', sink)).answer).toMatchObject({
    error: { code: 'NOT_TALKING' },
  });
  expect(told.troubles).toEqual([]);
});

test('a session, up to the answer that does not keep it', async () => {
  const { end } = await joined({
    onInput: (content, { keepSession }) => {
      keepSession(content !== 'bye');
      return `You said ${content}`;
    },
    tools: { open: { handler: (_, { keepSession }) => keepSession() } },
  });
  expect(await callAndHear(end, { tool: 'open' }).answer).toMatchObject({ keepSession: true });
  for (const [content, keepSession] of [
    ['more', true],
    ['bye', false],
  ] as const) {
    const { answer } = hear((sink) => talkOf(end).input(content, sink));
    expect(await answer).toEqual({ ok: true, text: `You said ${content}`, keepSession });
  }
});

test('a result that no message could hold arrives whole', async () => {
  const text = 'x'.repeat(3 * 1024 * 1024);
  const { end } = await joined({ tools: { much: { handler: () => text } } });
  expect((await callAndHear(end, { tool: 'much' }).answer).text).toHaveLength(text.length);
});

test('signs of life, what belongs to no call, and the goodbye', async () => {
  const { end, told, served } = await joined({});
  await end.ping?.(60_000);
  served.log({ level: 'info', message: 'printed' });
  await end.ping?.(60_000);
  expect(told.logs).toEqual([{ level: 'info', message: 'printed' }]);
  await end.shutdown(1000);
  expect(await served.over).toEqual({ exitCode: 0 });
  expect(await end.ended).toEqual({ kind: 'ended' });
});

async function joined(options: TestPlugin): Promise<{ end: WirePort; served: Served; told: Told }> {
  const [hostPipe, pluginPipe] = linkedPipes();
  const served = gassistAuthor.serve(pluginPipe, backendOf(options), authorServices().services);
  const { services, told } = recordingServices();
  const spec = { name: 'the-plugin', start: { kind: 'program', command: 'in-memory' } } as const;
  const end = await gassist.connect(hostPipe, spec, services);
  onTestFinished(() => end.close());
  return { end, served, told };
}

function talkOf(end: WirePort) {
  if (end.talk === undefined) throw new Error('A G-Assist plugin can be talked with.');
  return end.talk;
}
