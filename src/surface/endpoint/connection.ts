// One client that is connected, or since 2026 one request of it: what it sees, what it has under way, what it is told of.
import type { Clock } from '../../base/clock.ts';
import { PluglotError } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import type { Caller } from '../../definition/caller.ts';
import type { Registry } from '../../fleet/registry/registry.ts';
import type { Gate } from '../../gate/gate.ts';
import type { ClientCall } from './client-call.ts';
import type { EndpointLimits } from './options.ts';
import { endedError } from './params.ts';
import type { ParkedCalls } from './parked-calls.ts';
import type { PassedPrompts } from './passed-prompts.ts';
import type { PassedResources } from './passed-resources.ts';
import type { PluginNews } from './plugin-news.ts';
import type { WireLevel } from './event-buffer.ts';
import type { View } from './view.ts';

/** What all connections share. */
export interface Serving {
  readonly registry: Registry;
  readonly gate: Gate;
  readonly clock: Clock;
  readonly limits: EndpointLimits;
  readonly version: string;
  readonly parked: ParkedCalls;
  readonly news: PluginNews;
  /** A result of this caller that was too large, by its address. */
  readResult(uri: string, caller: Caller): Promise<Json>;
}

/** What a client sees; all of one profile share it. */
export interface Things {
  readonly view: View;
  readonly resources: PassedResources;
  readonly prompts: PassedPrompts;
}

/** What a client came by. */
export interface Access {
  readonly profile?: string | undefined;
  /** The client named the profile; its token is not bound to it. */
  readonly isProfileChosen?: boolean;
  /** The name of its token: `none` where none is needed, undefined on a pipe. */
  readonly token?: string | undefined;
}

/** Apart from all others. */
export function accessKey({ token = '', profile = '' }: Access): string {
  return `${token}\n${profile}`;
}

/** What calls and sessions are counted by: the profile that a token is bound to, else the token. */
export function accountOf({ token = '', profile, isProfileChosen = false }: Access): string {
  return profile === undefined || isProfileChosen ? `token:${token}` : `profile:${profile}`;
}

/** Calls of one account, in whatever stage. */
export interface OpenCalls {
  calls: number;
}

export interface ConnectionParts {
  /** Empty where each request stands for itself. */
  readonly id: string;
  readonly isModern: boolean;
  /** Tells it apart from all others, and can be told to anybody. */
  readonly number: number;
  readonly access: Access;
  readonly open: OpenCalls;
}

const SUBSCRIPTIONS_MAX = 1000;

/** From the least to the most urgent. */
const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

type LogLevelOfMcp = (typeof logLevels)[number];

export function isLogLevel(value: unknown): value is LogLevelOfMcp {
  return logLevels.some((level) => level === value);
}

export class Connection {
  /** Empty where each request stands for itself. */
  readonly id: string;
  readonly isModern: boolean;
  readonly things: Things;
  readonly access: Access;
  /** Of all connections of its account. */
  readonly open: OpenCalls;
  /** What the host itself knows of it: all but the name it gives itself. */
  readonly #known: Omit<Caller, 'name'>;
  readonly calls = new Set<ClientCall>();
  /** Told that a resource has changed, by the address that the client has. */
  onUpdated: ((uri: string) => void) | undefined;
  /** The least that it wants to hear of what plugins log. */
  logLevel: LogLevelOfMcp = 'debug';
  readonly #news: PluginNews;
  readonly #unfollow = new Map<string, () => void>();
  readonly #giveUps = new Set<(error: Error) => void>();
  #asked = 0;
  #whenAnswered: (() => void)[] = [];
  #ended: string | undefined;
  #isClosed = false;

  constructor(news: PluginNews, things: Things, { id, isModern, number, access, open }: ConnectionParts) {
    this.#news = news;
    this.things = things;
    const { token, profile, isProfileChosen } = access;
    this.access = access;
    this.open = open;
    this.#known = {
      kind: 'client',
      ...(token !== undefined && { access: token }),
      ...(profile !== undefined && { profile }),
      ...(isProfileChosen === true && { isProfileChosen }),
      ...(id !== '' && { connection: String(number) }),
    };
    this.id = id;
    this.isModern = isModern;
  }

  /** Who calls, under the name that the client gives itself. */
  caller(name: string): Caller {
    return { ...this.#known, name };
  }

  /** Whether it wants to hear what is logged at this level. */
  readonly hears = (level: WireLevel): boolean =>
    logLevels.indexOf(level) >= logLevels.indexOf(this.logLevel);

  /** Does what one request asks for; once it is ended, whatever is asked is answered with why. */
  async answer(work: () => Promise<Json> | Json): Promise<Json> {
    if (this.#ended !== undefined) throw endedError(this.#ended);
    this.#asked += 1;
    try {
      return await work();
    } finally {
      this.#asked -= 1;
      if (this.#asked === 0) for (const tell of this.#whenAnswered.splice(0)) tell();
    }
  }

  /** Waits for somebody else as long as it lasts. A call has its own way to end. */
  whileItLasts<Value>(waited: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#giveUps.add(reject);
      const leave = () => this.#giveUps.delete(reject);
      void waited.then(resolve, reject).finally(leave);
    });
  }

  /** Resolves when nothing that it asked is unanswered. */
  async answered(): Promise<void> {
    if (this.#asked > 0) await new Promise<void>((resolve) => this.#whenAnswered.push(resolve));
  }

  /** All that it waits for is answered now, with why. */
  end(reason: string): void {
    this.#ended ??= reason;
    for (const call of this.calls) call.cancel(reason);
    for (const giveUp of this.#giveUps) giveUp(endedError(reason));
  }

  /** @throws PluglotError UNSUPPORTED when nobody has it, or nobody tells of it */
  async subscribe(uri: string): Promise<void> {
    if (this.#isClosed || this.#unfollow.has(uri)) return;
    if (this.#unfollow.size >= SUBSCRIPTIONS_MAX)
      throw new PluglotError('UNSUPPORTED', `A client follows at most ${SUBSCRIPTIONS_MAX} resources.`);
    const { resources } = this.things;
    const resource = await resources.find(uri);
    if (this.#isClosed) return;
    if (resource === undefined)
      throw new PluglotError('UNSUPPORTED', `No plugin has a resource "${uri.slice(0, 200)}".`);
    const unfollow = await this.#news.follow(
      resource,
      (one, how) => resources.follow(one, how),
      () => this.onUpdated?.(uri),
    );
    // It may have been closed while the plugin was asked.
    if (this.#isClosed) return unfollow();
    this.#unfollow.get(uri)?.();
    this.#unfollow.set(uri, unfollow);
  }

  async unsubscribe(uri: string): Promise<void> {
    this.#unfollow.get(uri)?.();
    this.#unfollow.delete(uri);
  }

  /** Nothing of it goes on. */
  close(): void {
    this.#isClosed = true;
    for (const call of this.calls) call.cancel();
    for (const unfollow of this.#unfollow.values()) unfollow();
    this.#unfollow.clear();
  }
}
