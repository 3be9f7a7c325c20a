// Two peers through random interleavings of everything they can do: every promise settles, the counters add up, nothing stays behind.
import { setImmediate as nextRound } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { framingNames, framingOf, type FramingName } from '../../../test/support/channel/raw-end.ts';
import { runs } from '../../../test/support/runs.ts';
import { linkedPipes } from '../bytes/stream-pipe.ts';
import { framedLink } from '../link/framed-link.ts';
import { RpcError } from '../message/rpc-error.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import type { CancelProtocol, PeerOptions } from './options.ts';
import { Peer } from './peer.ts';
import type { PeerStats } from './stats.ts';

const MAX_IN_FLIGHT = 4;
const MAX_WAITING = 6;
const MAX_HANDLING = 5;

type Side = 'a' | 'b';
type Outcome = { side: Side; kind: string };
type Command = fc.AsyncCommand<object, World>;

const cancel: CancelProtocol = {
  method: 'cancel',
  notification: (id) => ({ method: 'cancel', params: [id] }),
  idIn: (params) => (params as number[])[0],
};

/** Two peers, all calls that were made on them and how they ended, all handlers that run. */
class World {
  readonly clock = fakeClock();
  readonly peers: Record<Side, Peer>;
  readonly outcomes: Outcome[] = [];
  readonly handlers: ((how: 'answer' | 'fail') => void)[] = [];
  readonly controllers: AbortController[] = [];
  readonly abandoners: (() => void)[] = [];
  readonly closings: Promise<void>[] = [];
  calls = 0;
  ended = false;
  readonly #pipes = linkedPipes();

  constructor(framing: FramingName, handling: 'serial' | 'concurrent') {
    const [left, right] = this.#pipes;
    const options: PeerOptions = {
      clock: this.clock,
      cancel,
      handling,
      maxInFlight: MAX_IN_FLIGHT,
      maxWaiting: MAX_WAITING,
      maxHandling: MAX_HANDLING,
    };
    this.peers = {
      a: new Peer(framedLink(left, framingOf(framing)), options),
      b: new Peer(framedLink(right, framingOf(framing)), options),
    };
    for (const peer of [this.peers.a, this.peers.b]) {
      peer.handle('now', (params) => params);
      peer.handle('work', () => {
        return new Promise((resolve, reject) => {
          this.handlers.push((how) =>
            how === 'answer' ? resolve('done') : reject(new RpcError(1, 'failed')),
          );
        });
      });
    }
  }

  watch(side: Side, call: Promise<unknown>): void {
    this.calls += 1;
    call.then(
      () => this.outcomes.push({ side, kind: 'result' }),
      (error: { code: string | number }) => {
        this.outcomes.push({ side, kind: typeof error.code === 'number' ? 'rpc-error' : error.code });
      },
    );
  }

  breakPipe(): void {
    this.ended = true;
    this.#pipes[0].destroy();
  }

  count(side: Side, ...kinds: readonly string[]): number {
    return this.outcomes.filter((outcome) => outcome.side === side && kinds.includes(outcome.kind)).length;
  }
}

const side = fc.constantFrom<Side>('a', 'b');
const method = fc.constantFrom('now', 'work', 'work', 'missing');
const timeoutMs = fc.constantFrom(5, 50, 500, Infinity);

const commands: fc.Arbitrary<Command>[] = [
  fc.tuple(side, method, timeoutMs).map(([side, method, timeoutMs]) =>
    command(`${side}.request ${method} ${timeoutMs}`, (world) => {
      world.watch(side, world.peers[side].request(method, [1], { timeoutMs }));
    }),
  ),
  fc.tuple(side, method, timeoutMs).map(([side, method, timeoutMs]) =>
    command(`${side}.request ${method} ${timeoutMs} with a signal`, (world) => {
      const controller = new AbortController();
      world.controllers.push(controller);
      world.watch(side, world.peers[side].request(method, [1], { timeoutMs, signal: controller.signal }));
    }),
  ),
  fc.tuple(side, method, timeoutMs).map(([side, method, timeoutMs]) =>
    command(`${side}.open ${method} ${timeoutMs}`, (world) => {
      try {
        const exchange = world.peers[side].open(method, [1], { timeoutMs });
        world.abandoners.push(() =>
          exchange.abandon(Object.assign(new Error('abandoned'), { code: 'CALL_CANCELLED' })),
        );
        world.watch(side, exchange.result);
      } catch (error) {
        world.watch(side, Promise.reject(error));
      }
    }),
  ),
  fc.tuple(side, fc.array(method, { minLength: 1, maxLength: 3 })).map(([side, methods]) =>
    command(`${side}.batch ${methods.join()}`, (world) => {
      const calls = world.peers[side].batch(methods.map((method) => ({ method, params: [1] })));
      methods.forEach((_, index) => world.watch(side, outcomeAt(calls, index)));
    }),
  ),
  side.map((side) =>
    command(`${side}.notify`, ({ peers }) => {
      try {
        peers[side].notify('said');
      } catch {
        // It is closed.
      }
    }),
  ),
  fc.tuple(fc.nat(), fc.constantFrom('answer', 'fail')).map(([at, how]) =>
    command(`handler ${at} ${how}`, ({ handlers }) => {
      pick(handlers, at)?.(how);
    }),
  ),
  fc.nat().map((at) => command(`abort ${at}`, ({ controllers }) => pick(controllers, at)?.abort())),
  fc.nat().map((at) => command(`abandon ${at}`, ({ abandoners }) => pick(abandoners, at)?.())),
  fc.constantFrom(1, 10, 100).map((ms) => command(`advance ${ms}`, ({ clock }) => clock.advance(ms))),
  fc.integer({ min: 1, max: 4 }).map((rounds) => command(`flow ${rounds}`, () => flow(rounds))),
];

const endings: fc.Arbitrary<Command>[] = [
  fc
    .tuple(side, fc.constantFrom('finish' as const, 'abort' as const), timeoutMs)
    .map(([side, pending, timeoutMs]) =>
      command(`${side}.close ${pending} ${timeoutMs}`, (world) => {
        world.ended = true;
        world.closings.push(world.peers[side].close({ pending, timeoutMs }));
      }),
    ),
  fc.constant(command('break the pipe', (world) => world.breakPipe())),
];

describe.each(framingNames)('two peers over %s', (framing) => {
  test.each(['serial', 'concurrent'] as const)(
    'every call ends, the counters add up and nothing stays under way, %s',
    async (handling) => {
      const anyOf = fc.commands([...commands, ...commands, ...endings], { maxCommands: 60 });
      const withoutEnding = fc.commands(commands, { maxCommands: 60 });
      for (const script of [withoutEnding, anyOf]) {
        await fc.assert(
          fc.asyncProperty(script, async (script) => {
            const world = new World(framing, handling);
            await fc.asyncModelRun(() => ({ model: {}, real: world }), script);
            await wrapUp(world);
            expect(problemsOf(world)).toEqual([]);
          }),
          { numRuns: runs(150) },
        );
      }
    },
  );
});

/** Lets everything come to its end: handlers answer, messages arrive, both ends close. */
async function wrapUp(world: World): Promise<void> {
  do {
    for (const handler of world.handlers.splice(0)) handler('answer');
    await flow(6);
  } while (world.handlers.length > 0);
  const { a, b } = world.peers;
  const closings = [a.close({ timeoutMs: 1000 }), b.close({ timeoutMs: 1000 })];
  await flow(6);
  world.clock.advance(1000);
  await Promise.all([...world.closings, ...closings, a.closed, b.closed]);
  await flow(2);
}

/** What does not add up. */
function problemsOf(world: World): string[] {
  const facts: [string, boolean][] = [
    [`${world.outcomes.length} of ${world.calls} calls ended`, world.outcomes.length === world.calls],
    [`${world.clock.waiting} timers left`, world.clock.waiting === 0],
  ];
  for (const side of ['a', 'b'] as const) {
    const stats = world.peers[side].stats();
    const other = world.peers[side === 'a' ? 'b' : 'a'].stats();
    const answered = world.count(side, 'result', 'rpc-error');
    facts.push(
      [`${side}: in flight ${stats.inFlight}`, stats.inFlight === 0],
      [`${side}: waiting ${stats.waiting}`, stats.waiting === 0],
      [`${side}: handling ${stats.handling}`, stats.handling === 0],
      [`${side}: unknown responses ${stats.unknownResponses}`, stats.unknownResponses === 0],
      [`${side}: invalid messages ${stats.invalidMessages}`, stats.invalidMessages === 0],
      [`${side}: ${stats.latency.count} latencies of ${answered} answers`, stats.latency.count === answered],
      [`${side}: responses ${stats.responsesReceived}`, stats.responsesReceived === answered + strays(stats)],
      [`${side}: timeouts ${stats.timeouts}`, stats.timeouts === world.count(side, 'CALL_TIMEOUT')],
      [`${side}: cancelled ${stats.cancelled}`, stats.cancelled === world.count(side, 'CALL_CANCELLED')],
      [`${side}: sent ${stats.requestsSent} for ${answered} answers`, stats.requestsSent >= answered],
      [`${side}: ${other.requestsReceived} of ${stats.requestsSent} arrived`, arrived(world, side)],
    );
  }
  return facts.filter(([, holds]) => !holds).map(([fact]) => fact);
}

/** Without an end in between, all that was sent arrives. */
function arrived(world: World, side: Side): boolean {
  const sent = world.peers[side].stats().requestsSent;
  const received = world.peers[side === 'a' ? 'b' : 'a'].stats().requestsReceived;
  return world.ended ? received <= sent : received === sent;
}

function strays({ lateResponses, duplicateResponses, unknownResponses }: PeerStats): number {
  return lateResponses + duplicateResponses + unknownResponses;
}

function command(name: string, run: (world: World) => unknown): Command {
  return {
    check: () => true,
    async run(_, world) {
      await run(world);
      for (const side of ['a', 'b'] as const) {
        const { inFlight, waiting, handling } = world.peers[side].stats();
        expect(inFlight).toBeLessThanOrEqual(MAX_IN_FLIGHT);
        expect(waiting).toBeLessThanOrEqual(MAX_WAITING);
        expect(handling).toBeLessThanOrEqual(MAX_HANDLING);
      }
    },
    toString: () => name,
  };
}

async function outcomeAt(calls: Promise<PromiseSettledResult<unknown>[]>, index: number): Promise<unknown> {
  const outcome = (await calls)[index];
  if (outcome?.status === 'rejected') throw outcome.reason;
  return outcome?.value;
}

function pick<Item>(items: Item[], at: number): Item | undefined {
  return items.splice(at % (items.length || 1), 1)[0];
}

async function flow(rounds: number): Promise<void> {
  for (let i = 0; i < rounds; i++) await nextRound();
}
