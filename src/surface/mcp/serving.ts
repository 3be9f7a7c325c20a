// All that is served from one runtime, over any transport: views by profile, servers for connections, and notifications of changes.
import { isDeepStrictEqual } from 'node:util';
import { systemClock, type Clock } from '../../base/clock.ts';
import { Emitter } from '../../base/emitter.ts';
import { PluglotError } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import { ownVersion } from '../../base/own-version.ts';
import { within } from '../../base/async.ts';
import type { Link } from '../../channel/link/link.ts';
import type { PeerOptions, PeerTrouble } from '../../channel/peer/options.ts';
import { Peer } from '../../channel/peer/peer.ts';
import type { Caller } from '../../definition/caller.ts';
import { type ChangedList, type McpOffer, McpServer, ServerCancellation } from '../../dialect/mcp/server.ts';
import type { Registry } from '../../fleet/registry/registry.ts';
import type { Gate } from '../../gate/gate.ts';
import {
  type Access,
  accountOf,
  type ClientContent,
  Connection,
  type OpenCalls,
  ParkedCalls,
  type SharedServing,
} from './connection.ts';
import { clientOffer } from './client-offer.ts';
import {
  usualLimits,
  type EndpointLimits,
  type EndpointOptions,
  type EndpointProfile,
  type EndpointProfiles,
} from './options.ts';
import { PassedPrompts, PassedResources } from './passed-facets.ts';
import { PluginChanges } from './plugin-changes.ts';
import { RESULT_URI } from './client-call.ts';
import { ServedPlugins } from './served-plugins.ts';
import { View } from './view.ts';

interface Change {
  readonly what: ChangedList;
  /** Whose clients are notified. @default all */
  readonly profile?: string;
}

export interface Connected {
  readonly connection: Connection;
  readonly server: McpServer;
  readonly peer: Peer;
  /** Gives up its calls, and closes the link. */
  close(): void;
}

export interface ConnectOptions {
  readonly peer?: Pick<PeerOptions, 'describeOversize'>;
  /** Refuses a request because of its params. @throws RpcError */
  readonly check?: (params: unknown) => void;
}

/** Plugins come and go in bursts; clients are notified once. */
const NOTIFY_AFTER_MS = 100;

export class Serving implements SharedServing {
  readonly registry: Registry;
  readonly gate: Gate;
  readonly clock: Clock;
  readonly limits: EndpointLimits;
  readonly version = ownVersion();
  readonly parked: ParkedCalls;
  readonly changes: PluginChanges;
  readonly #options: EndpointOptions;
  readonly #contents = new Map<string | undefined, ClientContent>();
  /** By account. */
  readonly #open = new Map<string, OpenCalls>();
  readonly #changed = new Emitter<Change>();
  readonly #changedLists = new Set<ChangedList>();
  readonly #unfollow: (() => void)[];
  readonly #connections = new Set<Connected>();
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
    this.changes = new PluginChanges(registry);
    this.#unfollow = [
      registry.onChanged(({ kind }) => {
        if (kind !== 'available-changed') this.#exposedChanged();
      }),
      this.changes.onListChanged((what) => this.#notify(what)),
    ];
  }

  /** Calls for each list that has changed, in bursts once; the returned function ends that. */
  onChanged(
    listener: (what: ChangedList, concerns: (profile: string | undefined) => boolean) => void,
  ): () => void {
    return this.#changed.add(({ what, profile: whose }) =>
      listener(what, (profile) => whose === undefined || whose === profile),
    );
  }

  /** Uses these profiles from now on, and notifies the clients that see other tools by it. */
  useProfiles(profiles: EndpointProfiles): void {
    const before = this.#profiles;
    this.#profiles = profiles;
    for (const [name, { view }] of this.#contents) {
      if (name === undefined || isDeepStrictEqual(profileOf(before, name), profileOf(profiles, name)))
        continue;
      view.use(profileOf(profiles, name));
      for (const what of everything) this.#changed.emit({ what, profile: name });
    }
  }

  /** For a connection that is not a session over HTTP. */
  nextId(): string {
    this.#numbers += 1;
    return `pipe-${this.#numbers}`;
  }

  /** @param id empty where each request stands for itself */
  connect(access: Access, id: string, link: Link, options: ConnectOptions = {}): Connected {
    this.#numbers += 1;
    const connection = this.#connection(access, id, this.#numbers);
    const cancel = new ServerCancellation();
    const peer = new Peer(link, {
      name: 'the client',
      clock: this.clock,
      cancel,
      onTrouble: (trouble) => this.#troubled(trouble),
      ...options.peer,
    });
    const offer: McpOffer = {
      ...clientOffer(this, connection),
      ...(options.check !== undefined && { check: options.check }),
      onChanged: (listener) =>
        this.onChanged((what, concerns) => {
          if (concerns(access.profile)) listener(what);
        }),
      follow: (uris, updated) => this.#follow(access, uris, updated),
    };
    const server = new McpServer(peer, offer, cancel);
    connection.onUpdated = (uri) => server.updated(uri);
    const connected = {
      connection,
      server,
      peer,
      close: () => {
        this.#connections.delete(connected);
        server.close();
        connection.close();
        link.destroy();
      },
    };
    this.#connections.add(connected);
    void peer.closed.then(() => connected.close());
    return connected;
  }

  /** For a client that listens: as long as it does, each of these is followed. */
  async #follow(
    access: Access,
    uris: readonly string[],
    updated: (uri: string) => void,
  ): Promise<() => void> {
    const connection = this.#connection(access, '', 0);
    connection.onUpdated = updated;
    await Promise.allSettled(uris.map((uri) => connection.subscribe(uri)));
    return () => connection.close();
  }

  /** All that these ask is answered: with what comes of it within so long, else with why nothing does. They can be closed then. */
  async finish(
    which: (connection: Connection) => boolean,
    reason: string,
    patienceMs: number,
  ): Promise<void> {
    const connected = [...this.#connections].filter(({ connection }) => which(connection));
    const answered = Promise.all(connected.map(({ connection }) => connection.answered()));
    if (patienceMs > 0) await within(answered, patienceMs, this.clock);
    for (const { connection, server } of connected) {
      connection.end(reason);
      server.close();
    }
    await within(answered, this.limits.closeMs, this.clock);
    // An answer is sent some promises after it was given.
    await new Promise<void>((resolve) => setImmediate(resolve));
  }

  async readResult(uri: string, caller: Caller): Promise<Json> {
    const [handle = '', query = ''] = uri.slice(RESULT_URI.length).split('?', 2);
    const offset = Number(new URLSearchParams(query).get('offset') ?? 0);
    const part = await this.gate.readSpill(handle, { offset, maxBytes: this.limits.bodyBytes, caller });
    if (part === undefined)
      throw new PluglotError('UNSUPPORTED', 'There is no such result, or it has expired.');
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
    this.changes.close();
  }

  #connection(access: Access, id: string, number: number): Connection {
    const parts = { id, number, access, open: this.#openOf(access) };
    return new Connection(this.changes, this.#contentOf(access.profile), parts);
  }

  #openOf(access: Access): OpenCalls {
    const account = accountOf(access);
    const known = this.#open.get(account);
    if (known !== undefined) return known;
    const open = { calls: 0 };
    this.#open.set(account, open);
    return open;
  }

  #contentOf(profile: string | undefined): ClientContent {
    const known = this.#contents.get(profile);
    if (known !== undefined) return known;
    const { log = () => {} } = this.#options;
    const settings = profile === undefined ? {} : profileOf(this.#profiles, profile);
    const view = new View(this.registry, settings, this.limits.searchAbove);
    const plugins = new ServedPlugins(this.registry, view, this.clock, log);
    const content = {
      view,
      resources: new PassedResources(plugins),
      prompts: new PassedPrompts(view, plugins),
    };
    this.#contents.set(profile, content);
    return content;
  }

  #troubled(trouble: PeerTrouble): void {
    this.failed(
      trouble.kind === 'thrown'
        ? trouble.error
        : new Error(`A client sent a message that cannot be read (${trouble.kind}).`),
    );
  }

  #exposedChanged(): void {
    for (const { view } of this.#contents.values()) view.refresh();
    this.changes.update();
    for (const what of everything) this.#notify(what);
  }

  #notify(what: ChangedList): void {
    this.#changedLists.add(what);
    this.#callOff ??= this.clock.after(NOTIFY_AFTER_MS, () => {
      this.#callOff = undefined;
      const changed = [...this.#changedLists];
      this.#changedLists.clear();
      for (const what of changed) this.#changed.emit({ what });
    });
  }
}

const everything: readonly ChangedList[] = ['tools', 'prompts', 'resources'];

/** One that is not there any more shows nothing. */
function profileOf(profiles: EndpointProfiles, name: string): EndpointProfile {
  return new Map(Object.entries(profiles)).get(name) ?? { tools: [] };
}
