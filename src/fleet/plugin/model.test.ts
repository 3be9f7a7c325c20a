// Whatever happens to a plugin in whatever order: every call is settled once, no slot is lost, and it ends in a state that makes sense.
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import {
  fakeWorld,
  settled,
  type FakeWorld,
  type WorldOptions,
} from '../../../test/support/fleet/fake-world.ts';
import { runs } from '../../../test/support/runs.ts';
import { PluglotError } from '../../base/error.ts';
import type { Outcome } from '../../definition/outcome.ts';
import type { Call } from '../../definition/call.ts';
import type { Talk } from './talk.ts';
import { loadCompilers } from './validation/compilers.ts';

type Step =
  | { readonly do: 'start' | 'stop' | 'restart' | 'exit' | 'freeze' | 'close-output' | 'settle' }
  | { readonly do: 'call'; readonly timeoutMs: number; readonly caller: string; readonly tool: string }
  | { readonly do: 'cancel' | 'answer' | 'stream' | 'refuse-ack' | 'break'; readonly which: number }
  | { readonly do: 'introduce' | 'refuse'; readonly which: number }
  | { readonly do: 'talk' | 'say' | 'leave' | 'keep'; readonly which: number }
  | { readonly do: 'wait'; readonly ms: number };

const which = fc.nat(20);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('start', 'stop', 'restart', 'freeze', 'close-output') }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('exit', 'settle') }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('call'),
      timeoutMs: fc.constantFrom(10, 500, 5000, 60_000),
      caller: fc.constantFrom('a', 'b'),
      tool: fc.constantFrom('echo', 'echo', 'other', 'unknown', 'typed'),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom('answer', 'answer', 'stream', 'cancel', 'refuse-ack', 'break'),
      which,
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('introduce', 'introduce', 'refuse'), which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('talk', 'say', 'leave', 'keep'), which }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('wait'), ms: fc.constantFrom(50, 300, 1500, 6000, 20_000) }),
  },
);

const options: fc.Arbitrary<WorldOptions> = fc.record({
  spec: fc.record({
    instances: fc.constantFrom(1, 1, 2),
    concurrency: fc.constantFrom(1, 3),
    queueLimit: fc.constantFrom(3, 100),
    restart: fc.record({ max: fc.constantFrom(1, 5), stableMs: fc.constantFrom(1000, 60_000) }),
  }),
  cancel: fc.constantFrom('free', 'occupied'),
  traits: fc.record({
    fatalFailures: fc.constantFrom([], ['ACK_TIMEOUT'], ['ACK_TIMEOUT', 'CALL_TIMEOUT']),
  }),
  hasTalk: fc.constant(true),
});

const numRuns = runs(150);

// So that it takes no time when the first call needs it.
beforeAll(() => loadCompilers().then(() => {}));

test('random lives', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      options,
      fc.boolean(),
      fc.array(step, { maxLength: 40 }),
      async (options, eager, steps) => {
        const world = fakeWorld({
          ...options,
          tools: [
            { name: 'echo' },
            { name: 'other' },
            { name: 'typed', inputSchema: { properties: { a: { type: 'string' } }, required: ['a'] } },
          ],
          ...(eager ? {} : { onStart: () => {} }),
        });
        const life = new RandomLife(world);
        for (const each of steps) await life.take(each);
        expect(await life.finish()).toEqual([]);
      },
    ),
    { numRuns },
  );
});

class RandomLife {
  readonly #world: FakeWorld;
  readonly #calls: { readonly call: Call; settled: number; outcome: Outcome | undefined }[] = [];
  readonly #talks: Talk[] = [];
  readonly #wrong: string[] = [];
  #talking = 0;

  constructor(world: FakeWorld) {
    this.#world = world;
  }

  async take(step: Step): Promise<void> {
    const { plugin, processes } = this.#world;
    const process = processes.at(-1);
    switch (step.do) {
      case 'start':
      case 'restart':
        plugin[step.do]().catch(() => {});
        break;
      case 'stop':
        void plugin.stop();
        break;
      case 'exit':
        process?.exit(1);
        break;
      case 'freeze':
        if (process !== undefined) process.stopped = true;
        break;
      case 'close-output':
        process?.closeOutput();
        break;
      case 'settle':
        await settled();
        break;
      case 'call':
        this.#hear(plugin.call(step.tool, {}, { timeoutMs: step.timeoutMs, caller: step.caller }));
        break;
      case 'cancel':
        this.#calls[step.which]?.call.cancel();
        break;
      case 'answer':
      case 'keep':
        this.#underWay(step.which)?.end({ ok: true, keepSession: step.do === 'keep' });
        break;
      case 'refuse-ack':
        this.#underWay(step.which)?.end({ ok: false, error: { code: 'ACK_TIMEOUT', message: 'no ack' } });
        break;
      case 'break':
        this.#underWay(step.which)?.end({ ok: false, error: { code: 'PIPE_ENDED', message: 'gone' } });
        break;
      case 'stream':
        this.#underWay(step.which)?.stream('x');
        break;
      case 'introduce':
        processes[step.which]?.introduce();
        break;
      case 'refuse':
        processes[step.which]?.refuse(new PluglotError('START_FAILED', 'No.'));
        break;
      case 'talk': {
        const talk = plugin.talk('echo');
        this.#talks.push(talk);
        this.#talking += 1;
        void talk.ended.then(() => (this.#talking -= 1));
        this.#hear(talk.opening);
        break;
      }
      case 'say': {
        const call = this.#talks[step.which]?.say('hello');
        if (call !== undefined) this.#hear(call);
        break;
      }
      case 'leave':
        this.#talks[step.which]?.end();
        break;
      case 'wait':
        await this.#world.advance(step.ms);
        this.#checkAtRest();
        break;
    }
    this.#checkNow();
  }

  /** What was wrong on the way and is wrong at the end. */
  async finish(): Promise<string[]> {
    const { plugin, fleet } = this.#world;
    // Longer than any call may wait, run, and be finished elsewhere: everything has to be over by then, without help.
    await this.#world.advance(140_000, 500);
    for (const { outcome, settled, call } of this.#calls) {
      if (settled !== 1) this.#wrong.push(`the call of ${call.tool} was settled ${settled} times`);
      if (outcome?.ok === false && outcome.error.code === 'PIPE_ENDED')
        this.#wrong.push('an unexplained end');
    }
    for (const talk of this.#talks) talk.end();
    await settled();
    if (plugin.status.running + plugin.status.waiting > 0) this.#wrong.push('calls are left');
    const closed = fleet.close();
    await this.#world.advance(10_000, 500);
    await closed;
    await Promise.all(this.#talks.map(({ ended }) => ended));
    const { state, pids, running, waiting } = plugin.status;
    if (state !== 'stopped' || pids.length + running + waiting > 0)
      this.#wrong.push(`it is ${state} at the end`);
    if (!this.#world.processes.every(({ isGone }) => isGone)) this.#wrong.push('a process is left');
    return this.#wrong;
  }

  #hear(call: Call): void {
    const heard = { call, settled: 0, outcome: undefined as Outcome | undefined };
    this.#calls.push(heard);
    void call.then((outcome) => {
      heard.settled += 1;
      heard.outcome = outcome;
    });
  }

  #underWay(which: number) {
    const underWay = this.#world.processes.flatMap((process) => (process.isGone ? [] : process.underWay));
    return underWay[which % Math.max(1, underWay.length)];
  }

  /** What holds when everything that had to happen has happened. */
  #checkAtRest(): void {
    const { state, waiting } = this.#world.plugin.status;
    if (state === 'ready' && waiting > 0 && this.#talking === 0)
      this.#wrong.push('a call waits though nothing is in its way');
  }

  /** What holds at any moment. */
  #checkNow(): void {
    const { plugin, processes } = this.#world;
    const { state, running, waiting } = plugin.status;
    const { concurrency = 1, queueLimit = 0 } = plugin.spec;
    if (waiting > queueLimit) this.#wrong.push('too many wait');
    for (const { underWay } of processes)
      if (underWay.length > concurrency) this.#wrong.push('too many are sent');
    if (state === 'busy' && running === 0) this.#wrong.push('busy with nothing');
    if ((state === 'failed' || state === 'stopped') && running + waiting > 0)
      this.#wrong.push(`${state} with calls`);
  }
}
