// The plugin under test, as a check sees it: fresh processes, the words of its dialect, and something to call.
import type { Clock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import { Unmet } from '../unmet.ts';
import type { Driver, Introduction, Probe } from '../drivers/driver.ts';
import type { CheckLimits } from '../limits.ts';
import { Conversation, type PluginProcess } from './conversation.ts';
import { harmlessProbes } from './choose-probe.ts';
import { recordSession, type Session } from './session.ts';

/** Its processes are ended with the check. */
export interface Subject {
  readonly driver: Driver;
  readonly limits: CheckLimits;
  /** The manifest that was found beside the plugin, where there is one. */
  readonly manifest: JsonObject | undefined;
  /** A fresh process to which nothing was said yet. */
  start(): Promise<Conversation>;
  /** A fresh process that has introduced itself. */
  greet(): Promise<Greeted>;
  /** An ordinary session from hello to goodbye; the same for all that ask. */
  session(): Promise<Session>;
  /** Whatever else several checks look at: made once, by this function, with processes of its own. */
  shared<Value>(make: (subject: Subject) => Promise<Value>): Promise<Value>;
}

export interface Greeted {
  readonly conversation: Conversation;
  readonly introduction: Introduction;
  /** A call that works. */
  readonly probe: Probe;
  /** All that may be called: what was named as slow, the probe, and unless that was named too, whatever else only looks. */
  readonly calls: readonly Probe[];
}

export interface SubjectOptions {
  readonly driver: Driver;
  readonly limits: CheckLimits;
  readonly clock: Clock;
  /** Where tools may leave files. */
  readonly workdir: string;
  readonly manifest?: JsonObject | undefined;
  /** What to call, where the user has said it. */
  readonly probe?: Probe | undefined;
  readonly slow?: Probe | undefined;
  readonly start: () => Promise<PluginProcess>;
}

/** Each check gets a subject of its own, whose release ends its processes; the session is shared. */
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
    // What was made by a function is what that function makes.
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
    // Whoever asks too late gets nothing that would be left behind.
    if (isReleased) await conversation.end();
    return conversation;
  };
  const greet = async (): Promise<Greeted> => {
    const conversation = await start();
    const introduction = await conversation.introduction(() => driver.greet(conversation, manifest));
    const chosen = named.probe ?? driver.probe(introduction);
    if (chosen === undefined) {
      throw new Unmet(
        'It names nothing that could be called. Say what to call: --tool NAME ARGUMENTS, or the option `tool`.',
      );
    }
    const others = named.probe === undefined ? harmlessProbes(introduction.tools) : [];
    return {
      conversation,
      introduction,
      probe: { ...chosen, workdir },
      calls: [...(named.slow === undefined ? [] : [named.slow]), ...unlike(chosen, others)]
        .slice(0, MOST_CALLS)
        .map((call) => ({ ...call, workdir })),
    };
  };
  return {
    subject: { driver, limits, manifest, start, greet, session: () => shared(record), shared },
    async release() {
      isReleased = true;
      await Promise.all(conversations.map((conversation) => conversation.end()));
    },
  };
}

/** Of plugins that have many tools, some have to do. */
const MOST_CALLS = 12;

function unlike(chosen: Probe, others: readonly Probe[]): readonly Probe[] {
  return [chosen, ...others.filter(({ tool }) => tool !== chosen.tool)];
}

async function record(subject: Subject): Promise<Session> {
  const { conversation, introduction, probe } = await subject.greet();
  return recordSession(conversation, introduction, probe, subject.driver);
}
