// The host end and the author end of YAMS, over one pipe.
import { expect, onTestFinished, test } from 'vitest';
import { authorServices } from '../../../test/support/dialect/author-end.ts';
import { callAndHear, hear, recordingServices } from '../../../test/support/dialect/dialect-host.ts';
import { scriptedBackend, type BackendScript } from '../../../test/support/definition/scripted-backend.ts';
import { scriptedExtractor } from '../../../test/support/dialect/yams/author-end.ts';
import type { JsonObject } from '../../base/json.ts';
import { linkedPipes } from '../../channel/bytes/stream-pipe.ts';
import type { Answer } from '../../definition/outcome.ts';
import { yamsAuthor } from './author.ts';
import { yams } from './host.ts';

test('the manifest comes through, and so does the config', async () => {
  const tools = [
    { name: 'get-weather', description: 'Tells it.', inputSchema: { type: 'object', required: ['city'] } },
    { name: 'wait', inputSchema: { type: 'object' } },
  ];
  const { end, backend } = await bothEnds(
    { manifest: { name: 'my-plugin', description: 'For tests.', author: 'Ada', tools } },
    { depth: 3 },
  );
  expect(end.manifest).toMatchObject({
    name: 'my-plugin',
    version: '1.0.0',
    description: 'For tests.',
    author: 'Ada',
    interfaces: [{ id: 'pluglot_tools_v1' }],
    tools,
    raw: { name: 'my__plugin' },
  });
  expect(backend.setups).toEqual([{ depth: 3 }]);
});

test('health and shutdown', async () => {
  const { end, backend, served } = await bothEnds({});
  expect(await end.health!(60_000)).toMatchObject({ status: 'ok', details: { started: true } });
  await end.ping!(60_000);
  await end.shutdown(60_000);
  expect(await served.over).toEqual({ exitCode: 0 });
  expect(backend.tornDown()).toBe(1);
});

test('an extraction', async () => {
  const data = { metadata: { title: 'Hi' }, stats: { extraction_time_ms: 5 } };
  const { script, extractions } = scriptedExtractor({ ok: true, text: 'Hi', data });
  const { end } = await bothEnds(script);
  expect(end.manifest.extractor).toEqual({ formats: ['text/markdown'], extensions: ['.md'] });
  expect(await end.extractor!.supports({ extension: '.md' }, 60_000)).toEqual({
    supported: true,
    confidence: 0.5,
    method: 'markdown',
  });
  const bytes = Buffer.from('# Hi');
  const type = { mimeType: 'text/markdown', extension: '.md' };
  const { answer } = hear((sink) =>
    end.extractor!.extract({ source: { kind: 'bytes', bytes }, options: { a: 1 }, type }, sink),
  );
  expect(await answer).toEqual({ ok: true, text: 'Hi', data });
  expect(extractions[0]?.[0]).toMatchObject({ source: { kind: 'bytes', bytes }, type, options: { a: 1 } });
});

test.each<Answer>([
  { ok: true, text: 'Done.' },
  { ok: true, data: { n: 1 } },
  { ok: true, data: [1, null] },
  { ok: true, data: null },
  { ok: true, data: 'a text that is data' },
  { ok: true, data: { success: false, error: 'a success all the same' } },
  { ok: true, data: { text: 'a', data: 1 } },
  { ok: true, text: 'Done.', data: { n: 1 } },
  { ok: true, outputs: { path: '/x' } },
  { ok: true, text: 'Done.', data: 7, outputs: { path: '/x' } },
])('the answer %j comes through', async (answer) => {
  const { end } = await bothEnds({ scripts: { tool: (_, sink) => sink.end(answer) } });
  expect(await callAndHear(end, { tool: 'tool' }).answer).toEqual(answer);
});

test.each([
  'INTERNAL',
  'INVALID_ARGUMENTS',
  'NOT_INITIALIZED',
  'RATE_LIMITED',
  'REQUIREMENT_MISSING',
  'TIMEOUT',
  'TOOL_FAILED',
  'UNAUTHENTICATED',
  'UNAVAILABLE',
  'UNSUPPORTED',
] as const)('the failure %s comes through, with all that was said of it', async (code) => {
  const said = { details: { tried: 2 }, recoverable: true, suggestions: ['Wait.'] };
  const answer: Answer = { ok: false, text: 'half', error: { code, message: 'No.', ...said } };
  const { end } = await bothEnds({ scripts: { tool: (_, sink) => sink.end(answer) } });
  expect(await callAndHear(end, { tool: 'tool' }).answer).toMatchObject(answer);
});

test('an unknown tool is unknown', async () => {
  const { end } = await bothEnds({});
  expect(await callAndHear(end, { tool: 'other' }).answer).toMatchObject({
    ok: false,
    error: { code: 'UNKNOWN_TOOL', data: { method: 'other' } },
  });
});

async function bothEnds(script: BackendScript, config?: JsonObject) {
  const backend = scriptedBackend(script);
  const [hostPipe, authorPipe] = linkedPipes();
  const served = yamsAuthor.serve(authorPipe, backend, authorServices().services);
  const spec = {
    name: 'the-plugin',
    start: { kind: 'program' as const, command: 'not-started' },
    ...(config === undefined ? {} : { config }),
  };
  const end = await yams.connect(hostPipe, spec, recordingServices().services);
  onTestFinished(() => end.close());
  return { end, backend, served };
}
