// Calls and extractions of a plugin of ours, as hosts of YAMS ask for them and hear of them.
import { describe, expect, test } from 'vitest';
import { ask } from '../../../test/support/dialect/author-end.ts';
import { heldCalls, type Script } from '../../../test/support/definition/scripted-backend.ts';
import {
  extractionOf,
  initializedPlugin,
  scriptedExtractor,
  servedPlugin,
} from '../../../test/support/dialect/yams/author-end.ts';
import type { ErrorCode } from '../../base/error.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { Answer } from '../../definition/outcome.ts';

const echo: Script = ({ args }, sink) => sink.end({ ok: true, data: args });

async function calledTool(answer: Answer) {
  const { raw } = await initializedPlugin({ scripts: { tool: (_, sink) => sink.end(answer) } });
  return ask(raw, 1, 'tool');
}

describe('extractor.supports', () => {
  // requirement: yams:plugin:supports
  test.each([
    [{ extension: '.md' }, { supported: true, confidence: 0.5, method: 'markdown' }],
    [{ extension: 'md' }, { supported: true, confidence: 0.5, method: 'markdown' }],
    [
      { mime_type: 'text/markdown', extension: '.md' },
      { supported: true, confidence: 0.5, method: 'markdown' },
    ],
    [{ mime_type: 'text/plain' }, { supported: false, confidence: 0.5 }],
  ])('%j is answered with %j', async (params, support) => {
    const { raw } = await initializedPlugin(scriptedExtractor({ ok: true }).script);
    expect((await ask(raw, 1, 'extractor.supports', params)).result).toEqual(support);
  });

  // requirement: yams:plugin:supports-neither
  test.each([undefined, {}, { mime_type: '', extension: 7 }, { other: 1 }])(
    '%j says nothing of a file',
    async (params) => {
      const { raw } = await initializedPlugin(scriptedExtractor({ ok: true }).script);
      expect((await ask(raw, 1, 'extractor.supports', params)).error).toMatchObject({
        code: -32602,
        message: expect.stringContaining('takes "mime_type", "extension", or both; got') as string,
      });
    },
  );

  test('that fails is an error', async () => {
    const { script } = scriptedExtractor({ ok: true });
    const extractor = { ...script.extractor, supports: () => Promise.reject(new Error('boom')) };
    const { raw } = await initializedPlugin({ ...script, extractor });
    expect((await ask(raw, 1, 'extractor.supports', { extension: '.md' })).error).toEqual({
      code: -32603,
      message: 'boom',
      data: { reason: 'Internal' },
    });
  });

  test.each(['extractor.supports', 'extractor.extract'])(
    '%s is unknown without an extractor',
    async (method) => {
      const { raw } = await initializedPlugin();
      expect((await ask(raw, 1, method, { extension: '.md' })).error).toMatchObject({ code: -32601 });
    },
  );
});

describe('extractor.extract', () => {
  const defaults = { max_functions: 100, decompile: true, include_metadata: true, timeout_sec: 10 };

  // requirement: yams:plugin:extract-path, yams:plugin:extract-bytes
  test.each<[string, JsonObject, unknown[]]>([
    [
      'a path, with options',
      { source: { type: 'path', path: '/tmp/a' }, options: { max_functions: 5, extension: 'md' } },
      [{ kind: 'path', path: '/tmp/a' }, { extension: '.md' }, { ...defaults, max_functions: 5 }],
    ],
    [
      'a path that tells its extension',
      { source: { type: 'path', path: '/tmp/a.b.md' } },
      [{ kind: 'path', path: '/tmp/a.b.md' }, { extension: '.md' }, defaults],
    ],
    [
      'a path of which nothing is known',
      { source: { type: 'path', path: '/tmp/yams-binary-abc123' }, options: null },
      [{ kind: 'path', path: '/tmp/yams-binary-abc123' }, {}, defaults],
    ],
    [
      'bytes, as the real host sends them',
      {
        source: { type: 'bytes', data: 'IyBIaQ==' },
        options: { extension: '.md', mime_type: 'text/markdown' },
      },
      [
        { kind: 'bytes', bytes: Buffer.from('# Hi') },
        { extension: '.md', mimeType: 'text/markdown' },
        defaults,
      ],
    ],
  ])('asks for %s', async (_, params, [source, type, options]) => {
    const { script, extractions } = scriptedExtractor({ ok: true, text: 'Hi' });
    const { raw } = await initializedPlugin(script);
    expect((await ask(raw, 1, 'extractor.extract', params)).result).toMatchObject({ success: true });
    const [request, , info] = extractions[0] ?? [];
    expect(request).toEqual({ source, type, options });
    expect(info).toEqual({ dialect: 'yams', timeoutMs: 29_000 });
  });

  // requirement: yams:extract:max-functions, yams:extract:max-functions-default
  // requirement: yams:extract:decompile, yams:extract:decompile-default
  // requirement: yams:extract:include-metadata, yams:extract:include-metadata-default
  // requirement: yams:extract:timeout-sec, yams:extract:timeout-sec-default
  test.each<[string, Json]>([
    ['max_functions', 5],
    ['decompile', false],
    ['include_metadata', false],
    ['timeout_sec', 2],
  ])('hands %s to the extractor as it is given, else with its default', async (option, given) => {
    const { script, extractions } = scriptedExtractor({ ok: true });
    const { raw } = await initializedPlugin(script);
    const source = { type: 'path', path: 'a.md' };
    const options = [undefined, {}, { [option]: null }, { depth: 1 }, { [option]: given, depth: 1 }];
    for (const [id, given] of options.entries())
      await ask(raw, id, 'extractor.extract', { source, ...(given === undefined ? {} : { options: given }) });
    expect(extractions.map(([{ options: seen }]) => seen)).toEqual([
      defaults,
      defaults,
      defaults,
      { ...defaults, depth: 1 },
      { ...defaults, [option]: given, depth: 1 },
    ]);
  });

  // requirement: yams:extract:include-metadata-false
  test('leaves metadata out where it is not wanted, whatever the extractor says', async () => {
    const answer: Answer = { ok: true, text: 'Hi', data: { metadata: { title: 'Hi' }, stats: { words: 1 } } };
    const { result } = await extractionOf(answer, { extension: '.md', include_metadata: false });
    expect(result).toMatchObject({ content: 'Hi', metadata: {}, stats: { words: 1 } });
  });

  test.each<[Json, number]>([
    [5, 29_000],
    [60, 60_000],
    [9000, 299_000],
    ['60', 29_000],
  ])('with timeout_sec %j for a function may take %d ms', async (seconds, timeoutMs) => {
    const { script, extractions } = scriptedExtractor({ ok: true });
    const { raw } = await initializedPlugin(script);
    const source = { type: 'path', path: 'a.md' };
    await ask(raw, 1, 'extractor.extract', { source, options: { timeout_sec: seconds } });
    expect(extractions[0]?.[2]).toMatchObject({ timeoutMs });
  });

  test.each<[string, Json | undefined]>([
    ['nothing', undefined],
    ['no source', {}],
    ['a source that is not an object', { source: 'a.md' }],
    ['an unknown kind of source', { source: { type: 'url', url: 'x' } }],
    ['a path that is none', { source: { type: 'path', path: '' } }],
    ['bytes that are none', { source: { type: 'bytes', path: 'x' } }],
    ['broken base64', { source: { type: 'bytes', data: 'no base64!' } }],
    ['options that are none', { source: { type: 'path', path: 'a.md' }, options: [1] }],
    ['a list', ['a.md']],
  ])('refuses %s', async (_, params) => {
    const { script, extractions } = scriptedExtractor({ ok: true });
    const { raw } = await initializedPlugin(script);
    expect((await ask(raw, 1, 'extractor.extract', params)).error).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^Invalid params: extractor.extract takes .+; got .+\.$/) as string,
    });
    expect(extractions).toEqual([]);
  });

  // requirement: yams:plugin:extract-result
  test('is answered in both shapes at once', async () => {
    const data = {
      metadata: { title: 'Hi', pages: 3, tags: ['a'] },
      stats: { headings: 2 },
      language: 'en',
    };
    expect((await extractionOf({ ok: true, text: 'Hi', data })).result).toEqual({
      success: true,
      content: 'Hi',
      text: 'Hi',
      metadata: { title: 'Hi', pages: '3', tags: '["a"]' },
      stats: { headings: 2, extraction_time_ms: expect.any(Number) as number },
      language: 'en',
      error: null,
    });
  });

  test.each<[Answer, JsonObject]>([
    [{ ok: true }, { content: '', text: '', metadata: {} }],
    [
      { ok: true, text: 'a', data: [1] },
      { content: 'a', data: [1] },
    ],
    [
      { ok: true, text: 'a', data: { success: false, error: 'no', metadata: 7 } },
      { error: null, metadata: {} },
    ],
  ])('%j is a success whatever is in it', async (answer, result) => {
    expect((await extractionOf(answer)).result).toMatchObject({ success: true, ...result });
  });

  // requirement: yams:plugin:unsupported
  // requirement: yams:errors:unsupported-reason, yams:errors:unsupported-mime-type
  // requirement: yams:errors:unsupported-extension, yams:errors:unsupported-supported-formats
  test('of an unsupported file says what is supported', async () => {
    const message = 'Unsupported file format: application/octet-stream';
    const { error } = await extractionOf(
      { ok: false, error: { code: 'UNSUPPORTED', message } },
      { extension: '.bin', mime_type: 'application/octet-stream' },
    );
    expect(error).toEqual({
      code: -32001,
      message,
      data: {
        reason: 'UnsupportedFormat',
        mime_type: 'application/octet-stream',
        extension: '.bin',
        supported_formats: ['text/markdown'],
      },
    });
  });

  // requirement: yams:plugin:timeout
  // requirement: yams:errors:timeout-reason, yams:errors:timeout-timeout-sec
  // requirement: yams:errors:timeout-partial-extraction, yams:errors:timeout-functions-extracted
  test('that took too long tells the limit and what was found by then', async () => {
    const { error } = await extractionOf({
      ok: false,
      text: 'the first half',
      data: { functions_extracted: 15 },
      error: { code: 'TIMEOUT', message: 'Extraction timed out after 29 seconds' },
    });
    expect(error).toEqual({
      code: -32002,
      message: 'Extraction timed out after 29 seconds',
      data: {
        reason: 'Timeout',
        timeout_sec: 29,
        partial_extraction: true,
        functions_extracted: 15,
        content: 'the first half',
      },
    });
    const nothing = await extractionOf({ ok: false, error: { code: 'TIMEOUT', message: 'slow' } });
    expect(nothing.error?.data).toEqual({ reason: 'Timeout', timeout_sec: 29, partial_extraction: false });
  });

  // requirement: yams:plugin:structured-error
  test('that failed has all that the author says of it', async () => {
    const { error } = await extractionOf({
      ok: false,
      error: {
        code: 'TOOL_FAILED',
        message: 'Human-readable error message',
        reason: 'UnsupportedArchitecture',
        details: 'Additional context',
        recoverable: false,
        suggestions: ['Use another.'],
        data: { architecture: 'ARM:BE:32:Cortex', partial_functions: 5 },
      },
    });
    expect(error).toEqual({
      code: -32000,
      message: 'Human-readable error message',
      data: {
        reason: 'UnsupportedArchitecture',
        details: 'Additional context',
        recoverable: false,
        suggestions: ['Use another.'],
        architecture: 'ARM:BE:32:Cortex',
        partial_functions: 5,
      },
    });
  });
});

describe('any other method', () => {
  // requirement: yams:plugin:any-method
  test('is the tool of that name, with params as arguments', async () => {
    const { raw, backend } = await initializedPlugin({ scripts: { 'ghidra.analyze': echo, toString: echo } });
    expect((await ask(raw, 1, 'ghidra.analyze', { depth: 3 })).result).toEqual({ depth: 3 });
    expect((await ask(raw, 2, 'toString')).result).toEqual({});
    expect(backend.requests[0]).toEqual({
      tool: 'ghidra.analyze',
      args: { depth: 3 },
      dialect: 'yams',
      timeoutMs: 29_000,
    });
  });

  test('takes arguments by name alone', async () => {
    const { raw, backend } = await initializedPlugin({ scripts: { tool: echo } });
    expect((await ask(raw, 1, 'tool', [3])).error).toMatchObject({ code: -32602 });
    expect(backend.requests).toEqual([]);
  });

  // requirement: yams:plugin:unknown-method
  test.each(['unknown_method', 'plugin.Init', '__proto__', ''])(
    '%j that does not exist is named',
    async (method) => {
      const unknown = { code: -32601, message: 'Method not found', data: { method } };
      const fresh = servedPlugin();
      expect((await ask(fresh.raw, 1, method)).error).toEqual(unknown);
      expect(fresh.backend.requests).toEqual([]);
      const { raw } = await initializedPlugin();
      expect((await ask(raw, 1, method)).error).toEqual(unknown);
    },
  );

  test('may be there without being listed', async () => {
    const { raw } = await initializedPlugin({ scripts: { hidden: echo }, manifest: { tools: [] } });
    expect((await ask(raw, 1, 'hidden', { a: 1 })).result).toEqual({ a: 1 });
  });

  // requirement: yams:plugin:events
  test('says what it streams with its result, and logs to stderr', async () => {
    const held = heldCalls();
    const { raw, printed } = await initializedPlugin({ scripts: { tool: held.script } });
    const answer = ask(raw, 1, 'tool');
    const call = await held.next();
    call.event({ kind: 'text', text: 'one ' });
    call.event({ kind: 'log', level: 'warn', message: 'careful', data: { n: 1 } });
    call.event({ kind: 'progress', progress: 1 });
    call.end({ ok: true, text: 'one two', data: { n: 2 } });
    expect(await answer).toEqual({ result: { text: 'one two', data: { n: 2 } }, notifications: [] });
    expect(printed).toEqual(['warn: careful {"n":1}']);
  });

  test('logs what belongs to no call to stderr, too', () => {
    const { served, printed } = servedPlugin();
    served.log({ level: 'info', message: 'printed' });
    expect(printed).toEqual(['info: printed']);
  });
});

describe('errors', () => {
  test.each<[ErrorCode, number, string]>([
    ['INVALID_ARGUMENTS', -32602, 'InvalidArguments'],
    ['INTERNAL', -32603, 'Internal'],
    ['REQUIREMENT_MISSING', -32603, 'DependencyMissing'],
    ['TOOL_FAILED', -32000, 'ToolFailed'],
    ['RATE_LIMITED', -32000, 'RateLimited'],
    ['UNAVAILABLE', -32000, 'Unavailable'],
    ['CALL_CANCELLED', -32000, 'CallCancelled'],
    ['UNSUPPORTED', -32001, 'UnsupportedFormat'],
    ['TIMEOUT', -32002, 'Timeout'],
    ['CALL_TIMEOUT', -32002, 'Timeout'],
    ['NOT_INITIALIZED', -32003, 'NotInitialized'],
  ])('%s is %d with the reason %s', async (code, wireCode, reason) => {
    const { error } = await calledTool({ ok: false, error: { code, message: 'No.' } });
    expect(error).toMatchObject({ code: wireCode, message: 'No.', data: { reason } });
  });

  test('keep the word that a host needs, and the one of the author beside it', async () => {
    const failure = { code: 'REQUIREMENT_MISSING', message: 'No.', reason: 'NoGhidra' } as const;
    expect((await calledTool({ ok: false, error: failure })).error?.data).toEqual({
      reason: 'DependencyMissing',
      details: 'NoGhidra',
    });
    const detailed = { ...failure, details: { tried: 2 } };
    expect((await calledTool({ ok: false, error: detailed })).error?.data).toEqual({
      reason: 'DependencyMissing',
      details: { tried: 2 },
    });
  });

  test('keep data that is not an object', async () => {
    const error = { code: 'TOOL_FAILED', message: 'No.', data: [1, 2] } as const;
    expect((await calledTool({ ok: false, error })).error?.data).toEqual({
      reason: 'ToolFailed',
      value: [1, 2],
    });
  });
});
