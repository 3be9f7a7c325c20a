// One client that is connected, or from 2026-07-28 on one request of it: what it sees, its calls, the resources that it follows.
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { PluglotError } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import { KiB } from '../../base/units.ts';
import type { Caller } from '../../definition/caller.ts';
import type { Registry } from '../../fleet/registry/registry.ts';
import type { Gate } from '../../gate/gate.ts';
import type { ClientCall } from './client-call.ts';
import type { EndpointLimits } from './options.ts';
import { endedError } from './params.ts';
import type { PassedPrompts, PassedResources } from './passed-facets.ts';
import type { PluginChanges } from './plugin-changes.ts';
import type { View } from './view.ts';

/** What all connections share. */
export interface SharedServing {
  readonly registry: Registry;
  readonly gate: Gate;
  readonly clock: Clock;
  readonly limits: EndpointLimits;
  readonly version: string;
  readonly parked: ParkedCalls;
  readonly changes: PluginChanges;
  /** A result of this caller that was too large, by its address. */
  readResult(uri: string, caller: Caller): Promise<Json>;
}

/** What a client sees; all of one profile share it. */
export interface ClientContent {
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
  /** Another token of the same name has another id. */
  readonly tokenId?: string | undefined;
}

/** Apart from all others. */
export function accessKey({ token = '', tokenId = '', profile = '' }: Access): string {
  return `${token}\n${profile}\n${tokenId}`;
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
  /** Different for every connection, and not a secret. */
  readonly number: number;
  readonly access: Access;
  readonly open: OpenCalls;
}

const SUBSCRIPTIONS_MAX = 1000;
/** Characters of all addresses that a client follows. */
const FOLLOWED_MAX = 512 * KiB;

export class Connection {
  /** Empty where each request stands for itself. */
  readonly id: string;
  readonly content: ClientContent;
  readonly access: Access;
  /** Of all connections of its account. */
  readonly open: OpenCalls;
  /** What the host itself knows of it: all but the name it gives itself. */
  readonly #known: Omit<Caller, 'name'>;
  readonly calls = new Set<ClientCall>();
  /** Called when a resource has changed, with the address that the client has. */
  onUpdated: ((uri: string) => void) | undefined;
  readonly #changes: PluginChanges;
  readonly #unfollow = new Map<string, () => void>();
  readonly #rejectors = new Set<(error: Error) => void>();
  #asked = 0;
  #whenAnswered: (() => void)[] = [];
  #ended: string | undefined;
  #isClosed = false;

  constructor(changes: PluginChanges, content: ClientContent, { id, number, access, open }: ConnectionParts) {
    this.#changes = changes;
    this.content = content;
    const { token, tokenId, profile, isProfileChosen } = access;
    this.access = access;
    this.open = open;
    this.#known = {
      kind: 'client',
      ...(token !== undefined && { access: token }),
      ...(tokenId !== undefined && { accessId: tokenId }),
      ...(profile !== undefined && { profile }),
      ...(isProfileChosen === true && { isProfileChosen }),
      ...(id !== '' && { connection: String(number) }),
    };
    this.id = id;
  }

  /** Who calls, under the name that the client gives itself. */
  caller(name: string): Caller {
    return { ...this.#known, name };
  }

  /** Does what one request asks for; once it is ended, whatever is asked is answered with why. */
  async answer(work: () => Promise<Json> | Json): Promise<Json> {
    if (this.#ended !== undefined) throw endedError(this.#ended);
    this.#asked += 1;
    try {
      return await work();
    } finally {
      this.#asked -= 1;
      if (this.#asked === 0) for (const notify of this.#whenAnswered.splice(0)) notify();
    }
  }

  /** Waits for a plugin as long as the connection lasts. A call has its own way to end. */
  untilEnded<Value>(waited: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#rejectors.add(reject);
      const leave = () => this.#rejectors.delete(reject);
      void waited.then(resolve, reject).finally(leave);
    });
  }

  /** Resolves when nothing that it asked is unanswered. */
  async answered(): Promise<void> {
    if (this.#asked > 0) await new Promise<void>((resolve) => this.#whenAnswered.push(resolve));
  }

  /** Answers everything that is pending with the reason, and cancels its calls. */
  end(reason: string): void {
    this.#ended ??= reason;
    for (const call of this.calls) call.cancel(reason);
    for (const reject of this.#rejectors) reject(endedError(reason));
  }

  /** @throws PluglotError UNSUPPORTED when no plugin has it, or its plugin does not report changes */
  async subscribe(uri: string): Promise<void> {
    if (this.#isClosed || this.#unfollow.has(uri)) return;
    this.#checkRoomFor(uri);
    const { resources } = this.content;
    const resource = await resources.find(uri);
    if (this.#isClosed) return;
    if (resource === undefined)
      throw new PluglotError('UNSUPPORTED', `No plugin has a resource "${uri.slice(0, 200)}".`);
    const unfollow = await this.#changes.follow(
      resource,
      (one, how) => resources.follow(one, how),
      () => this.onUpdated?.(uri),
    );
    // It may have been closed while the plugin was asked.
    if (this.#isClosed) return unfollow();
    this.#unfollow.get(uri)?.();
    try {
      // Others may have been followed meanwhile.
      this.#checkRoomFor(uri);
    } catch (thrown) {
      unfollow();
      throw thrown;
    }
    this.#unfollow.set(uri, unfollow);
  }

  async unsubscribe(uri: string): Promise<void> {
    this.#unfollow.get(uri)?.();
    this.#unfollow.delete(uri);
  }

  /** @throws PluglotError UNSUPPORTED when it follows too much already */
  #checkRoomFor(uri: string): void {
    const others = [...this.#unfollow.keys()].filter((one) => one !== uri);
    if (others.length >= SUBSCRIPTIONS_MAX)
      throw new PluglotError('UNSUPPORTED', `A client follows at most ${SUBSCRIPTIONS_MAX} resources.`);
    if (others.reduce((sum, { length }) => sum + length, uri.length) > FOLLOWED_MAX)
      throw new PluglotError(
        'UNSUPPORTED',
        `The addresses that a client follows have at most ${FOLLOWED_MAX} characters together.`,
      );
  }

  /** Cancels its calls and subscriptions. */
  close(): void {
    this.#isClosed = true;
    for (const call of this.calls) call.cancel();
    for (const unfollow of this.#unfollow.values()) unfollow();
    this.#unfollow.clear();
  }
}

/** Who waits longest goes first. */
const PARKED_MAX = 1000;

interface Parked {
  readonly call: ClientCall;
  /** Who may come back for it. */
  readonly owner: string;
  callOff(): void;
}

export class ParkedCalls {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #parked = new Map<string, Parked>();

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  get size(): number {
    return this.#parked.size;
  }

  /** What the client has to send back; it cannot be guessed. */
  park(call: ClientCall, owner: string): string {
    const state = randomBytes(24).toString('base64url');
    const callOff = this.#clock.after(this.#limitMs, () => this.#drop(state));
    this.#parked.set(state, { call, owner, callOff });
    const [oldest] = this.#parked.keys();
    if (this.#parked.size > PARKED_MAX && oldest !== undefined) this.#drop(oldest);
    return state;
  }

  /** Once. Undefined: it has expired, or belongs to another client. */
  take(state: string, owner: string): ClientCall | undefined {
    const parked = this.#parked.get(state);
    if (parked === undefined || parked.owner !== owner) return undefined;
    this.#parked.delete(state);
    parked.callOff();
    return parked.call;
  }

  /** Those of one who may not come back for them. */
  drop(isTheirs: (owner: string) => boolean): void {
    for (const [state, { owner }] of this.#parked) if (isTheirs(owner)) this.#drop(state);
  }

  close(): void {
    this.drop(() => true);
  }

  #drop(state: string): void {
    const parked = this.#parked.get(state);
    this.#parked.delete(state);
    parked?.callOff();
    parked?.call.cancel('The client did not come back with an answer.');
  }
}
