// Commands of a plugin as the prompts of a server.
import { describe, expect, test } from 'vitest';
import { ask } from '../../../test/support/dialect/author-end.ts';
import { greetedServer } from '../../../test/support/dialect/mcp/author-end.ts';
import type { Answer } from '../../definition/outcome.ts';

const commands = [
  {
    name: 'review',
    description: 'Reviews a file.',
    parameters: [
      { name: 'file', description: 'Which', required: true },
      { name: 'rest', captureRest: true },
    ],
    shareWithModel: true,
  },
  { name: 'status', parameters: [], shareWithModel: false },
];

describe('prompts', () => {
  // requirement: mcp:server:prompts
  test('are listed with their arguments', async () => {
    const { raw } = await greetedServer({ manifest: { commands } });
    expect((await ask(raw, 1, 'prompts/list')).result).toEqual({
      prompts: [
        {
          name: 'review',
          description: 'Reviews a file.',
          arguments: [{ name: 'file', description: 'Which', required: true }, { name: 'rest' }],
        },
        { name: 'status' },
      ],
    });
  });

  test('are no commands that are for the user of a host alone', async () => {
    const own = { name: 'permissions', parameters: [], shareWithModel: false, forUsersOnly: true };
    const { raw, backend } = await greetedServer({
      manifest: { commands: [...commands, own] },
      commands: {},
    });
    const { prompts } = (await ask(raw, 1, 'prompts/list')).result as { prompts: { name: string }[] };
    expect(prompts.map(({ name }) => name)).toEqual(['review', 'status']);
    expect((await ask(raw, 2, 'prompts/get', { name: 'permissions' })).error).toMatchObject({ code: -32602 });
    const ref = { type: 'ref/prompt', name: 'permissions' };
    const completed = await ask(raw, 3, 'completion/complete', { ref, argument: { name: 'a', value: '' } });
    expect(completed.error).toMatchObject({ code: -32602 });
    expect(backend.requests).toEqual([]);
  });

  test('run the command: its text is what the user says', async () => {
    const { raw, backend } = await served({ ok: true, text: 'Please review a.ts.' });
    const { result } = await ask(raw, 1, 'prompts/get', { name: 'review', arguments: { file: 'a.ts' } });
    expect(result).toEqual({
      description: 'Reviews a file.',
      messages: [{ role: 'user', content: { type: 'text', text: 'Please review a.ts.' } }],
    });
    expect(backend.requests).toEqual([
      { tool: 'review', args: { file: 'a.ts' }, timeoutMs: Infinity, dialect: 'mcp' },
    ]);
  });

  test('of which the model shall see nothing are marked for the user', async () => {
    const { raw } = await served({ ok: true, data: { up: true } });
    expect((await ask(raw, 1, 'prompts/get', { name: 'status' })).result).toEqual({
      messages: [
        {
          role: 'user',
          content: { type: 'text', text: '{"up":true}', annotations: { audience: ['user'] } },
        },
      ],
    });
  });

  // requirement: mcp:server:prompts-invalid
  test.each<[unknown, Answer, object]>([
    [{ name: 'nope' }, { ok: true }, { code: -32602, message: 'Unknown prompt: nope' }],
    [
      { name: 'review', arguments: { file: 7 } },
      { ok: true },
      { code: -32602, message: 'Invalid params: "arguments.file" is 7; expected a string.' },
    ],
    [
      { name: 'review' },
      { ok: false, error: { code: 'INVALID_ARGUMENTS', message: 'file is missing.' } },
      { code: -32602, message: 'file is missing.' },
    ],
    [
      { name: 'review' },
      { ok: false, error: { code: 'UNKNOWN_TOOL', message: 'Gone.' } },
      { code: -32602, message: 'Unknown prompt: review' },
    ],
    [
      { name: 'review' },
      { ok: false, error: { code: 'TOOL_FAILED', message: 'No.', reason: 'Why', recoverable: false } },
      { code: -32603, message: 'No.', data: { reason: 'Why', recoverable: false } },
    ],
  ])('%j that ends with %j is refused with %j', async (params, answer, error) => {
    const { raw } = await served(answer);
    expect((await ask(raw, 1, 'prompts/get', params)).error).toEqual(error);
  });
});

describe('completion', () => {
  // requirement: mcp:server:completion
  test.each([
    [['a.ts', 'b.ts'], { values: ['a.ts', 'b.ts'], total: 2, hasMore: false }],
    [[], { values: [], total: 0, hasMore: false }],
    [
      Array.from({ length: 150 }, (_, n) => `${n}`),
      { values: Array.from({ length: 100 }, (_, n) => `${n}`), total: 150, hasMore: true },
    ],
  ])('tells what may stand for an argument', async (values, completion) => {
    const asked: unknown[] = [];
    const { raw } = await greetedServer({
      manifest: { commands },
      commands: {},
      complete: (...question) => {
        asked.push(question);
        return values;
      },
    });
    const params = { ref: { type: 'ref/prompt', name: 'review' }, argument: { name: 'file', value: 'a' } };
    expect((await ask(raw, 1, 'completion/complete', params)).result).toEqual({ completion });
    expect(asked).toEqual([['review', 'file', 'a']]);
  });

  test('a command whose completion fails has none', async () => {
    const { raw } = await greetedServer({
      manifest: { commands },
      commands: {},
      complete: () => {
        throw new Error('broken');
      },
    });
    const params = { ref: { type: 'ref/prompt', name: 'review' }, argument: { name: 'file', value: '' } };
    expect((await ask(raw, 1, 'completion/complete', params)).result).toEqual({
      completion: { values: [], total: 0, hasMore: false },
    });
  });

  test.each([
    { ref: { type: 'ref/resource', uri: 'file:///a' }, argument: { name: 'a', value: '' } },
    { ref: { type: 'ref/prompt', name: 'nope' }, argument: { name: 'a', value: '' } },
    { ref: { type: 'ref/prompt', name: 'review' } },
    { ref: { type: 'ref/prompt', name: 'review' }, argument: { name: 'a', value: 7 } },
  ])('%j is refused', async (params) => {
    const { raw } = await greetedServer({ manifest: { commands } });
    expect((await ask(raw, 1, 'completion/complete', params)).error).toMatchObject({ code: -32602 });
  });
});

function served(answer: Answer) {
  const script = { review: end, status: end };
  function end(_: unknown, sink: { end(answer: Answer): void }): void {
    sink.end(answer);
  }
  return greetedServer({ manifest: { commands }, commands: script });
}
