import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forever, request } from '../../../test/support/plugins/selection-request.ts';
import { temporaryFolder, writeFiles } from '../../../test/support/temporary-folder.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { TerminalPort } from '../../outside/terminal.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { createSelector, readAnswer, readChoice, type SelectorParts } from './selection.ts';
import type { ReferencesConfig } from './settings.ts';

function selector(channel: JsonObject, ports: Partial<SelectorParts['ports']> = {}) {
  const clock = fakeClock();
  const warnings: string[] = [];
  const printed: string[] = [];
  // The channel of the file is used where the configuration has none.
  const made = createSelector({} as ReferencesConfig, channel, {
    clock,
    warn: (message) => void warnings.push(message),
    dataFolder: () => temporaryFolder(),
    ports: {
      env: {},
      cwd: '/',
      fetch: () => Promise.reject(new Error('not expected')),
      person: undefined,
      print: (line) => void printed.push(line),
      now: () => new Date(0),
      ...ports,
    },
  });
  return {
    clock,
    warnings,
    printed,
    choose: (...args: Parameters<typeof made.choose>) => made.choose(...args),
    report: (...args: Parameters<typeof made.report>) => made.report(...args),
  };
}

describe('console', () => {
  function setUp(...typed: (string | undefined | Error)[]) {
    const shown: string[] = [];
    const person: TerminalPort = {
      ask: (text, _prompt, signal) => {
        shown.push(text);
        if (typed.length === 0)
          return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
        const next = typed.shift();
        return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
      },
    };
    return { shown, ...selector({}, { person }) };
  }

  test('shows a menu without anything that a terminal would interpret', async () => {
    const { choose, shown } = setUp('1,3');
    expect(await choose(request, forever)).toEqual({ kind: 'answered', answer: ['api', 'style'] });
    expect(shown[0]?.split('\n')).toEqual([
      'REFERENCE SELECTION',
      '',
      'Context: for the \\x1b[2Jlogin',
      '',
      '  [1] API',
      '      The API of ours',
      '      Type: local | Tags: rest, http',
      '  [2] Auth',
      '      Type: mcp | Tags: none',
      '  [3] Style',
      '      How we write',
      '      Type: url | Tags: style',
      '',
      'Numbers separated by commas (1,3 or 2-4), "all", or "none".',
    ]);
  });

  test('asks again when it does not understand, three times', async () => {
    const { choose, shown } = setUp('7', 'all');
    expect(await choose(request, forever)).toMatchObject({ answer: ['api', 'auth', 'style'] });
    expect(shown[1]).toBe(
      '7 is not in the list; it goes from 1 to 3. Numbers such as 1,3 or 2-4, "all", or "none".',
    );
    const stubborn = setUp('x', 'x', 'x', 'all');
    expect(await stubborn.choose(request, forever)).toEqual({ kind: 'answered', answer: [] });
    expect(stubborn.shown).toHaveLength(3);
  });

  test.each([['none'], [''], [undefined]])('%s selects nothing', async (typed) => {
    expect(await setUp(typed).choose(request, forever)).toEqual({ kind: 'answered', answer: [] });
  });

  test('a terminal that fails selects nothing', async () => {
    const { choose, warnings } = setUp(new Error('closed'));
    expect(await choose(request, forever)).toEqual({ kind: 'failed', reason: 'closed' });
    expect(warnings).toEqual(['References could not be chosen: closed.']);
  });

  test('ends by its time limit, or when it is withdrawn', async () => {
    const { choose, clock } = setUp();
    const late = choose(request, forever);
    clock.advance(60_000);
    expect(await late).toEqual({ kind: 'late' });
    const caller = new AbortController();
    const left = choose(request, caller.signal);
    caller.abort();
    expect(await left).toEqual({ kind: 'withdrawn' });
    expect(clock.waiting).toBe(0);
  });

  test('fails where there is no person, and prints the result', async () => {
    expect(await selector({}).choose(request, forever)).toEqual({
      kind: 'failed',
      reason: 'no person is at a terminal',
    });
    const { report, printed } = setUp();
    await report('done\u0007', forever);
    expect(printed).toEqual(['done\\x07']);
  });
});

describe('file', () => {
  function setUp(folder = path.join(temporaryFolder(), 'exchange')) {
    const made = selector({ type: 'file', base_path: folder, timeout: 2, poll_interval: 0.5 });
    return { folder, asked: path.join(folder, 'requests/r-1.json'), ...made };
  }

  test('writes the request, waits for a complete answer, and removes both', async () => {
    const { folder, clock, choose, report, asked } = setUp();
    const selection = choose(request, forever);
    await expect.poll(() => fs.existsSync(asked), { interval: 1 }).toBe(true);
    expect(JSON.parse(fs.readFileSync(asked, 'utf8'))).toEqual(request);
    expect(fs.statSync(asked).mode & 0o777).toBe(0o600);
    writeFiles(folder, { 'responses/r-1.json': '{ "selected_ids": ["ap' });
    clock.advance(500);
    writeFiles(folder, { 'responses/r-1.json': { request_id: 'r-1', selected_ids: ['api'] } });
    clock.advance(500);
    expect(await selection).toEqual({ kind: 'answered', answer: ['api'] });
    expect([fs.readdirSync(path.dirname(asked)), fs.readdirSync(path.join(folder, 'responses'))]).toEqual([
      [],
      [],
    ]);
    await report('done', forever);
    expect(JSON.parse(fs.readFileSync(path.join(folder, 'results/latest.json'), 'utf8'))).toEqual({
      timestamp: '1970-01-01T00:00:00.000Z',
      message: 'done',
    });
  });

  test('ends by its time limit, or when it is withdrawn', async () => {
    const { clock, choose, asked } = setUp();
    const late = choose(request, forever);
    await expect.poll(() => fs.existsSync(asked), { interval: 1 }).toBe(true);
    clock.advance(2000);
    expect(await late).toEqual({ kind: 'late' });
    expect(fs.existsSync(asked)).toBe(false);
    const caller = new AbortController();
    const left = choose(request, caller.signal);
    await expect.poll(() => fs.existsSync(asked), { interval: 1 }).toBe(true);
    caller.abort();
    expect(await left).toEqual({ kind: 'withdrawn' });
    expect(clock.waiting).toBe(0);
  });

  test('a folder that cannot be written is reported', async () => {
    const taken = path.join(temporaryFolder({ taken: 'a file' }), 'taken');
    const { choose, report, warnings } = setUp(taken);
    expect(await choose(request, forever)).toMatchObject({ kind: 'failed' });
    await report('x', forever);
    expect(warnings).toHaveLength(2);
  });
});

describe('webhook', () => {
  function setUp(answer: () => Promise<Response>) {
    const sent: { body: unknown; authorization: string | null }[] = [];
    const channel = { type: 'webhook', endpoint: 'https://hooks.example/private', auth_token: 'hidden' };
    const made = selector(channel, {
      fetch: (_, options) => {
        sent.push({
          // Only texts are sent.
          body: JSON.parse(options?.body as string) as unknown,
          authorization: new Headers(options?.headers).get('authorization'),
        });
        const aborted = new Promise<never>((_resolve, reject) => {
          options?.signal?.addEventListener('abort', () => reject(new Error('aborted')));
        });
        return Promise.race([answer(), aborted]);
      },
    });
    return { sent, ...made };
  }

  test('sends the request and takes the ids', async () => {
    const { choose, report, sent } = setUp(() => Promise.resolve(Response.json({ selected_ids: ['auth'] })));
    expect(await choose(request, forever)).toEqual({ kind: 'answered', answer: ['auth'] });
    expect(sent).toEqual([
      { body: { ...request, sources: request.sources }, authorization: 'Bearer hidden' },
    ]);
    await report('done', forever);
    expect(sent[1]?.body).toEqual({ type: 'selection_result', message: 'done' });
  });

  test('an empty list selects nothing; anything else is reported without its address', async () => {
    const empty = setUp(() => Promise.resolve(Response.json({ selected_ids: [] })));
    expect(await empty.choose(request, forever)).toEqual({ kind: 'answered', answer: [] });
    for (const answer of [new Response('<html>'), new Response('', { status: 403 })]) {
      const { choose, warnings } = setUp(() => Promise.resolve(answer));
      expect(await choose(request, forever)).toMatchObject({ kind: 'failed' });
      expect(warnings.join()).toContain('https://hooks.example');
      expect(warnings.join()).not.toMatch(/private|hidden/);
    }
  });

  test('ends by its time limit, or when it is withdrawn', async () => {
    const { choose, clock } = setUp(() => new Promise(() => {}));
    const late = choose(request, forever);
    clock.advance(300_000);
    expect(await late).toEqual({ kind: 'late' });
    expect(await choose(request, AbortSignal.timeout(0))).toEqual({ kind: 'withdrawn' });
  });
});

describe('what a program answers', () => {
  test.each<[Json, readonly string[]]>([
    [{ selected_ids: ['a', 'b'] }, ['a', 'b']],
    [{ selected_ids: ['a', 1], request_id: 'r-1' }, ['a']],
    [{ selected_ids: [] }, []],
  ])('%j', (value, ids) => {
    expect(readAnswer(value, 'r-1')).toEqual(ids);
  });

  test.each<[Json]>([
    [{ selected_ids: ['a'], request_id: 'other' }],
    [{ selected_ids: 'a' }],
    [{}],
    [[]],
    [''],
    [null],
  ])('%j is not an answer', (value) => {
    expect(() => readAnswer(value, 'r-1')).toThrow('is not { "selected_ids"');
  });
});

describe('what is typed', () => {
  test.each<[string, readonly number[]]>([
    ['1,3', [1, 3]],
    [' 3 , 1,3 ', [3, 1]],
    ['1 2', [1, 2]],
    ['2-3;1', [2, 3, 1]],
    ['all', [1, 2, 3]],
    ['ALL', [1, 2, 3]],
    ['none', []],
    ['', []],
    ['  ', []],
  ])('%j', (typed, numbers) => {
    expect(readChoice(typed, 3)).toEqual({ kind: 'numbers', numbers });
  });

  test.each(['4', '0', '-1', '1,x', '3-1', '1.5', '1e3', 'everything', '9'.repeat(5000), '1-999999'])(
    '%s is invalid',
    (typed) => {
      expect(readChoice(typed, 3)).toMatchObject({ kind: 'invalid' });
    },
  );

  test('whatever it is, what comes of it is in the list, each once', () => {
    const words = fc.oneof(
      fc.string(),
      fc.array(fc.integer({ min: -2, max: 12 })).map((numbers) => numbers.join()),
    );
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 10 }), (typed, count) => {
        const choice = readChoice(typed, count);
        const numbers = choice.kind === 'numbers' ? choice.numbers : [];
        expect(numbers.filter((number) => !Number.isInteger(number) || number < 1 || number > count)).toEqual(
          [],
        );
        expect(new Set(numbers).size).toBe(numbers.length);
        expect('reason' in choice ? choice.reason : 'fine').not.toBe('');
      }),
    );
  });
});
