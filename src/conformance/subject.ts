// The plugin under test: fresh processes, a recorded session, and a tool to call.
import type { Clock } from '../base/clock.ts';
import { toError } from '../base/error.ts';
import { type JsonObject } from '../base/json.ts';
import type { Exit } from '../fleet/supervisor/spawn.ts';
import { Conversation, Unmet, type CallEnd, type PluginProcess, type Probe } from './conversation.ts';
import { type Driver, type HandshakeResult } from './driver.ts';
import type { CheckLimits } from './limits.ts';
import { harmlessProbes } from './probes.ts';
import type { ReceivedMessage, Transcript } from './transcript.ts';

/** Its processes are ended with the check. */
export interface Subject {
  readonly driver: Driver;
  readonly limits: CheckLimits;
  /** The manifest on disk, if any. */
  readonly manifest: JsonObject | undefined;
  /** A new process, before the handshake. */
  start(): Promise<Conversation>;
  /** A new process, after the handshake. */
  connect(): Promise<ConnectedPlugin>;
  /** A recorded session from handshake to shutdown, shared by all checks. */
  session(): Promise<Session>;
  /** Calls `make` once, with its own processes, and shares the result between checks. */
  shared<Value>(make: (subject: Subject) => Promise<Value>): Promise<Value>;
}

export interface ConnectedPlugin {
  readonly conversation: Conversation;
  readonly handshake: HandshakeResult;
  /** A call that works. */
  readonly probe: Probe;
  /** The calls that may be made: the slow one, the probe, and where the user named no probe, all read-only tools. */
  readonly calls: readonly Probe[];
}

export interface SubjectOptions {
  readonly driver: Driver;
  readonly limits: CheckLimits;
  readonly clock: Clock;
  /** The working folder of calls. */
  readonly workdir: string;
  readonly manifest?: JsonObject | undefined;
  /** The call that the user named. */
  readonly probe?: Probe | undefined;
  readonly slow?: Probe | undefined;
  readonly start: () => Promise<PluginProcess>;
}

/** Each check gets its own subject, whose release ends its processes; the session is shared. */
export interface Subjects {
  forCheck(): Leased;
  /** Ends the processes of all. */
  release(): Promise<void>;
}

interface Leased {
  readonly subject: Subject;
  readonly release: () => Promise<void>;
}

export function createSubjects(options: SubjectOptions): Subjects {
  const made = new Map<unknown, Promise<unknown>>();
  const leases: Leased[] = [];
  const forCheck = () => {
    const leased = subjectOf(options, shared);
    leases.push(leased);
    return leased;
  };
  const shared: Subject['shared'] = <Value>(make: (subject: Subject) => Promise<Value>) => {
    const before = made.get(make);
    // The key is the function that made the value.
    if (before !== undefined) return before as Promise<Value>;
    const making = make(forCheck().subject);
    made.set(make, making);
    return making;
  };
  return {
    forCheck,
    async release() {
      await Promise.all(leases.map((leased) => leased.release()));
    },
  };
}

function subjectOf(
  { driver, limits, clock, workdir, manifest, start: launch, ...named }: SubjectOptions,
  shared: Subject['shared'],
): Leased {
  const conversations: Conversation[] = [];
  let isReleased = false;
  const start = async () => {
    const process = await launch();
    const conversation = new Conversation(process, { words: driver, limits, clock });
    conversations.push(conversation);
    // A process that starts too late must not be left behind.
    if (isReleased) await conversation.end();
    return conversation;
  };
  const connect = async (): Promise<ConnectedPlugin> => {
    const conversation = await start();
    const handshake = await conversation.handshake(() => driver.connect(conversation, manifest));
    const chosen = named.probe ?? driver.probe(handshake);
    if (chosen === undefined) {
      throw new Unmet(
        'It names nothing that could be called. Say what to call: --tool NAME ARGUMENTS, or the option `tool`.',
      );
    }
    const others = named.probe === undefined ? harmlessProbes(handshake.tools) : [];
    return {
      conversation,
      handshake,
      probe: { ...chosen, workdir },
      calls: [...(named.slow === undefined ? [] : [named.slow]), ...unlike(chosen, others)]
        .slice(0, MOST_CALLS)
        .map((call) => ({ ...call, workdir })),
    };
  };
  return {
    subject: { driver, limits, manifest, start, connect, session: () => shared(record), shared },
    async release() {
      isReleased = true;
      await Promise.all(conversations.map((conversation) => conversation.end()));
    },
  };
}

/** Plugins may have many tools. */
const MOST_CALLS = 12;

function unlike(chosen: Probe, others: readonly Probe[]): readonly Probe[] {
  return [chosen, ...others.filter(({ tool }) => tool !== chosen.tool)];
}

async function record(subject: Subject): Promise<Session> {
  const { conversation, handshake, probe } = await subject.connect();
  return recordSession(conversation, handshake, probe, subject.driver);
}

interface Session {
  readonly handshake: HandshakeResult;
  readonly call: RecordedCall;
  /** The answer to the shutdown request; undefined where the dialect has none, or none arrived. */
  readonly shutdown: JsonObject | undefined;
  /** Undefined when it did not exit. */
  readonly exit: Exit | undefined;
  readonly transcript: Transcript;
}

export interface RecordedCall {
  readonly id: number;
  readonly probe: Probe;
  /** Undefined when it never ended; then `problem` is set. */
  readonly end: CallEnd | undefined;
  readonly problem?: string;
  /** The messages received while it ran, in order. */
  readonly during: readonly ReceivedMessage[];
}

async function recordSession(
  conversation: Conversation,
  handshake: HandshakeResult,
  probe: Probe,
  driver: Driver,
): Promise<Session> {
  const call = await recordCall(conversation, probe, driver);
  // The checks report what is missing.
  const id = conversation.requestShutdown();
  const shutdown =
    id === undefined
      ? undefined
      : await conversation.response(id, 'the shutdown request').catch(() => undefined);
  const exit = await conversation.exit('after the shutdown request').catch(() => undefined);
  return { handshake, call, shutdown, exit, transcript: conversation.transcript };
}

async function recordCall(conversation: Conversation, probe: Probe, driver: Driver): Promise<RecordedCall> {
  const { received } = conversation.transcript;
  const before = received.length;
  const id = conversation.nextId();
  try {
    conversation.send(driver.callMessage(id, probe));
    const end = await conversation.endOfCall(id, probe);
    const last = received.findIndex(({ message }) => message === end.message);
    return { id, probe, end, during: received.slice(before, last) };
  } catch (thrown) {
    return { id, probe, end: undefined, problem: toError(thrown).message, during: received.slice(before) };
  }
}
