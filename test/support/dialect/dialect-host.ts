// A dialect's host end under test: against a raw end in memory, or against a program, with all its reports kept.
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock, type Clock } from '../../../src/base/clock.ts';
import type { Message, Received } from '../../../src/channel/message/message.ts';
import type { PeerTrouble } from '../../../src/channel/peer/options.ts';
import type { Answer, CallEvent, CallRequest, CallSink } from '../../../src/definition/outcome.ts';
import type { PluginSpec, RemoteSpec } from '../../../src/definition/plugin-spec.ts';
import type { LogEntry, Tool } from '../../../src/definition/tool.ts';
import type { HostDialect, WirePort, HostServices } from '../../../src/dialect/host-dialect.ts';
import type { RunningCall } from '../../../src/definition/plugin-port.ts';
import { spawn, type Running } from '../../../src/fleet/supervisor/spawn.ts';
import { root } from '../project.ts';
import { pipeAndRawEnd, type FramingName, type RawEnd } from '../channel/raw-end.ts';

export interface Told {
  readonly logs: LogEntry[];
  /** What the host end itself had to say. */
  readonly notes: LogEntry[];
  readonly troubles: PeerTrouble[];
  readonly toolLists: (readonly Tool[])[];
  /** Every message, as `→ host` sent it and `← plugin` did. */
  readonly wire: { readonly direction: 'sent' | 'received'; readonly message: Message | Received }[];
}

export interface HostOptions {
  readonly spec?: Partial<PluginSpec>;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
  /** The programs that are in PATH. @default all */
  readonly commands?: readonly string[];
  /** What the host does for plugins beyond that. */
  readonly work?: Pick<
    HostServices,
    'executeTask' | 'validateCode' | 'access' | 'learn' | 'personDecides' | 'news' | 'canStartAgain'
  >;
}

/** The host end of a dialect over memory, and the raw end that plays the plugin. */
export function hostAndRawEnd(
  dialect: HostDialect,
  framing: FramingName,
  options: HostOptions = {},
): { raw: RawEnd; connected: Promise<WirePort>; told: Told } {
  const { pipe, raw } = pipeAndRawEnd(framing);
  const { services, told } = recordingServices(options);
  const connected = dialect.connect(pipe, specOf(options), services);
  // A test that expects a failure awaits it later.
  connected.catch(() => {});
  onTestFinished(() => pipe.destroy());
  return { raw, connected, told };
}

/** The host end of a dialect on a program of test/plugins/; its process group is gone when the test is over. */
export function hostAndProgram(
  dialect: HostDialect,
  file: string,
  options: HostOptions & { args?: readonly string[]; env?: Record<string, string> } = {},
): { running: Running; connected: Promise<WirePort>; told: Told } {
  const program = path.join(root, 'test/plugins', file);
  const running = spawn({
    command: file.endsWith('.py') ? 'python3' : process.execPath,
    args: [program, ...(options.args ?? [])],
    env: { PATH: process.env['PATH'], ...options.env },
  });
  onTestFinished(async () => {
    await running.stop({ stdinMs: 0, termMs: 0 });
  });
  const { services, told } = recordingServices(options);
  const connected = dialect.connect(running.pipe, specOf(options), services);
  connected.catch(() => {});
  return { running, connected, told };
}

/** The host end of a dialect on a server that is reached; closed when the test is over. */
export function hostAndRemote(
  dialect: HostDialect,
  remote: Omit<RemoteSpec, 'kind'>,
  options: HostOptions = {},
): { connected: Promise<WirePort>; told: Told } {
  if (dialect.reach === undefined) throw new Error(`${dialect.name} reaches nobody.`);
  const { services, told } = recordingServices(options);
  const start: RemoteSpec = { kind: 'http', ...remote };
  const connected = dialect.reach(start, { ...specOf(options), start }, services);
  connected.catch(() => {});
  onTestFinished(async () => (await connected.catch(() => undefined))?.close());
  return { connected, told };
}

export interface Heard {
  readonly events: CallEvent[];
  readonly answer: Promise<Answer>;
  readonly wireCall: RunningCall;
}

/** Calls and keeps all that is heard of it. */
export function callAndHear(end: WirePort, request: Partial<CallRequest> & { tool: string }): Heard {
  return hear((sink) => end.call({ args: {}, timeoutMs: 30_000, ...request }, sink));
}

/** Keeps the events of a call, an input or an extraction; a second end of it fails the test. */
export function hear(start: (sink: CallSink) => RunningCall): Heard {
  const events: CallEvent[] = [];
  let end: (answer: Answer) => void = () => {};
  let ends = 0;
  const answer = new Promise<Answer>((resolve) => (end = resolve));
  onTestFinished(() => {
    if (ends > 1) throw new Error(`The end of a call was told ${ends} times.`);
  });
  const wireCall = start({
    event: (event) => void events.push(event),
    end: (answer) => {
      ends += 1;
      end(answer);
    },
  });
  return { events, answer, wireCall };
}

function specOf({ spec }: HostOptions): PluginSpec {
  return { name: 'the-plugin', start: { kind: 'program', command: 'not-started-by-the-dialect' }, ...spec };
}

/** Services that keep all that is reported to them. */
export function recordingServices(options: HostOptions = {}): { services: HostServices; told: Told } {
  const told: Told = { logs: [], notes: [], troubles: [], toolLists: [], wire: [] };
  const services: HostServices = {
    clock: options.clock ?? systemClock,
    signal: options.signal ?? new AbortController().signal,
    log: (entry) => void told.logs.push(entry),
    note: (entry) => void told.notes.push(entry),
    trouble: (trouble) => void told.troubles.push(trouble),
    toolsChanged: (tools) => void told.toolLists.push(tools),
    hasCommand: (command) => options.commands?.includes(command) ?? true,
    observer: (direction, message) => void told.wire.push({ direction, message }),
    ...options.work,
  };
  return { services, told };
}
