import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Caller } from '../../definition/caller.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { gateWorld, model, rounds, user } from '../../../test/support/gate/gate.ts';
import { Denial } from '../denial.ts';
import { limitsOf, type Held } from './limit-options.ts';
import { Rates, RateWindow } from './admission.ts';
import { Turns, type Turn, type Waiting } from './turns.ts';

describe('a window', () => {
  test('never lets more through in any minute than its limit', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 7 }),
        fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 200 }),
        (limit, gaps) => {
          const window = new RateWindow(limit);
          const taken: number[] = [];
          let now = 0;
          for (const gap of gaps) {
            now += gap;
            const waitMs = window.waitMs(now);
            const inWindow = taken.filter((time) => time > now - 60_000).length;
            // Neither more nor less.
            expect(waitMs === 0).toBe(inWindow < limit);
            if (waitMs > 0) continue;
            window.take(now);
            taken.push(now);
          }
        },
      ),
    );
  });

  test('tells when there is room again', () => {
    const window = new RateWindow(2);
    window.take(1000);
    window.take(5000);
    expect(window.waitMs(10_000)).toBe(51_000);
    expect(window.waitMs(61_000)).toBe(0);
    expect(new RateWindow(0).waitMs(0)).toBe(Infinity);
  });
});

describe('rates', () => {
  test('a call that one of them refuses is counted under none', () => {
    const rates = new Rates(fakeClock());
    const one = held('one', 1);
    const many = held('many', 100);
    expect(rates.take([many, one])).toBeUndefined();
    for (let n = 0; n < 200; n++) expect(rates.take([many, one])).toBeInstanceOf(Denial);
    for (let n = 0; n < 99; n++) expect(rates.take([many])).toBeUndefined();
    expect(rates.take([many])).toBeInstanceOf(Denial);
  });

  test('keep a bounded number of windows, and refuse what they cannot count', () => {
    const clock = fakeClock();
    const rates = new Rates(clock);
    for (let n = 0; n < 20_000; n++) expect(rates.take([held(`client:${n}`, 1)])).toBeUndefined();
    expect(rates.take([held('client:more', 1)])).toBeInstanceOf(Denial);
    clock.advance(60_000);
    expect(rates.take([held('client:more', 1)])).toBeUndefined();
  });
});

test('a name of its own holds instead of what holds for each', () => {
  const of = limitsOf('perMinute', {
    all: 9,
    tool: 1,
    caller: 2,
    tools: { ls: 5 },
    callers: { client: 3, 'client:ide': 4 },
    plugins: JSON.parse('{"__proto__": 1}') as Record<string, number>,
  });
  const limits = (tool: string, caller: { kind: 'model' | 'client'; name?: string }) =>
    of({ tool, plugin: 'p', caller }).map(({ setting, limit }) => [setting, limit]);
  expect(limits('rm', { kind: 'model' })).toEqual([
    ['limits.perMinute.tool', 1],
    ['limits.perMinute.caller', 2],
    ['limits.perMinute.all', 9],
  ]);
  expect(limits('ls', { kind: 'client', name: 'ide' })).toEqual([
    ['limits.perMinute.tools', 5],
    ['limits.perMinute.callers', 4],
    ['limits.perMinute.all', 9],
  ]);
  expect(limits('ls', { kind: 'client', name: 'x' })[1]).toEqual(['limits.perMinute.callers', 3]);
});

test('a profile that a client chose itself gives it no other share, and can only lower its own', () => {
  const of = limitsOf('perMinute', {
    caller: 9,
    session: 5,
    callers: { 'profile:slow': 2, 'token:laptop': 7 },
  });
  const held = (from: Omit<Caller, 'kind'>) =>
    of({ tool: 't', plugin: 'p', caller: { kind: 'client', isProfileChosen: true, ...from } });
  const keys = (from: Omit<Caller, 'kind'>) => held(from).map(({ key, limit }) => [key, limit]);
  for (const profile of ['p1', 'p2'])
    expect(keys({ access: 'laptop', profile, connection: '1' })).toEqual([
      ['caller:@token:laptop', 7],
      ['session:token:laptop#1', 5],
    ]);
  expect(keys({ access: 'laptop', profile: 'slow' })).toEqual([
    ['caller:@token:laptop', 7],
    ['caller:profile:slow@token:laptop', 2],
  ]);
  expect(held({ access: 'phone', profile: 'p1' })[0]?.of).toBe('clients with the token "phone"');
});

test('a client is counted by its profile or token; the name it gives itself can only lower that', () => {
  const of = limitsOf('perMinute', {
    caller: 9,
    session: 5,
    callers: { 'profile:reader': 7, 'client:greedy': 100, 'client:shy': 1 },
  });
  const held = (name: string, from: Omit<Caller, 'kind' | 'name'>) =>
    of({ tool: 't', plugin: 'p', caller: { kind: 'client', name, ...from } }).map(({ key, limit }) => [
      key,
      limit,
    ]);
  expect(held('any', { access: 'laptop' })).toEqual([['caller:@token:laptop', 9]]);
  expect(held('other', { access: 'laptop' })).toEqual(held('any', { access: 'laptop' }));
  expect(held('any', { connection: '1' })).toEqual([
    ['caller:@', 9],
    ['session:#1', 5],
  ]);
  const reader = { access: 'laptop', profile: 'reader' };
  expect(held('any', { ...reader, connection: '1' })).toEqual([
    ['caller:@profile:reader', 7],
    ['session:profile:reader#1', 5],
  ]);
  expect(held('greedy', reader)[0]).toEqual(['caller:@profile:reader', 7]);
  expect(held('shy', reader)).toEqual([
    ['caller:@profile:reader', 7],
    ['caller:client:shy@profile:reader', 1],
  ]);
  const shown = of({
    tool: 't',
    plugin: 'p',
    caller: { kind: 'client', ...reader, connection: '1' },
  });
  expect(shown.map(({ of: what, setting }) => `${what}: ${setting}`)).toEqual([
    'clients of the profile "reader": limits.perMinute.callers',
    'this connection: limits.perMinute.session',
  ]);
});

describe('turns', () => {
  test('never more at once than any limit, everybody gets a turn, and nothing is left', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            tool: fc.constantFrom('a', 'b', 'c'),
            caller: fc.constantFrom('x', 'y'),
            action: fc.constantFrom('take', 'take', 'leave', 'give-up'),
            pick: fc.nat(),
          }),
          { maxLength: 60 },
        ),
        async (steps) => {
          const turns = new Turns();
          const underWay: { turn: Turn; keys: readonly string[] }[] = [];
          const waiting: { waiting: Waiting; keys: readonly string[] }[] = [];
          const limits = { all: 3, tool: 1, caller: 2 };
          const verify = () => {
            const counts = new Map<string, number>();
            for (const { keys } of underWay)
              for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
            for (const [key, count] of counts)
              expect(count).toBeLessThanOrEqual(key === 'all' ? limits.all : key.startsWith('tool') ? 1 : 2);
          };
          const settle = async () => {
            await Promise.resolve();
            await Promise.resolve();
          };
          for (const { tool, caller, action, pick } of steps) {
            if (action === 'take') {
              const keys = [`tool:${tool}`, `caller:${caller}`, 'all'];
              const taken = turns.take(
                [
                  held(`tool:${tool}`, limits.tool),
                  held(`caller:${caller}`, limits.caller),
                  held('all', limits.all),
                ],
                caller,
              );
              if (taken instanceof Denial) throw new Error(taken.reason);
              if ('turn' in taken) {
                const one = { waiting: taken, keys };
                waiting.push(one);
                void taken.turn.then((turn) => {
                  if (!waiting.includes(one)) return;
                  waiting.splice(waiting.indexOf(one), 1);
                  underWay.push({ turn, keys });
                });
              } else underWay.push({ turn: taken, keys });
            } else if (action === 'leave' && underWay.length > 0)
              underWay.splice(pick % underWay.length, 1)[0]?.turn.leave();
            else if (waiting.length > 0) waiting.splice(pick % waiting.length, 1)[0]?.waiting.giveUp();
            await settle();
            verify();
          }
          while (underWay.length > 0) {
            underWay.shift()?.turn.leave();
            await settle();
            verify();
          }
          expect(waiting).toEqual([]);
          expect(turns.waiting).toBe(0);
        },
      ),
    );
  });

  test('callers take turns, each in its own order', async () => {
    const turns = new Turns();
    const all = [held('all', 1)];
    const first = turns.take(all, 'x');
    const order: string[] = [];
    const wait = (caller: string, name: string) => {
      const taken = turns.take(all, caller);
      if ('turn' in taken)
        void taken.turn.then((turn) => {
          order.push(name);
          turn.leave();
        });
    };
    for (const name of ['x1', 'x2', 'x3']) wait('x', name);
    for (const name of ['y1', 'y2']) wait('y', name);
    if ('leave' in first) first.leave();
    await rounds();
    expect(order).toEqual(['x1', 'y1', 'x2', 'y2', 'x3']);
  });

  test('who waits for a busy tool keeps nobody from another', () => {
    const turns = new Turns();
    const of = (tool: string) => [held(`tool:${tool}`, 1), held('all', 10)];
    turns.take(of('a'), 'x');
    expect(turns.take(of('a'), 'x')).toHaveProperty('turn');
    expect(turns.take(of('b'), 'x')).toHaveProperty('leave');
  });

  test('lines are bounded, for all and for each caller', () => {
    const turns = new Turns({ all: 3, caller: 2 });
    const all = [held('all', 1)];
    turns.take(all, 'x');
    expect([1, 2, 3].map(() => turns.take(all, 'x') instanceof Denial)).toEqual([false, false, true]);
    expect([1, 2].map(() => turns.take(all, 'y') instanceof Denial)).toEqual([false, true]);
    expect(turns.waiting).toBe(3);
    expect(turns.take([held('none', 0)], 'y')).toMatchObject({ failure: { code: 'TOO_MANY_CALLS' } });
  });
});

describe('at the gate', () => {
  test('too often: the caller is told when to try again', async () => {
    const { gate, clock, audit } = gateWorld({ limits: { perMinute: { tools: { echo: 2 } } } });
    const call = () => gate.call('echo', {}, { caller: model });
    await call();
    clock.advance(10_000);
    await call();
    expect(await call()).toMatchObject({
      error: {
        code: 'RATE_LIMITED',
        message:
          'More than 2 calls a minute of "echo" are not allowed (gate.limits.perMinute.tools). Try again in 50 s.',
        data: { retryAfterMs: 50_000 },
      },
    });
    expect(audit.events.at(-1)).toMatchObject({ kind: 'decided', allowed: false, method: 'rate' });
    clock.advance(50_000);
    expect(await call()).toMatchObject({ ok: true });
  });

  test('a call that was never made costs neither rate nor budget', async () => {
    const { gate, source, audit, clock } = gateWorld({
      limits: {
        perMinute: { tool: 3 },
        budget: { tool: 4, callers: { model: 4 } },
        concurrent: { tool: 1 },
        waiting: { ms: 1000, all: 1 },
      },
    });
    source.answer = () => undefined;
    const call = () => gate.call('echo', {}, { caller: model });
    const first = call();
    await rounds();
    // One waits until it is given up, one too long, one is refused since the line is full.
    const [givenUp, refused] = [call(), call()];
    expect(await refused).toMatchObject({ error: { code: 'TOO_MANY_CALLS' } });
    givenUp.cancel('enough');
    expect(await givenUp).toMatchObject({ error: { code: 'CALL_CANCELLED' } });
    const tooLong = call();
    await rounds();
    clock.advance(1000);
    expect(await tooLong).toMatchObject({ error: { code: 'TOO_MANY_CALLS' } });
    source.made[0]?.end();
    await first;
    // One cannot be written down.
    audit.outcome = () => Promise.reject(new Error('the disk is full'));
    expect(await call()).toMatchObject({ error: { code: 'AUDIT_FAILED' } });
    audit.outcome = () => Promise.resolve();
    source.answer = () => ({ ok: true, text: 'done' });
    for (let n = 0; n < 2; n++) expect(await call()).toMatchObject({ ok: true });
    expect(await call()).toMatchObject({ error: { code: 'RATE_LIMITED' } });
    clock.advance(60_000);
    expect(await call()).toMatchObject({ ok: true });
    expect(await call()).toMatchObject({ error: { code: 'BUDGET_SPENT' } });
    expect(source.made).toHaveLength(4);
  });

  test('a budget is spent for good', async () => {
    const { gate, clock } = gateWorld({ limits: { budget: { callers: { model: 1 }, tools: { echo: 2 } } } });
    expect(await gate.call('echo', {}, { caller: model })).toMatchObject({ ok: true });
    clock.advance(1e9);
    expect(await gate.call('echo', {}, { caller: { kind: 'model', name: 'other' } })).toMatchObject({
      error: {
        code: 'BUDGET_SPENT',
        message:
          'All 1 calls of callers of the kind "model" that this session may make are spent (gate.limits.budget.callers).',
      },
    });
    expect(await gate.call('echo', {}, { caller: { kind: 'job' } })).toMatchObject({ ok: true });
    expect(await gate.call('echo', {}, { caller: { kind: 'job' } })).toMatchObject({
      error: { code: 'BUDGET_SPENT' },
    });
  });

  test('who is over what may run at once waits, but not for ever', async () => {
    const { gate, source, clock } = gateWorld({ limits: { concurrent: { plugin: 1 } } });
    source.answer = undefined;
    const first = gate.call('echo', {}, { caller: model });
    const second = gate.call('echo', {}, { caller: model });
    const third = gate.call('echo', {}, { caller: model });
    await rounds();
    expect(source.made).toHaveLength(1);
    source.made[0]?.end();
    await first;
    await rounds();
    expect(source.made).toHaveLength(2);
    clock.advance(30_000);
    expect(await third).toMatchObject({
      error: {
        code: 'TOO_MANY_CALLS',
        message:
          'The call waited 30 s for a turn: 1 calls of plugin "plugin" are under way, and more are not allowed at once (gate.limits.concurrent.plugin).',
      },
    });
    source.made[1]?.end();
    expect(await second).toMatchObject({ ok: true });
    const fourth = gate.call('echo', {}, { caller: model });
    await rounds();
    source.made[2]?.end();
    expect(await fourth).toMatchObject({ ok: true });
  });

  test('what a person types is not counted', async () => {
    const { gate } = gateWorld({
      limits: { perMinute: { all: 0 }, budget: { tool: 0 }, concurrent: { all: 0 } },
    });
    expect(await gate.call('echo', {}, { caller: user })).toMatchObject({ ok: true });
    expect(await gate.call('echo', {}, { caller: model })).toMatchObject({ error: { code: 'RATE_LIMITED' } });
  });
});

function held(key: string, limit: number): Held {
  return { key, limit, of: key, setting: `limits.test.${key}` };
}
