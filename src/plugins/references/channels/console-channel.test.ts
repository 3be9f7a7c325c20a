import { describe, expect, test } from 'vitest';
import { forever, request } from '../../../../test/support/selection-request.ts';
import { fakeClock } from '../../../testing/fake-clock.ts';
import type { Person } from '../../host-ports.ts';
import { consoleChannel } from './console-channel.ts';

describe('console', () => {
  function setUp(...typed: (string | undefined | Error)[]) {
    const clock = fakeClock();
    const shown: string[] = [];
    const printed: string[] = [];
    const person: Person = {
      ask: (text, _prompt, signal) => {
        shown.push(text);
        if (typed.length === 0)
          return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
        const next = typed.shift();
        return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
      },
    };
    const parts = { person, print: (line: string) => void printed.push(line), clock };
    return { clock, shown, printed, channel: consoleChannel({ timeoutMs: 60_000 }, parts) };
  }

  test('shows a menu with nothing in it that a terminal would obey', async () => {
    const { channel, shown } = setUp('1,3');
    expect(await channel.choose(request, forever)).toEqual({ kind: 'selected', ids: ['api', 'style'] });
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
    const { channel, shown } = setUp('7', 'all');
    expect(await channel.choose(request, forever)).toMatchObject({ ids: ['api', 'auth', 'style'] });
    expect(shown[1]).toBe(
      '7 is not in the list; it goes from 1 to 3. Numbers such as 1,3 or 2-4, "all", or "none".',
    );
    const stubborn = setUp('x', 'x', 'x', 'all');
    expect(await stubborn.channel.choose(request, forever)).toEqual({ kind: 'none' });
    expect(stubborn.shown).toHaveLength(3);
  });

  test.each([['none'], [''], [undefined], [new Error('closed')]])('%s is nothing', async (typed) => {
    expect(await setUp(typed).channel.choose(request, forever)).toEqual({ kind: 'none' });
  });

  test('ends by its time, or when it is given up', async () => {
    const { channel, clock } = setUp();
    const late = channel.choose(request, forever);
    clock.advance(60_000);
    expect(await late).toEqual({ kind: 'late' });
    const caller = new AbortController();
    const left = channel.choose(request, caller.signal);
    caller.abort();
    expect(await left).toEqual({ kind: 'none' });
    expect(clock.waiting).toBe(0);
  });

  test('says that nobody is there, and tells what came of it', async () => {
    const channel = consoleChannel(
      { timeoutMs: 1 },
      { person: undefined, print: () => {}, clock: fakeClock() },
    );
    expect(await channel.choose(request, forever)).toMatchObject({
      kind: 'unavailable',
      reason: expect.stringContaining('set channel_type to "webhook" or "file"') as string,
    });
    const { channel: other, printed } = setUp();
    await other.tell('done\u0007', forever);
    expect(printed).toEqual(['done\\x07']);
  });
});
