import { expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { PluglotError } from '../../base/error.ts';
import { RpcError } from '../../channel/message/rpc-error.ts';
import { linkedPipes } from '../../channel/bytes/stream-pipe.ts';
import type { DialectName, PluginSpec } from '../../definition/plugin-spec.ts';
import type { HostDialect, WirePort } from '../../dialect/host-dialect.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import type { Launcher } from '../supervisor/launcher.ts';
import type { Exit, Running, SpawnOptions } from '../supervisor/spawn.ts';
import { detectDialect } from './detect-dialect.ts';

const spec: PluginSpec = { name: 'thing', start: { kind: 'program', command: 'thing' } };

test.each([
  ['its spec', { dialect: 'gevals' }, 'gevals'],
  ['a G-Assist manifest', { manifest: { manifestVersion: 1, functions: [] } }, 'gassist'],
  ['a YAMS manifest', { manifest: { name: 'a', entry: {} } }, 'yams'],
  ['an address', { start: { kind: 'http', url: 'http://127.0.0.1/' } }, 'mcp'],
] as const)('%s tells at once, and nothing is started', async (_, told, dialect) => {
  const launcher = launcherOf();
  const options = { launcher, dialects: [], clock: systemClock };
  expect(await detectDialect({ ...spec, ...told }, options)).toBe(dialect);
  expect(launcher.launched).toBe(0);
});

test('the first dialect that is answered wins, and every process is stopped before it is told', async () => {
  const launcher = launcherOf();
  const dialects = [dialectOf('gassist', never), dialectOf('yams', answers), dialectOf('mcp', never)];
  expect(await detectDialect(spec, { launcher, dialects, clock: systemClock })).toBe('yams');
  expect(launcher).toMatchObject({ launched: 3, stopped: 3 });
});

test('a program that can speak all dialects is asked for one, unless its user has named another', async () => {
  const asked: unknown[] = [];
  const launcher: Launcher = {
    ...launcherOf(),
    launch: (launched) => {
      asked.push('env' in launched.start && launched.start.env);
      return Promise.reject(new PluglotError('NOT_TRUSTED', 'not so'));
    },
  };
  const options = { launcher, dialects: [dialectOf('gassist', answers)], clock: systemClock };
  const env = { PLUGLOT_DIALECT: 'yams', KEY: 'x' };
  const named: PluginSpec = { name: 'thing', start: { kind: 'program', command: 'thing', env } };
  await outcomeOf(detectDialect(spec, options));
  await outcomeOf(detectDialect(named, options));
  expect(asked).toEqual([{ PLUGLOT_DIALECT: 'mcp' }, env]);
});

// requirement: planner:detection:by-result
test('one that would take any program for its own does not win', async () => {
  const assumed = { ...dialectOf('planner', answers), connect: async () => assumedEnd };
  const options = { launcher: launcherOf(), clock: systemClock };
  const late = dialectOf('yams', () => turns());
  expect(await detectDialect(spec, { ...options, dialects: [assumed, late] })).toBe('yams');
  const unknown = detectDialect(spec, { ...options, dialects: [assumed, dialectOf('mcp', refuses)] });
  expect(await outcomeOf(unknown)).toMatchObject({
    code: 'DIALECT_UNKNOWN',
    message: expect.stringContaining(
      'planner: it answers, and that says nothing: name this dialect',
    ) as string,
  });
});

test('a dialect whose handshake was understood and refused is the one, where no other was', async () => {
  const options = { launcher: launcherOf(), clock: systemClock };
  const failed = dialectOf('gevals', refusesWith(-32603));
  const wrongVersion = dialectOf('mcp', refusesWith(-32602));
  const unknownMethod = dialectOf('yams', refusesWith(-32601));
  const dialects = [unknownMethod, wrongVersion, failed];
  expect(await detectDialect(spec, { ...options, dialects })).toBe('gevals');
  const ambiguous = [failed, dialectOf('mcp', refusesWith(-32603))];
  expect(await outcomeOf(detectDialect(spec, { ...options, dialects: ambiguous }))).toMatchObject({
    code: 'DIALECT_UNKNOWN',
  });
});

test.each([
  ['who is silent is given up soon', ['node', 'plugin.mjs'], 10_000],
  [
    'who may have to be fetched gets as long as the most patient dialect gives a start',
    ['npx', '-y', 'x'],
    30_000,
  ],
  ['however it is called', ['/usr/bin/uv', 'run', 'x'], 30_000],
])('%s, and it is told that it takes long', async (_, [command = '', ...args], limitMs) => {
  const clock = fakeClock();
  const launcher = launcherOf(undefined, 'downloading\n');
  const dialects = [dialectOf('gassist', never, 10_000), dialectOf('mcp', never, 30_000)];
  const typed: PluginSpec = { ...spec, start: { kind: 'program', command, args } };
  let slow = 0;
  const detected = outcomeOf(
    detectDialect(typed, { launcher, dialects, clock, onSlow: () => void (slow += 1) }),
  );
  await turns();
  clock.advance(4999);
  expect(slow).toBe(0);
  clock.advance(limitMs - 5000);
  await turns();
  expect(slow).toBe(1);
  expect(launcher.stopped).toBe(0);
  clock.advance(1);
  await drained(clock);
  expect(await detected).toMatchObject({
    code: 'DIALECT_UNKNOWN',
    message: expect.stringContaining(`no answer within ${limitMs / 1000} s`) as string,
    stderr: 'downloading\n',
  });
  expect(launcher.stopped).toBe(2);
});

test('a spec says itself how long its start may take', async () => {
  const clock = fakeClock();
  const dialects = [dialectOf('mcp', never)];
  const patient = { ...spec, limits: { startMs: 60_000 } };
  const detected = outcomeOf(detectDialect(patient, { launcher: launcherOf(), dialects, clock }));
  await turns();
  clock.advance(59_999);
  await turns();
  clock.advance(1);
  await drained(clock);
  expect(await detected).toMatchObject({
    message: expect.stringContaining('no answer within 60 s') as string,
  });
});

test('one that answers nonsense has started: it is told within seconds what became of each', async () => {
  const clock = fakeClock();
  const launcher = launcherOf();
  const dialects = [dialectOf('gassist', never), dialectOf('yams', refuses)];
  const detected = outcomeOf(detectDialect(spec, { launcher, dialects, clock }));
  await turns();
  clock.advance(0); // the look whether the process has ended
  await turns();
  clock.advance(5000);
  await drained(clock);
  expect(await detected).toMatchObject({
    code: 'DIALECT_UNKNOWN',
    message: expect.stringMatching(/gassist: no answer within 5 s\n {2}yams: no manifest/) as string,
  });
  expect(launcher.stopped).toBe(2);
});

test('when every dialect was refused, nobody waits', async () => {
  const dialects = [dialectOf('gassist', refuses), dialectOf('yams', refuses)];
  // The clock never moves, but for the look whether the process has ended.
  const clock = fakeClock();
  const detected = outcomeOf(detectDialect(spec, { launcher: launcherOf(), dialects, clock }));
  await turns();
  clock.advance(0);
  expect(await detected).toMatchObject({ code: 'DIALECT_UNKNOWN' });
});

test('when every process ended by itself, its exit and last words are told', async () => {
  const exit: Exit = { kind: 'exited', exitCode: 7, signal: null, stderr: 'no config\n' };
  const launcher = launcherOf(exit);
  const dialects = [dialectOf('gassist', ended), dialectOf('yams', ended)];
  await expect(detectDialect(spec, { launcher, dialects, clock: systemClock })).rejects.toMatchObject({
    code: 'PLUGIN_EXITED',
    message: expect.stringContaining('exited with code 7 before it had answered in any dialect.') as string,
    stderr: 'no config\n',
  });
});

test('a program that ends as if all were well is told what a plugin does', async () => {
  const launcher = launcherOf({ kind: 'exited', exitCode: 0, signal: null, stderr: '' });
  const dialects = [dialectOf('gassist', ended), dialectOf('yams', ended)];
  await expect(detectDialect(spec, { launcher, dialects, clock: systemClock })).rejects.toMatchObject({
    code: 'PLUGIN_EXITED',
    message: expect.stringMatching(/exited with code 0 .* has to call serve\(\)\.$/) as string,
  });
});

test.each(['PROGRAM_NOT_FOUND', 'CONFIG_INVALID', 'NOT_TRUSTED'] as const)(
  'what keeps it from being launched is told as such: %s',
  async (code) => {
    const launcher: Launcher = {
      ...launcherOf(),
      launch: () => Promise.reject(new PluglotError(code, 'not so')),
    };
    const dialects = [dialectOf('gassist', never), dialectOf('yams', never)];
    await expect(detectDialect(spec, { launcher, dialects, clock: systemClock })).rejects.toMatchObject({
      code,
      message: 'not so',
    });
  },
);

test('what one of the processes prints is seen, and not of each again', async () => {
  const launcher = launcherOf(undefined, 'hello');
  const dialects = [dialectOf('gassist', never), dialectOf('yams', answers)];
  let seen = '';
  await detectDialect(spec, {
    launcher,
    dialects,
    clock: systemClock,
    onStderr: (chunk) => void (seen += chunk.toString()),
  });
  expect(seen).toBe('hello');
});

test('it can be given up', async () => {
  const launcher = launcherOf();
  const controller = new AbortController();
  const options = {
    launcher,
    dialects: [dialectOf('mcp', never)],
    clock: systemClock,
    signal: controller.signal,
  };
  const detected = detectDialect(spec, options);
  const failed = expect(detected).rejects.toMatchObject({ code: 'CALL_CANCELLED' });
  controller.abort();
  await failed;
  expect(launcher.stopped).toBe(1);
});

type Connect = (signal: AbortSignal) => Promise<unknown>;

const answers: Connect = () => Promise.resolve();
const refuses: Connect = () => Promise.reject(new PluglotError('PROTOCOL_VIOLATION', 'no manifest'));
const refusesWith =
  (code: number): Connect =>
  () =>
    Promise.reject(new PluglotError('START_FAILED', 'refused', { cause: new RpcError(code, 'no cluster') }));
const ended: Connect = () => Promise.reject(new PluglotError('PIPE_ENDED', 'gone'));
const never: Connect = (signal) =>
  new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(new Error('given up')), { once: true }),
  );

// The parts that asking uses.
const assumedEnd = { close: () => {}, isAssumed: true } as WirePort;

function dialectOf(name: DialectName, connect: Connect, startMs = 10_000): HostDialect {
  // The parts that asking uses.
  const end = { close: () => {} } as WirePort;
  const dialect: Pick<HostDialect, 'name' | 'connect'> & { traits: object } = {
    name,
    traits: { limits: { startMs } },
    connect: async (_pipe, _spec, { signal }) => {
      await connect(signal);
      return end;
    },
  };
  return dialect as HostDialect;
}

function launcherOf(exit?: Exit, stderr = ''): Launcher & { launched: number; stopped: number } {
  const launcher = {
    launched: 0,
    stopped: 0,
    launch: (_spec: PluginSpec, options?: SpawnOptions) => {
      launcher.launched += 1;
      if (stderr !== '') options?.onStderr?.(Buffer.from(stderr));
      const [pipe] = linkedPipes();
      const running: Running = {
        pid: 1,
        pipe,
        exited: exit === undefined ? new Promise(() => {}) : Promise.resolve(exit),
        gone: Promise.resolve(),
        stderr: () => stderr,
        isStopped: () => false,
        signal: () => {},
        stop: () => {
          launcher.stopped += 1;
          return Promise.resolve(exit ?? { kind: 'exited', exitCode: 0, signal: null, stderr: '' });
        },
      };
      return Promise.resolve(running);
    },
    hasCommand: () => true,
    containment: () => Promise.resolve('group' as const),
    close: () => Promise.resolve(),
  };
  return launcher;
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

function outcomeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.catch((error: unknown) => error);
}

/** Lets what waits for a moment of this clock go on, however many waits stand behind each other. */
async function drained(clock: ReturnType<typeof fakeClock>): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(100);
  }
}
