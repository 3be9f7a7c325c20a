import { expect, test } from 'vitest';
import type { Answer } from '../../definition/outcome.ts';
import { answerOf } from './results.ts';

function extracted(result: unknown): Answer {
  return answerOf('x', 'extractor.extract', { kind: 'success', id: 1, result });
}

function called(result: unknown): Answer {
  return answerOf('x', 'any.method', { kind: 'success', id: 1, result });
}

function refused(code: number, message: string, data?: unknown): Answer {
  return answerOf('x', 'any.method', { kind: 'failure', id: 1, error: { code, message, data } });
}

// requirement: yams:extract:success, yams:extract:content
test.each<[string, unknown, Answer]>([
  [
    'of the specification',
    { success: true, content: 'A', stats: { n: 1 } },
    { ok: true, text: 'A', data: { stats: { n: 1 } } },
  ],
  [
    'of real plugins',
    { text: 'A', metadata: { n: 1 }, error: null },
    { ok: true, text: 'A', data: { metadata: { n: 1 } } },
  ],
  [
    'of both',
    { success: true, content: 'A', text: 'A', metadata: {}, error: null },
    { ok: true, text: 'A', data: { metadata: {} } },
  ],
  ['with two texts', { text: 'A', content: 'B' }, { ok: true, text: 'A' }],
  ['with content and a null text', { text: null, content: 'B' }, { ok: true, text: 'B' }],
  ['of an empty file', { success: true, content: '' }, { ok: true, text: '' }],
  [
    'with metadata alone',
    { text: null, metadata: { pages: 3 }, error: null },
    { ok: true, data: { metadata: { pages: 3 } } },
  ],
  ['that is nothing but text', 'A', { ok: true, text: 'A' }],
  ['without anything', {}, { ok: true }],
])('an extraction %s', (_, result, expected) => {
  expect(extracted(result)).toEqual(expected);
});

test.each<[string, unknown, Answer]>([
  [
    'with a word about it',
    { text: '', metadata: {}, error: 'no text layer' },
    { ok: false, text: '', data: { metadata: {} }, error: { code: 'TOOL_FAILED', message: 'no text layer' } },
  ],
  [
    'with success: false',
    { success: false, message: 'broken file', content: 'half', recoverable: true },
    {
      ok: false,
      text: 'half',
      data: { message: 'broken file', recoverable: true },
      error: { code: 'TOOL_FAILED', message: 'broken file', recoverable: true },
    },
  ],
  [
    'with success: false and no word',
    { success: false },
    { ok: false, error: { code: 'TOOL_FAILED', message: 'The plugin failed without giving a reason.' } },
  ],
  [
    'with an error object',
    { success: false, error: { code: -32002, message: 'too slow', data: { reason: 'Timeout' } } },
    {
      ok: false,
      error: {
        code: 'TIMEOUT',
        message: 'too slow',
        wireCode: -32002,
        data: { reason: 'Timeout' },
        reason: 'Timeout',
      },
    },
  ],
  [
    'with an object that is not an error object',
    { error: { message: 'too slow' } },
    { ok: false, error: { code: 'TOOL_FAILED', message: 'too slow' } },
  ],
  [
    'with an error of any kind',
    { text: 'A', error: 7 },
    { ok: false, text: 'A', error: { code: 'TOOL_FAILED', message: 'The plugin failed: 7' } },
  ],
])('an extraction that failed %s', (_, result, expected) => {
  expect(extracted(result)).toEqual(expected);
});

test.each([17, null, true, [], { success: true }, { success: true, content: 7 }, { text: 7 }])(
  'the extraction %j is refused',
  (result) => {
    expect(extracted(result)).toEqual({
      ok: false,
      error: {
        code: 'PROTOCOL_VIOLATION',
        message: `Plugin "x" answered extractor.extract with ${JSON.stringify(result) ?? 'nothing'}; expected { success, content, metadata?, stats? } or { text, metadata?, error? }.`,
      },
    });
  },
);

test.each<[unknown, Answer]>([
  ['done', { ok: true, text: 'done' }],
  [17, { ok: true, data: 17 }],
  [null, { ok: true, data: null }],
  [undefined, { ok: true }],
  [[1, 'a'], { ok: true, data: [1, 'a'] }],
  [{ n: 1 }, { ok: true, data: { n: 1 } }],
  [
    { text: 'A', n: 1 },
    { ok: true, text: 'A', data: { text: 'A', n: 1 } },
  ],
  [{ content: 'B' }, { ok: true, text: 'B', data: { content: 'B' } }],
  [{ error: 0.02 }, { ok: true, data: { error: 0.02 } }],
  [
    { success: false, error: 'no', n: 1 },
    {
      ok: false,
      data: { success: false, error: 'no', n: 1 },
      error: { code: 'TOOL_FAILED', message: 'no' },
    },
  ],
])('the result %j of any other method is %j', (result, expected) => {
  expect(called(result)).toEqual(expected);
});

test('reason and details are read from the data', () => {
  const data = { reason: 'Quota', details: { left: 0 }, env_var: 'TOKEN', suggestions: ['Wait.', 'Wait.'] };
  expect(refused(-32000, 'no', data)).toEqual({
    ok: false,
    error: {
      code: 'TOOL_FAILED',
      message: 'no',
      wireCode: -32000,
      data,
      reason: 'Quota',
      details: { left: 0 },
      suggestions: ['Wait.', 'Set TOKEN in the environment of the plugin.'],
    },
  });
});

test.each([{ reason: 7, details: null }, { reason: '' }, 'Timeout', null])(
  'the data %j has no reason and no details',
  (data) => {
    expect(refused(-32000, 'no', data)).toEqual({
      ok: false,
      error: { code: 'TOOL_FAILED', message: 'no', wireCode: -32000, data },
    });
  },
);

test('what was extracted before a failure is kept', () => {
  const data = { reason: 'Timeout', partial_extraction: true, content: 'the first half', recoverable: true };
  expect(refused(-32002, 'too slow', data)).toEqual({
    ok: false,
    text: 'the first half',
    error: {
      code: 'TIMEOUT',
      message: 'too slow',
      wireCode: -32002,
      data,
      reason: 'Timeout',
      recoverable: true,
    },
  });
});

test('suggestions of the plugin are passed on', () => {
  expect(refused(-32000, 'no', { suggestions: ['Try again.', 7] })).toMatchObject({
    error: { suggestions: ['Try again.'] },
  });
});

test.each([
  [-32000, 'Extraction failed'],
  [7, 'The plugin answered with error 7 and no message.'],
])('error %d without a message is named', (code, message) => {
  expect(refused(code, '')).toMatchObject({ error: { message, wireCode: code } });
});
