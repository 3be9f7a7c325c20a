// A fleet in a world without processes: a test plays the plugins, and moves the clock.
import { setImmediate as nextRound } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { deferred } from '../../../src/base/async.ts';
import { PluglotError } from '../../../src/base/error.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { Ending } from '../../../src/channel/bytes/pipe.ts';
import { linkedPipes } from '../../../src/channel/bytes/stream-pipe.ts';
import type { Manifest } from '../../../src/definition/manifest.ts';
import type { Answer, CallRequest, CallSink } from '../../../src/definition/outcome.ts';
import type { PluginLimits, PluginSpec } from '../../../src/definition/plugin-spec.ts';
import type { Tool } from '../../../src/definition/tool.ts';
import {
  type DialectTraits,
  type HostDialect,
  type WirePort,
  type HostServices,
  defaultLimits,
} from '../../../src/dialect/host-dialect.ts';
import { createFleet, type Fleet } from '../../../src/fleet/fleet.ts';
import type { ManifestCache } from '../../../src/fleet/manifest-cache/manifest-cache.ts';
import type { Plugin } from '../../../src/fleet/plugin/plugin.ts';
import type { Detect } from '../../../src/fleet/plugin/environment.ts';
import type { Launcher } from '../../../src/fleet/supervisor/launcher.ts';
import type { Exit, Running, StopLimits } from '../../../src/fleet/supervisor/spawn.ts';
import { fakeClock, type FakeClock } from '../../../src/testing/fake-clock.ts';

const limits: Required<PluginLimits> = { ...defaultLimits, pingEveryMs: 2000, messageBytes: 1_000_000 };

export interface WorldOptions {
  readonly spec?: Partial<PluginSpec>;
  readonly traits?: Partial<Omit<DialectTraits, 'limits'>>;
  readonly limits?: PluginLimits;
  readonly tools?: readonly Tool[];
  readonly random?: () => number;
  readonly manifestCache?: ManifestCache;
  readonly detect?: Detect;
  /** What a process does when it is started. @default it answers the handshake */
  readonly onStart?: (process: FakeProcess) => void;
  /** Makes the n-th launch fail. */
  readonly launchError?: (launch: number) => Error | undefined;
  /** What a wire says when a call is given up. @default 'occupied' */
  readonly cancel?: 'free' | 'occupied';
  readonly hasPing?: boolean;
  readonly hasTalk?: boolean;
  /** What it can be asked beside its tools. */
  readonly facets?: (start: StartCall) => Partial<WirePort>;
  /** What it says of itself beside its tools. */
  readonly manifest?: Partial<Manifest>;
  /** What of its spec is secret. */
  readonly secretsOf?: Launcher['secretsOf'];
}

/** Begins a call that the test ends. */
type StartCall = (request: CallRequest, sink: CallSink) => FakeCall;

export interface FakeWorld {
  readonly clock: FakeClock;
  readonly fleet: Fleet;
  readonly plugin: Plugin;
  /** All that were ever started, in order. */
  readonly processes: FakeProcess[];
  /** The last one. */
  readonly process: FakeProcess;
  /** Moves the clock on and lets everything happen that follows from it. */
  advance(ms: number, stepMs?: number): Promise<void>;
}

export function fakeWorld(options: WorldOptions = {}): FakeWorld {
  const clock = fakeClock();
  const processes: FakeProcess[] = [];
  const byPipe = new WeakMap<object, FakeProcess>();
  let launches = 0;
  const launcher: Launcher = {
    async launch(spec) {
      launches += 1;
      const error = options.launchError?.(launches);
      if (error !== undefined) throw error;
      const process = new FakeProcess(processes.length + 1, spec.name, options);
      processes.push(process);
      byPipe.set(process.pipe, process);
      return process;
    },
    containment: async () => 'group',
    hasCommand: () => true,
    ...(options.secretsOf && { secretsOf: options.secretsOf }),
    close: async () => {},
  };
  const dialect: HostDialect = {
    name: 'yams',
    traits: {
      limits: { ...limits, ...options.limits },
      concurrency: 1,
      ...options.traits,
    },
    connect(pipe, spec, services) {
      const process = byPipe.get(pipe);
      if (process === undefined) throw new Error('A pipe that nobody launched.');
      process.config = spec.config;
      return process.connect(services);
    },
  };
  const fleet = createFleet({
    launcher,
    clock,
    random: options.random ?? (() => 1),
    dialects: { yams: async () => dialect },
    ...(options.manifestCache && { manifestCache: options.manifestCache }),
    ...(options.detect && { detect: options.detect }),
    specs: [{ name: 'fake', dialect: 'yams', start: { kind: 'program', command: 'fake' }, ...options.spec }],
  });
  const plugin = fleet.plugin(options.spec?.name ?? 'fake');
  const world: FakeWorld = {
    clock,
    fleet,
    plugin,
    processes,
    get process() {
      const last = processes.at(-1);
      if (last === undefined) throw new Error('No process was started yet.');
      return last;
    },
    async advance(ms, stepMs = 50) {
      await settled();
      // In steps, so that what one timer brings about can set the next.
      for (let left = ms; left > 0; left -= stepMs) {
        clock.advance(Math.min(stepMs, left));
        await settled();
      }
    },
  };
  onTestFinished(async () => {
    const closed = fleet.close();
    for (const process of processes) process.exit();
    await closed;
  });
  return world;
}

/** Lets everything happen that waits for no clock. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 4; i++) await nextRound();
}

export class FakeProcess implements Running {
  readonly pid: number;
  readonly pluginName: string;
  readonly pipe = linkedPipes()[0];
  readonly calls: FakeCall[] = [];
  readonly inputs: string[] = [];
  readonly signals: string[] = [];
  readonly pings: { resolve(): void; reject(error: Error): void }[] = [];
  /** Whether pings are answered at once. */
  answersPings = true;
  /** How often it was asked to shut down. */
  goodbyes = 0;
  ignoresShutdown = false;
  ignoresStop = false;
  /** As by SIGSTOP. */
  stopped = false;
  services: HostServices | undefined;
  /** What it was started with. */
  config: JsonObject | undefined;
  isGone = false;
  stderrText = '';
  readonly #exited = deferred<Exit>();
  readonly #ended = deferred<Ending>();
  readonly #connected = deferred<WirePort>();
  readonly #options: WorldOptions;

  constructor(pid: number, pluginName: string, options: WorldOptions) {
    this.pluginName = pluginName;
    // Larger than any real one, so that no unrelated process is looked at.
    this.pid = 2 ** 30 + pid;
    this.#options = options;
  }

  get exited(): Promise<Exit> {
    return this.#exited.promise;
  }

  get gone(): Promise<void> {
    return this.exited.then(() => {});
  }

  isStopped(): boolean {
    return this.stopped;
  }

  stderr(): string {
    return this.stderrText;
  }

  async stop({ stdinMs = 0, termMs = 0 }: StopLimits = {}): Promise<Exit> {
    if (!this.ignoresStop || stdinMs + termMs === 0) this.exit(0);
    return this.exited;
  }

  signal(signal: NodeJS.Signals): void {
    this.signals.push(signal);
    if (signal === 'SIGKILL') this.exit(null, 'SIGKILL');
  }

  connect(services: HostServices): Promise<WirePort> {
    this.services = services;
    services.signal.addEventListener('abort', () => this.#connected.reject(new Error('given up')));
    if (this.#options.onStart === undefined) this.introduce();
    else this.#options.onStart(this);
    return this.#connected.promise;
  }

  introduce(tools: readonly Tool[] = this.#options.tools ?? [{ name: 'echo' }, { name: 'other' }]): void {
    this.#connected.resolve(this.#end(tools));
  }

  refuse(error: Error): void {
    this.#connected.reject(error);
  }

  /** The last call that is under way. */
  get call(): FakeCall {
    const call = this.calls.findLast(({ isOver }) => !isOver);
    if (call === undefined) throw new Error('No call is under way.');
    return call;
  }

  get underWay(): FakeCall[] {
    return this.calls.filter(({ isOver }) => !isOver);
  }

  exit(exitCode: number | null = 1, signal: NodeJS.Signals | null = null): void {
    if (this.isGone) return;
    this.isGone = true;
    this.closeOutput({ kind: 'exited', exitCode, signal });
    this.#exited.resolve({ kind: 'exited', exitCode, signal, stderr: this.stderrText });
  }

  /** Nothing more comes from it. */
  closeOutput(ending: Ending = { kind: 'ended' }): void {
    this.#connected.reject(new PluglotError('PIPE_ENDED', 'The pipe is over.'));
    this.#ended.resolve(ending);
    for (const call of this.underWay)
      call.end({ ok: false, error: { code: 'PIPE_ENDED', message: 'The pipe is over.' } });
  }

  #end(tools: readonly Tool[]): WirePort {
    const manifest: Manifest = {
      name: 'fake',
      version: '1',
      dialect: 'yams',
      tools,
      raw: {},
      ...this.#options.manifest,
    };
    const start = (request: CallRequest, sink: CallSink) => {
      const call = new FakeCall(request, sink, this.#options.cancel ?? 'occupied');
      this.calls.push(call);
      if (this.isGone) call.end({ ok: false, error: { code: 'PIPE_ENDED', message: 'The pipe is over.' } });
      return call;
    };
    return {
      manifest,
      call: start,
      ...this.#options.facets?.(start),
      ...(this.#options.hasPing === true ? { ping: () => this.#ping() } : {}),
      ...(this.#options.hasTalk === true
        ? {
            talk: {
              input: (content: string, sink: CallSink) => {
                this.inputs.push(content);
                return start({ tool: 'input', args: {}, timeoutMs: 0 }, sink);
              },
            },
          }
        : {}),
      shutdown: async () => {
        this.goodbyes += 1;
        if (this.ignoresShutdown) await this.exited;
      },
      close: () => this.closeOutput({ kind: 'closed' }),
      ended: this.#ended.promise,
    };
  }

  #ping(): Promise<void> {
    if (this.answersPings && !this.isGone) return Promise.resolve();
    return new Promise((resolve, reject) => this.pings.push({ resolve, reject }));
  }
}

export class FakeCall {
  readonly request: CallRequest;
  readonly sink: CallSink;
  readonly #cancel: 'free' | 'occupied';
  cancelled: string | undefined;
  isOver = false;

  constructor(request: CallRequest, sink: CallSink, cancel: 'free' | 'occupied') {
    this.request = request;
    this.sink = sink;
    this.#cancel = cancel;
  }

  cancel(reason: string): 'free' | 'occupied' {
    this.cancelled = reason;
    if (this.#cancel === 'free') this.isOver = true;
    return this.#cancel;
  }

  stream(text: string): void {
    this.sink.event({ kind: 'text', text });
  }

  end(answer: Answer = { ok: true, data: this.request.args }): void {
    if (this.isOver) throw new Error('A call ends once.');
    this.isOver = true;
    this.sink.end(answer);
  }
}
