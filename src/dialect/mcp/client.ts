// The client's side of a connection to an MCP server of either era: the handshake, and requests in the form that its era wants.
import type { Clock } from '../../base/clock.ts';
import { PluglotError } from '../../base/error.ts';
import { isJsonObject, textsIn, type JsonObject } from '../../base/json.ts';
import { ownVersion } from '../../base/own-version.ts';
import { shortened, shown } from '../../base/text.ts';
import { late, within } from '../../base/async.ts';
import { RpcError } from '../../channel/message/rpc-error.ts';
import type { Exchange } from '../../channel/peer/exchange.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import { refusal, unexpected } from '../host-base.ts';
import { failureOf, HttpError, unreadable } from './errors.ts';
import { methods, notifications, SESSION_VERSIONS } from './schema.ts';
import { clientMeta, metaKey, STATELESS_VERSION } from './stateless.ts';

/** A server that has not answered `server/discover` by then is slow to start, or never answers what it does not know: a ping finds out. */
const PROBE_MS = 1000;
/** Then it gets `initialize` in any case. */
const PINGED_MS = 4000;

/** What a server says of itself. */
export interface ServerDescription {
  readonly protocolVersion: string;
  readonly capabilities: JsonObject;
  readonly serverInfo?: JsonObject;
  readonly instructions?: string;
}

export interface McpClientOptions {
  readonly pluginName: string;
  readonly clock: Clock;
  /** What servers may ask of this client. */
  readonly capabilities: JsonObject;
  /**
   * Whether `server/discover` goes first, which finds the newer era of a server that has both. Some servers of the older one exit at
   * anything but `initialize`.
   */
  readonly probe: 'no' | 'within-limit' | 'yes';
  /** The handshake with sessions ended with this version. */
  readonly onVersion: (version: string) => void;
}

export class McpClient {
  readonly #peer: Peer;
  readonly #options: McpClientOptions;
  readonly #info: JsonObject = { name: 'pluglot', version: ownVersion() };
  readonly #meta: JsonObject;
  #isStateless = false;

  constructor(peer: Peer, options: McpClientOptions) {
    this.#peer = peer;
    this.#options = options;
    this.#meta = clientMeta(this.#info, options.capabilities);
  }

  /** Whether the server is of 2026-07-28: no session, and no requests of its own. */
  get isStateless(): boolean {
    return this.#isStateless;
  }

  /**
   * Finds the newest version that both ends know, and what the server offers in it.
   * Rejects with PluglotError, RpcError or HttpError, as the server refused the first handshake.
   */
  async handshake(): Promise<ServerDescription> {
    const { probe, clock } = this.#options;
    if (probe === 'no') return this.#openSession();
    const exchange = this.#peer.open(methods.discover, { _meta: this.#meta });
    const probed = this.#probed(exchange);
    const first = probe === 'yes' ? await probed : await within(probed, PROBE_MS, clock);
    if (first !== late) return first ?? this.#openSession();
    // With the meta of the newer era, since a server of both would take any other request for one of the older.
    const ping = this.#peer.open(methods.ping, { _meta: this.#meta });
    const answered = ping.result.then(
      () => undefined,
      () => probed,
    );
    const found = await within(Promise.race([probed, answered]), PINGED_MS, clock);
    // Without cancellations, which might be the first messages that the server reads.
    exchange.settle(undefined);
    ping.settle(undefined);
    return found === late || found === undefined ? this.#openSession() : found;
  }

  async #openSession(): Promise<ServerDescription> {
    try {
      return await this.#initialize(SESSION_VERSIONS[0]);
    } catch (first) {
      const version = otherVersion(first);
      try {
        if (version === STATELESS_VERSION) return await this.#discover();
        if (version !== undefined) return await this.#initialize(version);
      } catch {
        // The first refusal says more.
      }
      throw unknownVersions(first, this.#options.pluginName) ?? first;
    }
  }

  /** @throws PluglotError when it cannot be sent now */
  open(method: string, params?: JsonObject): Exchange {
    return this.#peer.open(method, this.#paramsOf(params));
  }

  /**
   * The result as it came, which is an object; without a limit it is waited for until the connection ends.
   * @throws PluglotError with a neutral code
   */
  async ask(method: string, params?: JsonObject, limitMs?: number): Promise<JsonObject> {
    const question = { pluginName: this.#options.pluginName, method };
    let result: JsonObject;
    try {
      result = await this.request(method, params, limitMs);
    } catch (thrown) {
      const { code, message } = failureOf(thrown, question.pluginName);
      if (!(thrown instanceof RpcError)) throw new PluglotError(code, message, { cause: thrown });
      // What the server does not know here is not a tool.
      throw refusal(question, thrown, code === 'UNKNOWN_TOOL' ? 'UNSUPPORTED' : code);
    }
    const type = this.#isStateless ? unknownResultType(result) : undefined;
    if (type === undefined) return result;
    throw new PluglotError('UNSUPPORTED', `Plugin "${question.pluginName}" answered ${method} with ${type}.`);
  }

  /** The same, but an error of the server rejects as it came. */
  async request(method: string, params?: JsonObject, limitMs?: number): Promise<JsonObject> {
    const { pluginName } = this.#options;
    const limit = limitMs === undefined ? {} : { timeoutMs: limitMs };
    try {
      const result = await this.#peer.request(method, this.#paramsOf(params), limit);
      if (isJsonObject(result)) return result;
    } catch (thrown) {
      if (!(thrown instanceof PluglotError) || thrown.code !== 'CALL_TIMEOUT') throw thrown;
      const message = `Plugin "${pluginName}" did not answer ${method} within ${limitMs} ms.`;
      throw new PluglotError('CALL_TIMEOUT', message);
    }
    throw unreadable(pluginName);
  }

  #paramsOf(params: JsonObject | undefined): JsonObject | undefined {
    if (!this.#isStateless) return params;
    const { _meta: meta } = params ?? {};
    return { ...params, _meta: { ...this.#meta, ...(isJsonObject(meta) && meta) } };
  }

  /** Undefined: the server is one with sessions, as far as it shows. */
  async #probed({ result }: Exchange): Promise<ServerDescription | undefined> {
    try {
      return this.#useStateless(await result);
    } catch (thrown) {
      if (endsTheStart(thrown)) throw thrown;
      return undefined;
    }
  }

  async #discover(): Promise<ServerDescription> {
    const result = await this.#peer.request(methods.discover, { _meta: this.#meta });
    const found = this.#useStateless(result);
    if (found !== undefined) return found;
    const question = { pluginName: this.#options.pluginName, method: methods.discover };
    throw unexpected(question, result, '{ supportedVersions, capabilities }');
  }

  #useStateless(result: unknown): ServerDescription | undefined {
    if (!isJsonObject(result)) return undefined;
    const { supportedVersions, capabilities, instructions, _meta: meta } = result;
    if (!textsIn(supportedVersions).includes(STATELESS_VERSION) || !isJsonObject(capabilities))
      return undefined;
    this.#isStateless = true;
    const serverInfo = isJsonObject(meta) ? meta[metaKey('serverInfo')] : undefined;
    return {
      protocolVersion: STATELESS_VERSION,
      capabilities,
      ...(isJsonObject(serverInfo) && { serverInfo }),
      ...(typeof instructions === 'string' && { instructions }),
    };
  }

  async #initialize(offered: string): Promise<ServerDescription> {
    const { pluginName, capabilities: ours, onVersion } = this.#options;
    const params = { protocolVersion: offered, capabilities: ours, clientInfo: this.#info };
    const result = await this.#peer.request(methods.initialize, params);
    const { protocolVersion, capabilities, serverInfo, instructions } = isJsonObject(result) ? result : {};
    if (typeof protocolVersion !== 'string' || !isJsonObject(capabilities) || !isJsonObject(serverInfo))
      throw unexpected(
        { pluginName, method: methods.initialize },
        result,
        '{ protocolVersion, capabilities, serverInfo }',
      );
    if (!SESSION_VERSIONS.some((version) => version === protocolVersion))
      throw wrongVersion(pluginName, `"${shortened(protocolVersion, 40)}"`);
    onVersion(protocolVersion);
    this.#peer.notify(notifications.initialized);
    return {
      protocolVersion,
      capabilities,
      serverInfo,
      ...(typeof instructions === 'string' && { instructions }),
    };
  }
}

/** What a result of 2026-07-28 is that is not complete. */
export function unknownResultType({ resultType = 'complete' }: JsonObject): string | undefined {
  if (resultType === 'complete') return undefined;
  return resultType === 'input_required'
    ? 'a question, which this host cannot pass on'
    : `a result of the type ${shown(resultType, 40)}, which this host does not know`;
}

/** A server that refuses ours may name the versions that it knows. */
function unknownVersions(thrown: unknown, pluginName: string): PluglotError | undefined {
  const versions = supportedIn(refusalIn(thrown)?.data);
  if (versions.length === 0) return undefined;
  return wrongVersion(pluginName, versions.map((one) => shortened(one, 40)).join(', '));
}

/** Another answer than a refusal of the method: the server is not there, or does not let us in. */
function endsTheStart(thrown: unknown): boolean {
  if (thrown instanceof HttpError) return thrown.status === 401 || thrown.status === 403;
  return thrown instanceof PluglotError && !UNREADABLE.has(thrown.code);
}

const UNREADABLE: ReadonlySet<string> = new Set([
  'INVALID_RESPONSE',
  'FRAME_TOO_LARGE',
  'PROTOCOL_VIOLATION',
  'UNAVAILABLE',
]);

/** What to try when the first handshake was refused. */
function otherVersion(thrown: unknown): string | undefined {
  const refused = refusalIn(thrown);
  if (refused === undefined) return undefined;
  const supported = supportedIn(refused.data);
  const older = SESSION_VERSIONS.find((version) => supported.includes(version));
  if (older !== undefined) return older;
  const isStateless = supported.includes(STATELESS_VERSION) || STATELESS_REFUSALS.has(refused.code);
  return isStateless ? STATELESS_VERSION : undefined;
}

/** How servers that know nothing older refuse `initialize`: an unknown version, an unknown method, headers that are missing. */
const STATELESS_REFUSALS: ReadonlySet<number> = new Set([-32022, -32601, -32020]);

/** Over HTTP a refusal comes as the body of a 400. */
function refusalIn(thrown: unknown): { readonly code: number; readonly data?: unknown } | undefined {
  if (thrown instanceof RpcError) return thrown;
  return thrown instanceof HttpError && thrown.status === 400 ? thrown.rpcError : undefined;
}

function supportedIn(data: unknown): readonly string[] {
  return isJsonObject(data) ? textsIn(data['supported']) : [];
}

function wrongVersion(pluginName: string, spoken: string): PluglotError {
  const ours = SESSION_VERSIONS.toReversed().join(', ');
  return new PluglotError(
    'UNSUPPORTED_PROTOCOL',
    `Plugin "${pluginName}" speaks MCP ${spoken}; this host speaks ${ours} and ${STATELESS_VERSION}. Use another version of the plugin, or update the host.`,
  );
}
