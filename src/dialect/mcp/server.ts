// The server's side of a connection to an MCP client of either era: the handshake, levels of logs and changes. What is offered answers the rest.
import { toError } from '../../base/error.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject, textsIn } from '../../base/json.ts';
import type { Id } from '../../channel/message/message.ts';
import { RpcError, standardErrors } from '../../channel/message/rpc-error.ts';
import type { CallContext } from '../../channel/peer/call-context.ts';
import type { CancelProtocol } from '../../channel/peer/options.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { LogEntry } from '../../definition/tool.ts';
import type { DroppingSender } from '../sender.ts';
import { readObject, readParams, readText } from './client-requests.ts';
import type { ServerDescription } from './client.ts';
import { methods, notifications, SESSION_VERSIONS } from './schema.ts';
import { type McpClientInfo, McpRequest, readClient, ServerLog } from './server-request.ts';
import {
  completeResult,
  type Envelope,
  isMethodOf,
  LOGS_META,
  readEnvelope,
  STATELESS_VERSION,
  subscriptionMeta,
} from './stateless.ts';

export class McpServer {
  readonly #peer: Peer;
  readonly #offer: McpOffer;
  readonly #cancellation: ServerCancellation | undefined;
  readonly #log: ServerLog;
  readonly #subscriptions: Subscriptions;
  #client: McpClientInfo = readClient(undefined, undefined);
  #isInitialized = false;
  #isDiscovered = false;
  #isStateless = false;
  #unwatch: (() => void) | undefined;

  readonly #own: Readonly<Record<string, ServerMethod>> = {
    [methods.discover]: () => this.#discover(),
    [methods.initialize]: (params, { id }) => this.#initialize(params, id),
    [methods.listen]: (params, { context }) => this.#listen(params, context),
    [methods.ping]: () => ({}),
    [methods.setLevel]: (params) => {
      this.#log.setLevel(params);
      return {};
    },
  };

  /** @param cancellation that of the peer */
  constructor(peer: Peer, offer: McpOffer, cancellation?: ServerCancellation) {
    this.#peer = peer;
    this.#offer = offer;
    this.#cancellation = cancellation;
    this.#log = new ServerLog(peer);
    this.#subscriptions = new Subscriptions(this.#log.sender, offer);
    peer.handleOthers((params, context) => this.#answer(params, context));
    peer.onNotification(notifications.initialized, () => this.#watch());
    void peer.ended.then(() => this.close());
  }

  /** The handshake of a session is done. */
  get isInitialized(): boolean {
    return this.#isInitialized;
  }

  /** A log that belongs to no request. False: this client gets none, since from 2026-07-28 on MCP has no way to ask for them. */
  log(entry: LogEntry): boolean {
    if (this.#isStateless && !this.#subscriptions.wantsLogs) return false;
    this.#log.log(entry);
    return true;
  }

  /** A resource that the client of a session follows has changed. */
  updated(uri: string): void {
    this.#log.sender.send({ method: notifications.resourceUpdated, params: { uri } });
  }

  /** Ends what lasts as long as the connection. */
  close(): void {
    this.#unwatch?.();
    this.#unwatch = () => {};
    this.#subscriptions.end();
  }

  #answer(given: unknown, context: CallContext): unknown {
    const { id, method } = context;
    if (id === null)
      throw new RpcError(standardErrors.invalidRequest.code, 'Invalid Request: the id of a request is null.');
    const params = readParams(given);
    this.#offer.check?.(params);
    const envelope = readEnvelope(params);
    this.#isStateless ||= envelope !== undefined;
    const answer = methodIn(this.#own, method) ?? methodIn(this.#offer.methods, method);
    if (answer === undefined || !isMethodOf(envelope === undefined ? 'session' : 'stateless', method))
      throw new RpcError(standardErrors.methodNotFound.code, standardErrors.methodNotFound.message);
    const result = answer(params, this.#request(params, context, envelope));
    return envelope === undefined ? result : this.#completed(method, result);
  }

  #request(params: JsonObject, context: CallContext, envelope: Envelope | undefined): McpRequest {
    const client =
      envelope === undefined ? this.#client : readClient(envelope.clientInfo, envelope.capabilities);
    return new McpRequest(this.#peer, this.#log, context, params, client, envelope);
  }

  async #completed(method: string, result: Json | Promise<Json>): Promise<Json> {
    const complete = await result;
    return isJsonObject(complete)
      ? completeResult(method, complete, this.#offer.describe().serverInfo)
      : complete;
  }

  async #initialize(params: JsonObject, id: Id): Promise<JsonObject> {
    this.#cancellation?.isNotFor(id);
    const offered = readText(params, 'protocolVersion');
    await this.#offer.prepare?.();
    this.#client = readClient(params['clientInfo'], params['capabilities']);
    this.#isInitialized = true;
    // A client that does not know our latest version either will leave.
    const protocolVersion = SESSION_VERSIONS.find((known) => known === offered) ?? SESSION_VERSIONS[0];
    return { protocolVersion, ...this.#offer.describe() };
  }

  async #discover(): Promise<JsonObject> {
    // It is also how clients ask for a sign of life.
    if (!this.#isDiscovered) await this.#offer.prepare?.();
    this.#isDiscovered = true;
    const { capabilities, instructions } = this.#offer.describe();
    return {
      supportedVersions: [STATELESS_VERSION],
      capabilities,
      ...(instructions !== undefined && { instructions }),
    };
  }

  #listen(params: JsonObject, context: CallContext): Promise<JsonObject> {
    this.#watch();
    return this.#subscriptions.listen(params, context);
  }

  #watch(): void {
    this.#unwatch ??= this.#offer.onChanged((what) => {
      this.#subscriptions.changed(what);
      if (this.#isInitialized) this.#log.sender.send({ method: changeOf[what], params: {} });
    });
  }
}

const changeOf: Readonly<Record<ChangedList, string>> = {
  tools: notifications.toolsChanged,
  prompts: notifications.promptsChanged,
  resources: notifications.resourcesChanged,
};

/** Names come from clients: `constructor` is not a method. */
function methodIn(table: Readonly<Record<string, ServerMethod>>, name: string): ServerMethod | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** How a request is given up, by either end. */
export class ServerCancellation implements CancelProtocol {
  readonly method = notifications.cancelled;
  #protected: Id | undefined;

  notification(requestId: Id, reason: Error) {
    return { method: this.method, params: { requestId, reason: toError(reason).message } };
  }

  /** The handshake cannot be cancelled. */
  isNotFor(id: Id): void {
    this.#protected = id;
  }

  idIn(params: unknown): Id | undefined {
    const id = isJsonObject(params) ? params['requestId'] : undefined;
    return (typeof id === 'string' || typeof id === 'number') && id !== this.#protected ? id : undefined;
  }
}

type Change = `${ChangedList}ListChanged`;

const methodOf: Readonly<Record<Change, string>> = {
  toolsListChanged: notifications.toolsChanged,
  promptsListChanged: notifications.promptsChanged,
  resourcesListChanged: notifications.resourcesChanged,
};
const changes = Object.keys(methodOf) as readonly Change[];

/** Resources of one request. */
const FOLLOWED_MAX = 100;

interface Subscription {
  readonly wanted: readonly Change[];
  /** Also the logs that belong to no request. */
  readonly wantsLogs: boolean;
  end(result: JsonObject): void;
}

class Subscriptions {
  readonly #sender: DroppingSender;
  readonly #offer: McpOffer;
  readonly #open = new Map<Id, Subscription>();

  constructor(sender: DroppingSender, offer: McpOffer) {
    this.#sender = sender;
    this.#offer = offer;
  }

  get wantsLogs(): boolean {
    return [...this.#open.values()].some(({ wantsLogs }) => wantsLogs);
  }

  /** Answered when the server ends; the client cancels it before. @throws RpcError -32602 */
  async listen(params: JsonObject, context: CallContext): Promise<JsonObject> {
    const { id } = context;
    const filter = readObject(params, 'notifications');
    const wantsLogs = readObject(params, '_meta')[LOGS_META] === true;
    const { capabilities } = this.#offer.describe();
    const wanted = changes.filter(
      (change) =>
        filter[change] === true && capabilities[change.slice(0, -'ListChanged'.length)] !== undefined,
    );
    const uris =
      this.#offer.follow === undefined ? [] : textsIn(filter['resourceSubscriptions']).slice(0, FOLLOWED_MAX);
    const over = new Promise<JsonObject>((end) => {
      this.#open.set(id, { wanted, wantsLogs, end });
      context.whenAborted(() => {
        this.#open.delete(id);
        end({});
      });
    });
    const unfollow =
      uris.length === 0 ? undefined : await this.#offer.follow?.(uris, (uri) => this.#updated(id, uri));
    if (this.#open.has(id))
      this.#send(id, notifications.subscribed, {
        notifications: {
          ...Object.fromEntries(wanted.map((change) => [change, true])),
          ...(isJsonArray(filter['resourceSubscriptions']) && { resourceSubscriptions: uris }),
        },
      });
    const result = await over;
    unfollow?.();
    return result;
  }

  changed(what: ChangedList): void {
    for (const [id, { wanted }] of this.#open)
      if (wanted.includes(`${what}ListChanged`)) this.#send(id, methodOf[`${what}ListChanged`], {});
  }

  end(): void {
    for (const [id, subscription] of this.#open) subscription.end(subscriptionMeta(id));
    this.#open.clear();
  }

  #updated(id: Id, uri: string): void {
    if (this.#open.has(id)) this.#send(id, notifications.resourceUpdated, { uri });
  }

  #send(id: Id, method: string, params: JsonObject): void {
    this.#sender.send({ method, params: { ...params, ...subscriptionMeta(id) } }, id);
  }
}

/** What is served: one plugin by its author, or many by a host. */
export interface McpOffer {
  describe(): Omit<ServerDescription, 'protocolVersion'> & { readonly serverInfo: JsonObject };
  /** Done before the handshake is answered; what it throws is the answer. */
  prepare?(): Promise<void>;
  /** Refuses a request because of its params. @throws RpcError */
  check?(params: JsonObject): void;
  /** By the name of the method; what throws an RpcError is answered with it. */
  readonly methods: Readonly<Record<string, ServerMethod>>;
  /** The returned function ends it. */
  onChanged(listener: (what: ChangedList) => void): () => void;
  /** Calls when one of these resources changes, until the returned function is called. Absent: there are no resources. */
  follow?(uris: readonly string[], updated: (uri: string) => void): Promise<() => void>;
}

export type ServerMethod = (params: JsonObject, request: McpRequest) => Json | Promise<Json>;

export type ChangedList = 'tools' | 'prompts' | 'resources';
