// No line of an extension of ours is longer than real hosts can read.
import { describe, expect, test } from 'vitest';
import { ask } from '../../../test/support/dialect/author-end.ts';
import {
  answeredWith,
  hello,
  servedExtension as served,
} from '../../../test/support/dialect/gevals/author-end.ts';
import type { Answer } from '../../definition/outcome.ts';
import { LINE_LIMIT } from './line-limit.ts';

describe('the limit of a line', () => {
  // requirement: gevals:extension:line-limit
  test.each<[string, Answer]>([
    ['text', { ok: true, text: 'x'.repeat(200_000) }],
    ['text of many bytes', { ok: true, text: '"é😀\n'.repeat(50_000) }],
    ['an output', { ok: true, text: 'short', outputs: { big: 'é'.repeat(100_000), small: 's' } }],
    [
      'many outputs',
      { ok: true, data: Object.fromEntries(numbers(200).map((n) => [`n${n}`, 'y'.repeat(500)])) },
    ],
    ['too many outputs', { ok: true, data: Object.fromEntries(numbers(9000).map((n) => [`name ${n}`, n])) }],
    [
      'a failure',
      { ok: false, text: 'x'.repeat(70_000), error: { code: 'TOOL_FAILED', message: 'z'.repeat(70_000) } },
    ],
    [
      'an error',
      { ok: false, text: 'x'.repeat(70_000), error: { code: 'TIMEOUT', message: 'z'.repeat(70_000) } },
    ],
  ])('is kept by %s, and something is said', async (_, answer) => {
    const { result, error } = await answeredWith(answer);
    expect(Buffer.byteLength(JSON.stringify({ jsonrpc: '2.0', id: 1, result, error }))).toBeLessThanOrEqual(
      LINE_LIMIT,
    );
    expect(error?.code ?? result?.['success']).toBe(isError(answer) ? -32001 : answer.ok);
  });

  test('what is short stays whole beside what is long, and the cut is told', async () => {
    const { result } = await answeredWith({
      ok: true,
      text: 'short',
      outputs: { big: 'b'.repeat(100_000), small: 's' },
    });
    expect(result).toMatchObject({ success: true, message: 'short', outputs: { small: 's' } });
    expect(JSON.stringify(result)).toContain('100000 characters were too many for one line');
  });

  test('too many outputs are left out, and counted', async () => {
    const data = Object.fromEntries(numbers(9000).map((n) => [`name ${n}`, n]));
    expect((await answeredWith({ ok: true, text: 'Counted.', data })).result).toEqual({
      success: true,
      message: 'Counted. 9000 outputs were too many for one line and are left out.',
    });
  });

  test('is kept by logs', async () => {
    const { raw, extension } = served({});
    extension.log({ level: 'info', message: 'm'.repeat(100_000), data: { small: 1 } });
    extension.log({ level: 'info', message: 'short', data: { big: 'd'.repeat(100_000) } });
    const [long, large] = (await raw.take(2)) as { params: { message: string; data?: unknown } }[];
    expect(long?.params.message).toContain('100000 characters were too many');
    expect(long?.params.data).toEqual({ small: 1 });
    expect(large?.params).toEqual({ level: 'info', message: 'short' });
  });

  test('is kept by manifests: texts for people go first, then what is known of arguments', async () => {
    const manifest = async (count: number, about: string) => {
      const { raw } = served({
        manifest: {
          tools: numbers(count).map((n) => ({
            name: `tool-${n}`,
            description: about,
            inputSchema: {
              type: 'object',
              properties: {
                description: { type: 'string', description: about },
                n: { enum: [about.length] },
              },
            },
          })),
        },
      });
      const { result } = await ask(raw, 1, 'initialize', hello);
      expect(Object.keys((result?.['operations'] ?? {}) as object)).toHaveLength(count);
      return JSON.stringify(result);
    };
    expect(await manifest(10, 'a'.repeat(100))).toContain('"description":{"type":"string","description":"aa');
    expect(await manifest(100, 'a'.repeat(400))).toMatch(
      /"tool-0":{"description":"a{400}","params":{"type":"object","properties":{"description":{"type":"string"}/,
    );
    expect(await manifest(100, 'a'.repeat(900))).toContain(
      '"tool-0":{"params":{"type":"object","properties":{"description"',
    );
    expect(await manifest(1000, 'a'.repeat(900))).toContain('"tool-0":{"params":{"type":"object"}}');
  });
});

function isError(answer: Answer): boolean {
  return !answer.ok && answer.error.code === 'TIMEOUT';
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n);
}
