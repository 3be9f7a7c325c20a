// Who waits for whom: the queue, one at a time, the first of several.
import { expect, test } from 'vitest';
import { no, rounds, yes } from '../../../test/support/gate/gate.ts';
import { question, unaborted } from '../../../test/support/gate/question.ts';
import { deferred, type Deferred } from '../../base/async.ts';
import type { Caller } from '../../definition/caller.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { approvalOf, decisionOf } from './approval-of.ts';
import type { Approval, Approver, Question } from './approver.ts';
import { restored } from './question.ts';
import { firstOf } from './first-of.ts';
import { createApprovalQueue } from './queue.ts';
import { serialised } from './serialised.ts';

test('questions wait in the queue until they are answered or withdrawn, and whoever watches hears of it', async () => {
  const queue = createApprovalQueue();
  const heard: string[][] = [];
  const end = queue.onChanged((pending) => heard.push(pending.map(({ id }) => id)));
  const one = queue.ask(question({ id: 'one' }), unaborted);
  const controller = new AbortController();
  const two = queue.ask(question({ id: 'two' }), controller.signal);
  expect(queue.pending()).toMatchObject([{ id: 'one' }, { id: 'two' }]);
  expect(queue.answer('one', yes)).toBe(true);
  expect(await one).toEqual(yes);
  controller.abort();
  await expect(two).rejects.toThrow('the caller has stopped waiting');
  expect(heard).toEqual([['one'], ['one', 'two'], ['two'], []]);
  end();
  expect(queue.answer('two', yes)).toBe(false);
  expect(queue.answer('never asked', yes)).toBe(false);
});

test('the queue refuses what is no answer, what is asked twice, and too much', async () => {
  const queue = createApprovalQueue({ maxPending: 2, maxPendingOfCaller: 2 });
  const one = queue.ask(question({ id: 'one' }), unaborted);
  await expect(queue.ask(question({ id: 'one' }), unaborted)).rejects.toThrow('asked already');
  const two = queue.ask(question({ id: 'two' }), unaborted);
  await expect(queue.ask(question({ id: 'three' }), unaborted)).rejects.toThrow('2 questions wait');
  await expect(queue.ask(question({ id: 'four' }), AbortSignal.abort())).rejects.toThrow(
    'the caller has stopped waiting',
  );
  expect(queue.answer('one', { kind: 'allow' } as never)).toBe(true);
  await expect(one).rejects.toThrow('for how long');
  queue.answer('two', no);
  expect(await two).toEqual(no);
});

test('one caller fills a fifth of the queue at most, however many connections and names it has', async () => {
  const queue = createApprovalQueue();
  const asked = (caller: Caller, id: string) => {
    const controller = new AbortController();
    controllers.push(controller);
    return queue.ask(question({ id, caller }), controller.signal);
  };
  const controllers: AbortController[] = [];
  const greedy = (n: number): Caller => ({
    kind: 'client',
    name: `name ${n}`,
    access: 'greedy',
    connection: String(n),
    ...(n % 2 === 0 ? {} : { profile: `p${n}`, isProfileChosen: true }),
  });
  const waiting = Array.from({ length: 20 }, (_, n) => asked(greedy(n), `greedy-${n}`));
  await expect(asked(greedy(20), 'more')).rejects.toThrow('20 questions of this caller wait');
  const others: Caller[] = [
    { kind: 'client', access: 'other' },
    { kind: 'client', access: 'greedy', profile: 'bound' },
    { kind: 'client', connection: '1' },
    { kind: 'client', connection: '2' },
    { kind: 'model' },
  ];
  waiting.push(...others.map((caller, n) => asked(caller, `other-${n}`)));
  expect(queue.pending()).toHaveLength(25);
  // One that is over makes room.
  queue.answer('greedy-0', no);
  waiting.push(asked(greedy(21), 'later'));
  expect(queue.pending()).toHaveLength(25);
  const ends = Promise.allSettled(waiting);
  for (const controller of controllers) controller.abort();
  await ends;
});

interface Asked {
  readonly question: Question;
  readonly signal: AbortSignal;
  readonly answer: Deferred<Approval>;
}

/** Answers when told to. */
function manual(limitMs?: number): Approver & { asked: Asked[] } {
  const asked: Asked[] = [];
  return {
    asked,
    ...(limitMs === undefined ? {} : { limitMs }),
    ask(given, signal) {
      const answer = deferred<Approval>();
      asked.push({ question: given, signal, answer });
      return answer.promise;
    },
  };
}

test('one question at a time; one whose caller went away is skipped', async () => {
  const inner = manual();
  const approver = serialised(inner, { clock: fakeClock() });
  const controller = new AbortController();
  const first = approver.ask(question({ id: '1' }), unaborted);
  const second = approver.ask(question({ id: '2' }), controller.signal);
  const third = approver.ask(question({ id: '3' }), unaborted);
  await rounds();
  expect(ids(inner.asked)).toEqual(['1']);
  controller.abort();
  await expect(second).rejects.toThrow('the caller has stopped waiting');
  inner.asked[0]?.answer.resolve(yes);
  expect(await first).toEqual(yes);
  await rounds();
  expect(ids(inner.asked)).toEqual(['1', '3']);
  inner.asked[1]?.answer.reject(new Error('no'));
  await expect(third).rejects.toThrow('no');
});

test('callers take turns, so that one with many questions does not keep the others from theirs', async () => {
  const inner = manual();
  const approver = serialised(inner, { clock: fakeClock() });
  const asked = (id: string, access: string) =>
    approver.ask(question({ id, caller: { kind: 'client', access } }), unaborted);
  const all = [asked('a1', 'a'), asked('a2', 'a'), asked('a3', 'a'), asked('b1', 'b'), asked('c1', 'c')];
  for (let n = 0; n < all.length; n += 1) {
    await rounds();
    inner.asked[n]?.answer.resolve(yes);
  }
  await Promise.all(all);
  expect(ids(inner.asked)).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
});

test('time counts from being shown, and one that hangs does not hold up the next', async () => {
  const clock = fakeClock();
  const inner = manual(5000);
  const approver = serialised(inner, { clock, waitMs: 100_000, now: () => clock.now() });
  expect(approver.limitMs).toBe(105_000);
  const first = approver.ask(question({ id: '1' }), unaborted);
  const second = approver.ask(question({ id: '2' }), unaborted);
  await rounds();
  clock.advance(4000);
  expect(ids(inner.asked)).toEqual(['1']);
  clock.advance(1000);
  await expect(first).rejects.toThrow('no answer came in time');
  await rounds();
  expect(inner.asked[0]?.signal.aborted).toBe(true);
  expect(inner.asked[1]?.question).toMatchObject({ id: '2', expiresAt: 10_000 });
  inner.asked[1]?.answer.resolve(yes);
  expect(await second).toEqual(yes);
  expect(clock.waiting).toBe(0);
});

test('a caller that goes away while it is shown makes room', async () => {
  const inner = manual();
  const approver = serialised(inner, { clock: fakeClock() });
  const controller = new AbortController();
  const first = approver.ask(question({ id: '1' }), controller.signal);
  const second = approver.ask(question({ id: '2' }), unaborted);
  await rounds();
  controller.abort();
  await expect(first).rejects.toThrow('the caller has stopped waiting');
  await rounds();
  expect(inner.asked[0]?.signal.aborted).toBe(true);
  inner.asked[1]?.answer.resolve(no);
  expect(await second).toEqual(no);
});

test('the first who answers wins, and the others are told', async () => {
  const one = manual(1000);
  const two = manual(9000);
  const approver = firstOf(one, two);
  expect(approver.limitMs).toBe(9000);
  const answer = approver.ask(question(), unaborted);
  two.asked[0]?.answer.resolve(yes);
  expect(await answer).toEqual(yes);
  expect([one, two].map(({ asked }) => asked[0]?.signal.aborted)).toEqual([true, true]);
});

test('who cannot answer does not count; when nobody can, it fails', async () => {
  const broken: Approver = {
    ask: () => {
      throw new Error('kaputt');
    },
  };
  const garbage: Approver = { ask: () => Promise.resolve('yes' as never) };
  const one = manual();
  const answer = firstOf(broken, garbage, one).ask(question(), unaborted);
  one.asked[0]?.answer.resolve(no);
  expect(await answer).toEqual(no);
  await expect(firstOf(broken, garbage).ask(question(), unaborted)).rejects.toThrow(
    'kaputt; the answer is not an object',
  );
  await expect(firstOf().ask(question(), unaborted)).rejects.toThrow('there is no one to ask');
});

test('a question that is withdrawn is withdrawn from all', async () => {
  const one = manual();
  const controller = new AbortController();
  const answer = firstOf(one).ask(question(), controller.signal);
  controller.abort();
  expect(one.asked[0]?.signal.aborted).toBe(true);
  one.asked[0]?.answer.reject(new Error('withdrawn'));
  await expect(answer).rejects.toThrow('withdrawn');
});

test.each<[object, object]>([
  [{ decision: 'allow' }, { kind: 'allow', scope: 'once' }],
  [
    { decision: 'allow', scope: 'turn' },
    { kind: 'allow', scope: 'turn' },
  ],
  [
    { decision: 'allow_once', scope: 'session' },
    { kind: 'allow', scope: 'once' },
  ],
  [{ decision: 'allow_session' }, { kind: 'allow', scope: 'session' }],
  [{ decision: 'allow_all' }, { kind: 'allow', scope: 'all' }],
  [
    { decision: 'allow', arguments: { a: 1 } },
    { kind: 'allow', scope: 'once', args: { a: 1 } },
  ],
  [
    { decision: 'deny', comment: 'no' },
    { kind: 'deny', scope: 'once', comment: 'no' },
  ],
  [{ decision: 'deny_session' }, { kind: 'deny', scope: 'session' }],
  [{ decision: 'timeout' }, { kind: 'deny', scope: 'once', comment: 'No answer came in time.' }],
])('decision %j', (answer, expected) => {
  expect(decisionOf(answer as never, 'x')).toEqual({ ...expected, by: 'x' });
});

test.each([
  null,
  [],
  'allow',
  {},
  { decision: 'yes' },
  { decision: true },
  { decision: 'allow', scope: 'forever' },
  { decision: 'deny', scope: 'all' },
  { decision: 'allow', arguments: 'a' },
  { decision: '__proto__' },
])('no decision: %j', (answer) => {
  expect(() => decisionOf(answer as never, 'x')).toThrow(/the answer|decision/);
});

test('an approval is copied, and nothing else is taken from it', () => {
  const args = { a: 1 };
  const approval = approvalOf({ kind: 'allow', scope: 'once', args, by: 'x'.repeat(500), more: 1 });
  expect(approval).toEqual({ kind: 'allow', scope: 'once', args: { a: 1 }, by: 'x'.repeat(200) });
  args.a = 2;
  expect(approval).toMatchObject({ args: { a: 1 } });
  expect(approvalOf({ kind: 'deny', scope: 'once' })).toEqual({
    kind: 'deny',
    scope: 'once',
    by: 'a person',
  });
});

test('what was not shown in full and is left as it was means what it was', () => {
  const original = { a: 'secret', list: ['x', 'key'], deep: { b: 'long text', c: 1 }, plain: '***' };
  const shown = { a: '***', list: ['x', '***'], deep: { b: 'lo… (9 characters)', c: 1 }, plain: '***' };
  expect(restored(shown, shown, original)).toEqual(original);
  expect(restored({ ...shown, a: 'mine', list: ['y', '***'] }, shown, original)).toEqual({
    ...original,
    a: 'mine',
    list: ['y', 'key'],
  });
  expect(restored({ deep: { b: 'short', c: 2 } }, shown, original)).toEqual({ deep: { b: 'short', c: 2 } });
  expect(() => restored({ a: 'x***' }, shown, original)).toThrow(
    '"a" was changed, and a part of it was not shown',
  );
  expect(() => restored({ deep: { b: 'lo… (8 characters)' } }, shown, original)).toThrow('"deep.b"');
});

function ids(asked: readonly Asked[]): string[] {
  return asked.map(({ question: { id } }) => id);
}
