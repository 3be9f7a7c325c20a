// One client that is connected, or since 2026 one request of it: what it sees, what it has under way, what it is told of.
import type { Clock } from '../../base/clock.ts';
import { PluglotError } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import type { Registry } from '../../fleet/registry/registry.ts';
import type { Gate } from '../../gate/gate.ts';
import type { ClientCall } from './client-call.ts';
import type { EndpointLimits } from './options.ts';
import type { ParkedCalls } from './parked-calls.ts';
import type { PassedPrompts } from './passed-prompts.ts';
import type { PassedResources } from './passed-resources.ts';
import type { PluginNews } from './plugin-news.ts';
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
  /** A result that was too large, by its address. */
  readResult(uri: string): Promise<Json>;
}

/** What a client sees; all of one profile share it. */
export interface Things {
  readonly view: View;
  readonly resources: PassedResources;
  readonly prompts: PassedPrompts;
}

const SUBSCRIPTIONS_MAX = 1000;

export class Connection {
  /** Empty where each request stands for itself. */
  readonly id: string;
  readonly isModern: boolean;
  readonly things: Things;
  readonly calls = new Set<ClientCall>();
  /** What its user has allowed for as long as it lasts; undefined where nothing lasts. */
  readonly remembered: Set<string> | undefined;
  /** Told that a resource has changed, by the address that the client has. */
  onUpdated: ((uri: string) => void) | undefined;
  readonly #news: PluginNews;
  readonly #unfollow = new Map<string, () => void>();

  constructor(news: PluginNews, things: Things, id: string, isModern: boolean) {
    this.#news = news;
    this.things = things;
    this.id = id;
    this.isModern = isModern;
    this.remembered = id === '' ? undefined : new Set();
  }

  /** @throws PluglotError UNSUPPORTED when nobody has it, or nobody tells of it */
  async subscribe(uri: string): Promise<void> {
    if (this.#unfollow.has(uri)) return;
    if (this.#unfollow.size >= SUBSCRIPTIONS_MAX)
      throw new PluglotError('UNSUPPORTED', `A client follows at most ${SUBSCRIPTIONS_MAX} resources.`);
    const { resources } = this.things;
    const resource = await resources.find(uri);
    if (resource === undefined)
      throw new PluglotError('UNSUPPORTED', `No plugin has a resource "${uri.slice(0, 200)}".`);
    const unfollow = await this.#news.follow(
      resource,
      (one, how) => resources.follow(one, how),
      () => this.onUpdated?.(uri),
    );
    this.#unfollow.get(uri)?.();
    this.#unfollow.set(uri, unfollow);
  }

  async unsubscribe(uri: string): Promise<void> {
    this.#unfollow.get(uri)?.();
    this.#unfollow.delete(uri);
  }

  /** Nothing of it goes on. */
  close(): void {
    for (const call of this.calls) call.cancel();
    for (const unfollow of this.#unfollow.values()) unfollow();
    this.#unfollow.clear();
  }
}
