import path from 'node:path';
import { expect, test } from 'vitest';
import { hear } from '../../../test/support/dialect/dialect-host.ts';
import {
  extractorManifest,
  reply,
  replyError,
  started,
} from '../../../test/support/dialect/yams/host-end.ts';
import type { ExtractSource, FileType } from '../../definition/plan.ts';

// requirement: yams:supports:interface
test.each([
  ['that says so', { interfaces: ['content_extractor_v1'] }, true],
  ['whose capabilities say so', { capabilities: { content_extraction: {} } }, true],
  ['that offers something else', { interfaces: ['ghidra_analysis_v1'] }, false],
  ['that says nothing', {}, false],
])('a plugin %s is an extractor or none', async (_, manifest, isExtractor) => {
  const { end } = await started({ manifest });
  expect(end.extractor !== undefined).toBe(isExtractor);
  expect(end.manifest.extractor !== undefined).toBe(isExtractor);
});

// requirement: yams:supports:mime-type, yams:supports:extension
test.each<[FileType, object]>([
  [{ mimeType: 'text/plain' }, { mime_type: 'text/plain' }],
  [{ extension: '.txt' }, { extension: '.txt' }],
  [
    { mimeType: 'text/plain', extension: '.txt' },
    { mime_type: 'text/plain', extension: '.txt' },
  ],
])('asked about %j, all that is known is sent', async (type, params) => {
  const { end, raw } = await started();
  const support = end.extractor!.supports(type, 1000);
  expect(await reply(raw, 'extractor.supports', { supported: false })).toEqual(params);
  expect(await support).toEqual({ supported: false, confidence: 1 });
});

// requirement: yams:supports:at-least-one
test('asked about nothing, nothing is sent', async () => {
  const { end, raw } = await started();
  await expect(end.extractor!.supports({}, 1000)).rejects.toMatchObject({
    code: 'INVALID_ARGUMENTS',
    message: 'Plugin "the-plugin" needs a MIME type, an extension, or both; neither was given.',
  });
  expect(raw.received).toHaveLength(2);
});

// requirement: yams:supports:supported, yams:supports:confidence, yams:supports:confidence-default
// requirement: yams:supports:method
test.each([
  [{ supported: true }, { supported: true, confidence: 1 }],
  [
    { supported: true, confidence: 0.25 },
    { supported: true, confidence: 0.25 },
  ],
  [
    { supported: true, confidence: 80 },
    { supported: true, confidence: 1 },
  ],
  [
    { supported: true, confidence: -1 },
    { supported: true, confidence: 0 },
  ],
  [
    { supported: true, confidence: 'high' },
    { supported: true, confidence: 1 },
  ],
  [
    { supported: false, confidence: 0, method: 'ocr' },
    { supported: false, confidence: 0, method: 'ocr' },
  ],
  [
    { supported: true, method: 7 },
    { supported: true, confidence: 1 },
  ],
])('the answer %j is read as %j', async (result, expected) => {
  const { end, raw } = await started();
  const support = end.extractor!.supports({ extension: '.md' }, 1000);
  await reply(raw, 'extractor.supports', result);
  expect(await support).toEqual(expected);
});

test.each([true, null, {}, { supported: 'yes' }, 'yes', []])('the answer %j is refused', async (result) => {
  const { end, raw } = await started();
  const support = end.extractor!.supports({ extension: '.md' }, 1000);
  await reply(raw, 'extractor.supports', result);
  await expect(support).rejects.toMatchObject({
    code: 'PROTOCOL_VIOLATION',
    message: `Plugin "the-plugin" answered extractor.supports with ${JSON.stringify(result)}; expected { supported: true | false, confidence?: 0 to 1, method?: string }.`,
  });
});

// requirement: yams:supports:required, yams:principle:graceful-degradation
test.each<[FileType, boolean]>([
  [{ extension: '.md' }, true],
  [{ extension: '.MD' }, true],
  [{ extension: 'md' }, true],
  [{ extension: '.txt' }, true],
  [{ extension: '.pdf' }, false],
  [{ mimeType: 'text/markdown' }, true],
  [{ mimeType: 'TEXT/MARKDOWN; charset=utf-8' }, true],
  [{ mimeType: 'image/png' }, true],
  [{ mimeType: 'text/html' }, false],
  [{ mimeType: 'text/html', extension: '.md' }, true],
  [{ mimeType: 'text/html', extension: '.html' }, false],
])('without extractor.supports the manifest tells of %j: %s', async (type, supported) => {
  const { end, raw } = await started();
  const support = end.extractor!.supports(type, 1000);
  await replyError(raw, { code: -32601, message: 'Method not found' });
  expect(await support).toEqual({ supported, confidence: 1 });
});

test('that a format is unsupported may be said as an error', async () => {
  const { end, raw } = await started();
  const support = end.extractor!.supports({ extension: '.bin' }, 1000);
  await replyError(raw, { code: -32001, message: 'Unsupported format' });
  expect(await support).toEqual({ supported: false, confidence: 1 });
});

test('another error has the code that it means', async () => {
  const { end, raw } = await started();
  const support = end.extractor!.supports({ extension: '.bin' }, 1000);
  await replyError(raw, { code: -32003, message: 'Call plugin.init first.' });
  await expect(support).rejects.toMatchObject({
    code: 'NOT_INITIALIZED',
    message: 'Plugin "the-plugin" answered extractor.supports with error -32003: Call plugin.init first.',
  });
});

// requirement: yams:extract:source, yams:extract:source-type, yams:extract:source-path, yams:extract:source-data
// requirement: yams:extract:options, yams:extract:max-functions, yams:extract:decompile
// requirement: yams:extract:include-metadata, yams:extract:timeout-sec
test.each<[string, ExtractSource, Record<string, number | boolean>, FileType | undefined, object]>([
  [
    'a path',
    { kind: 'path', path: '/tmp/a.md' },
    {},
    undefined,
    { source: { type: 'path', path: '/tmp/a.md' } },
  ],
  [
    'a path that is relative to the host',
    { kind: 'path', path: 'a.md' },
    {},
    undefined,
    { source: { type: 'path', path: path.resolve('a.md') } },
  ],
  [
    'bytes',
    { kind: 'bytes', bytes: new Uint8Array([0, 255, 10, 65]) },
    { max_functions: 5 },
    undefined,
    { source: { type: 'bytes', data: 'AP8KQQ==' }, options: { max_functions: 5 } },
  ],
  [
    'a path with all options',
    { kind: 'path', path: '/a' },
    { max_functions: 1, decompile: false, include_metadata: false, timeout_sec: 2 },
    undefined,
    {
      source: { type: 'path', path: '/a' },
      options: { max_functions: 1, decompile: false, include_metadata: false, timeout_sec: 2 },
    },
  ],
  [
    'a part of other bytes',
    { kind: 'bytes', bytes: new Uint8Array([1, 2, 65, 66, 3]).subarray(2, 4) },
    {},
    undefined,
    { source: { type: 'bytes', data: 'QUI=' } },
  ],
  [
    'bytes of a known type',
    { kind: 'bytes', bytes: new Uint8Array() },
    { depth: 1 },
    { mimeType: 'text/markdown', extension: '.md' },
    {
      source: { type: 'bytes', data: '' },
      options: { mime_type: 'text/markdown', extension: '.md', depth: 1 },
    },
  ],
])('%s is sent as the plugin expects it', async (_, source, options, type, params) => {
  const { end, raw } = await started();
  const { answer } = hear((sink) => end.extractor!.extract({ source, options, type }, sink));
  if (type !== undefined) await reply(raw, 'extractor.supports', { supported: true });
  expect(await reply(raw, 'extractor.extract', { success: true, content: 'Text' })).toEqual(params);
  expect(await answer).toEqual({ ok: true, text: 'Text' });
});

test('an option of the caller wins over the type of the file', async () => {
  const { end, raw } = await started();
  hear((sink) =>
    end.extractor!.extract(
      { source: { kind: 'path', path: '/a' }, options: { extension: '.x' }, type: { extension: '.y' } },
      sink,
    ),
  );
  await reply(raw, 'extractor.supports', { supported: true });
  expect(await reply(raw, 'extractor.extract', 'Text')).toMatchObject({ options: { extension: '.x' } });
});

// requirement: yams:supports:when, yams:extract:when
test('it is asked once for each type whether it takes it, and gets no file of a type that it does not', async () => {
  const { end, raw } = await started({ manifest: extractorManifest });
  const source = { kind: 'path', path: '/a.md' } as const;
  const extract = (type: FileType) => hear((sink) => end.extractor!.extract({ source, type }, sink)).answer;
  const markdown = { extension: '.md' };
  for (const [index, type] of [markdown, { mimeType: 'text/html' }, markdown].entries()) {
    const answer = extract(type);
    if (index < 2) await reply(raw, 'extractor.supports', { supported: true });
    await reply(raw, 'extractor.extract', 'Text');
    expect(await answer).toMatchObject({ ok: true });
  }
  const before = raw.received.length;
  for (let round = 0; round < 2; round += 1) {
    const refused = extract({ extension: '.exe' });
    expect(await reply(raw, 'extractor.supports', { supported: false })).toEqual({ extension: '.exe' });
    expect(await refused).toMatchObject({
      ok: false,
      error: { code: 'UNSUPPORTED', message: expect.stringContaining('.exe') as string },
    });
  }
  expect(raw.received).toHaveLength(before + 2);
});

test('what fails or is given up while it is asked whether it takes a file never begins', async () => {
  const { end, raw } = await started();
  const source = { kind: 'path', path: '/a.md' } as const;
  const failed = hear((sink) => end.extractor!.extract({ source, type: { extension: '.md' } }, sink)).answer;
  await replyError(raw, { code: -32603, message: 'boom' });
  expect(await failed).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining('boom') as string },
  });
  const { answer, wireCall } = hear((sink) =>
    end.extractor!.extract({ source, type: { extension: '.md' } }, sink),
  );
  const asked = await raw.nextRequest();
  expect(wireCall.cancel('enough')).toBe('occupied');
  raw.answer(asked.id, { supported: true });
  expect(await answer).toMatchObject({ ok: false, error: { code: 'CALL_CANCELLED' } });
  expect(wireCall.cancel('again')).toBe('free');
  expect(raw.received.at(-1)).toMatchObject({ method: 'extractor.supports' });
});

test('bytes over the limit for messages are refused before they are sent', async () => {
  const { end, raw } = await started();
  const bytes = new Uint8Array(13 * 1024 * 1024);
  const { answer } = hear((sink) => end.extractor!.extract({ source: { kind: 'bytes', bytes } }, sink));
  expect(await answer).toMatchObject({ ok: false, error: { code: 'FRAME_TOO_LARGE' } });
  expect(raw.received).toHaveLength(2);
});

test('the limit can be raised', async () => {
  const { end, raw } = await started({ spec: { limits: { messageBytes: 32 * 1024 * 1024 } } });
  const bytes = new Uint8Array(13 * 1024 * 1024);
  const { answer } = hear((sink) => end.extractor!.extract({ source: { kind: 'bytes', bytes } }, sink));
  await reply(raw, 'extractor.extract', { text: 'zeros' });
  expect(await answer).toEqual({ ok: true, text: 'zeros' });
});

// requirement: yams:extract:required
test('an extractor without extractor.extract fails each extraction', async () => {
  const { end, raw } = await started({ manifest: extractorManifest });
  const { answer } = hear((sink) => end.extractor!.extract({ source: { kind: 'path', path: '/a' } }, sink));
  await replyError(raw, { code: -32601, message: 'Method not found' });
  expect(await answer).toMatchObject({ ok: false, error: { code: 'UNKNOWN_TOOL', wireCode: -32601 } });
});
