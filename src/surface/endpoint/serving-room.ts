// All that is served from one runtime, whatever way clients come: views by profile, servers for connections, and the news of changes.
import fs from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Server } from '@modelcontextprotocol/server';
import { systemClock, type Clock } from '../../base/clock.ts';
import { Emitter } from '../../base/emitter.ts';
import { PluglotError } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import { within } from '../../base/within.ts';
import type { Caller } from '../../definition/caller.ts';
import type { Registry } from '../../fleet/registry/registry.ts';
import type { Gate } from '../../gate/gate.ts';
import {
  accountOf,
  Connection,
  type Access,
  type OpenCalls,
  type Serving,
  type Things,
} from './connection.ts';
import { mcpServer, type McpServer } from './mcp-server.ts';
import {
  usualLimits,
  type EndpointLimits,
  type EndpointOptions,
  type EndpointProfile,
  type EndpointProfiles,
} from './options.ts';
import { ParkedCalls } from './parked-calls.ts';
import { PassedPrompts } from './passed-prompts.ts';
import { PassedResources } from './passed-resources.ts';
import { PluginNews } from './plugin-news.ts';
import { RESULT_URI } from './result.ts';
import { ServedPlugins } from './served-plugins.ts';
import { View } from './view.ts';

export type Changed = 'tools' | 'prompts' | 'resources';

interface News {
  readonly what: Changed;
  /** Whose clients hear it. @default all */
  readonly profile?: string;
}

export interface Connected extends McpServer {
  readonly connection: Connection;
}

/** Plugins come and go in crowds; clients are told once. */
const TELL_AFTER_MS = 100;

export class ServingRoom implements Serving {
  readonly registry: Registry;
  readonly gate: Gate;
  readonly clock: Clock;
  readonly limits: EndpointLimits;
  readonly version = ownVersion();
  readonly parked: ParkedCalls;
  readonly news: PluginNews;
  readonly #options: EndpointOptions;
  readonly #things = new Map<string | undefined, Things>();
  /** By account. */
  readonly #open = new Map<string, OpenCalls>();
  readonly #changed = new Emitter<News>();
  readonly #told = new Set<Changed>();
  readonly #unfollow: (() => void)[];
  readonly #connections = new Set<Connection>();
  #profiles: EndpointProfiles;
  #callOff: (() => void) | undefined;
  #numbers = 0;

  constructor(options: EndpointOptions) {
    const { registry, gate } = options.runtime;
    this.#options = options;
    this.#profiles = options.profiles ?? {};
    this.registry = registry;
    this.gate = gate;
    this.clock = options.clock ?? systemClock;
    this.limits = { ...usualLimits, ...options.limits };
    this.parked = new ParkedCalls(this.clock, this.limits.answerMs);
    this.news = new PluginNews(registry);
    this.#unfollow = [
      registry.onChanged(({ kind }) => {
        if (kind !== 'available-changed') this.#exposedChanged();
      }),
      this.news.onListChanged((what) => this.#tell(what)),
    ];
  }

  /** Hears of what has changed for clients of whom, not more often than anybody looks; the returned function ends that. */
  onChanged(
    listener: (what: Changed, concerns: (profile: string | undefined) => boolean) => void,
  ): () => void {
    return this.#changed.add(({ what, profile: whose }) =>
      listener(what, (profile) => whose === undefined || whose === profile),
    );
  }

  /** From now on these hold; clients hear what they see otherwise by it. */
  useProfiles(profiles: EndpointProfiles): void {
    const before = this.#profiles;
    this.#profiles = profiles;
    for (const [name, { view }] of this.#things) {
      if (name === undefined || isDeepStrictEqual(profileOf(before, name), profileOf(profiles, name)))
        continue;
      view.use(profileOf(profiles, name));
      for (const what of everything) this.#changed.emit({ what, profile: name });
    }
  }

  /** Of a connection that is no session. */
  nextId(): string {
    this.#numbers += 1;
    return `pipe-${this.#numbers}`;
  }

  connect(access: Access, id: string, isModern: boolean): Connected {
    this.#numbers += 1;
    const parts = { id, isModern, number: this.#numbers, access, open: this.#openOf(access) };
    const connection = new Connection(this.news, this.#thingsOf(access.profile), parts);
    const { server, desk } = mcpServer(this, connection);
    server.onerror = (error) => this.failed(error);
    // One that lasts is told of changes by itself; the others listen for them.
    const unfollow = id === '' ? undefined : this.#follow(server, connection);
    this.#connections.add(connection);
    server.onclose = () => {
      this.#connections.delete(connection);
      unfollow?.();
      connection.close();
    };
    return { server, connection, desk };
  }

  /** Hears of resources for as long as it is not closed; nobody asks anything through it. */
  listener(access: Access): Connection {
    const parts = { id: '', isModern: true, number: 0, access, open: this.#openOf(access) };
    return new Connection(this.news, this.#thingsOf(access.profile), parts);
  }

  /** All that these ask is answered: with what comes of it within so long, else with why nothing does. They can be closed then. */
  async finish(
    which: (connection: Connection) => boolean,
    reason: string,
    patienceMs: number,
  ): Promise<void> {
    const connections = [...this.#connections].filter((connection) => which(connection));
    const answered = Promise.all(connections.map((connection) => connection.answered()));
    if (patienceMs > 0) await within(answered, patienceMs, this.clock);
    for (const connection of connections) connection.end(reason);
    await within(answered, this.limits.closeMs, this.clock);
    // The package sends an answer a moment after it was given.
    await new Promise<void>((resolve) => setImmediate(resolve));
  }

  async readResult(uri: string, caller: Caller): Promise<Json> {
    const [handle = '', query = ''] = uri.slice(RESULT_URI.length).split('?', 2);
    const offset = Number(new URLSearchParams(query).get('offset') ?? 0);
    const part = await this.gate.readSpill(handle, { offset, maxBytes: this.limits.bodyBytes, caller });
    if (part === undefined) throw new PluglotError('UNSUPPORTED', 'That result is not there any more.');
    const { text, nextOffset } = part;
    const next =
      nextOffset === undefined
        ? {}
        : { _meta: { 'pluglot/next': `${RESULT_URI}${handle}?offset=${nextOffset}` } };
    return { contents: [{ uri, mimeType: 'text/plain', text, ...next }] };
  }

  failed(error: Error): void {
    this.#options.log?.({ level: 'debug', message: error.message });
  }

  close(): void {
    this.#callOff?.();
    for (const unfollow of this.#unfollow) unfollow();
    this.parked.close();
    this.news.close();
  }

  #openOf(access: Access): OpenCalls {
    const account = accountOf(access);
    const known = this.#open.get(account);
    if (known !== undefined) return known;
    const open = { calls: 0 };
    this.#open.set(account, open);
    return open;
  }

  #thingsOf(profile: string | undefined): Things {
    const known = this.#things.get(profile);
    if (known !== undefined) return known;
    const { log = () => {} } = this.#options;
    const settings = profile === undefined ? {} : profileOf(this.#profiles, profile);
    const view = new View(this.registry, settings, this.limits.searchAbove);
    const plugins = new ServedPlugins(this.registry, view, this.clock, log);
    const things = {
      view,
      resources: new PassedResources(plugins),
      prompts: new PassedPrompts(view, plugins),
    };
    this.#things.set(profile, things);
    return things;
  }

  #follow(server: Server, connection: Connection): () => void {
    const sent = (sending: Promise<void>) =>
      void sending.catch((error: unknown) => this.failed(error as Error)); // what the package throws
    connection.onUpdated = (uri) => sent(server.sendResourceUpdated({ uri }));
    const { profile } = connection.access;
    return this.onChanged((what, concerns) => {
      if (!concerns(profile)) return;
      if (what === 'tools') sent(server.sendToolListChanged());
      else if (what === 'prompts') sent(server.sendPromptListChanged());
      else sent(server.sendResourceListChanged());
    });
  }

  #exposedChanged(): void {
    for (const { view } of this.#things.values()) view.refresh();
    this.news.look();
    for (const what of everything) this.#tell(what);
  }

  #tell(what: Changed): void {
    this.#told.add(what);
    this.#callOff ??= this.clock.after(TELL_AFTER_MS, () => {
      this.#callOff = undefined;
      const told = [...this.#told];
      this.#told.clear();
      for (const what of told) this.#changed.emit({ what });
    });
  }
}

const everything: readonly Changed[] = ['tools', 'prompts', 'resources'];

/** One that is not there any more shows nothing. */
function profileOf(profiles: EndpointProfiles, name: string): EndpointProfile {
  return new Map(Object.entries(profiles)).get(name) ?? { tools: [] };
}

function ownVersion(): string {
  const file = new URL('../../../package.json', import.meta.url);
  return (JSON.parse(fs.readFileSync(file, 'utf8')) as { version: string }).version; // our own file
}
