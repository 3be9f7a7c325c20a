// The host's end of one MCP server after the handshake: calls, signs of life, and what the server sends by itself.
import { PluglotError, toError } from '../../base/error.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { shown } from '../../base/text.ts';
import type { Ending } from '../../channel/bytes/pipe.ts';
import type { Link } from '../../channel/link/link.ts';
import { RpcError, standardErrors } from '../../channel/message/rpc-error.ts';
import type { CallContext } from '../../channel/peer/call-context.ts';
import type { CancelProtocol, PeerTrouble } from '../../channel/peer/options.ts';
import { Peer } from '../../channel/peer/peer.ts';
import type { Manifest } from '../../definition/manifest.ts';
import type { Answer, CallRequest, CallSink } from '../../definition/outcome.ts';
import type { PluginLimits, PluginSpec } from '../../definition/plugin-spec.ts';
import type { Tool } from '../../definition/tool.ts';
import { reasonGiven, withoutReason } from '../failure.ts';
import type { WirePort, HostServices, ServerNews } from '../host-dialect.ts';
import type { PromptsPort, ResourcesPort, RunningCall, TalkPort } from '../../definition/plugin-port.ts';
import { givenUp, unexpected } from '../host-base.ts';
import { talkBy } from '../talk-tool.ts';
import { McpCall, readInputRequired, relay, relayedCapabilities } from './call.ts';
import { McpClient, unknownResultType, type ServerDescription } from './client.ts';
import { failureOf, startError, unreadable } from './errors.ts';
import { type Ask, Listening, promptsFacet, resourcesFacet } from './facets.ts';
import type { HttpLink } from './http-link.ts';
import { KnownTools } from './known-tools.ts';
import { methods, notifications, readLog, readProgress, readToolResult } from './schema.ts';

/** The way to a server. */
export interface ServerConnection {
  readonly link: Link;
  /** Undefined on a pipe. */
  readonly http?: HttpLink;
  /** The server wants to know who asks, and a person is about to say so: it lives, and answers nothing else. */
  readonly waitsForPerson?: () => boolean;
}

/**
 * Does the handshake over a fresh connection and learns the tools.
 * @throws PluglotError START_FAILED, PROTOCOL_VIOLATION, UNSUPPORTED_PROTOCOL or PIPE_ENDED; or the reason of the signal
 */
export async function openEnd(
  connection: ServerConnection,
  spec: PluginSpec,
  limits: Required<PluginLimits>,
  services: HostServices,
): Promise<WirePort> {
  const end = new McpEnd(connection, spec, limits, services);
  const giveUp = () => end.close();
  services.signal.addEventListener('abort', giveUp, { once: true });
  try {
    services.signal.throwIfAborted();
    await end.start();
    return end;
  } catch (thrown) {
    end.close();
    throw services.signal.aborted
      ? givenUp({ pluginName: spec.name, method: end.lastAsked }, toError(thrown), services.signal.reason)
      : startError(thrown, spec.name, connection.http === undefined);
  } finally {
    services.signal.removeEventListener('abort', giveUp);
  }
}

class McpEnd implements WirePort {
  manifest: Manifest;
  talk?: TalkPort;
  resources?: ResourcesPort;
  prompts?: PromptsPort;
  /** Of the start. */
  lastAsked: string = methods.initialize;
  readonly #pluginName: string;
  readonly #connection: ServerConnection;
  readonly #limits: Required<PluginLimits>;
  readonly #services: HostServices;
  readonly #peer: Peer;
  readonly #client: McpClient;
  readonly #tools: KnownTools;
  readonly #calls = new Map<number, McpCall>();
  #listening: Listening | undefined;
  #nextToken = 1;

  constructor(
    connection: ServerConnection,
    spec: PluginSpec,
    limits: Required<PluginLimits>,
    services: HostServices,
  ) {
    this.#pluginName = spec.name;
    this.#connection = connection;
    this.#limits = limits;
    this.#services = services;
    this.#tools = new KnownTools(spec.name, services);
    this.manifest = { name: spec.name, version: 'unknown', dialect: 'mcp', tools: [], raw: {} };
    this.#peer = this.#openPeer();
    this.#client = new McpClient(this.#peer, {
      pluginName: spec.name,
      clock: services.clock,
      capabilities: services.relaysQuestions === true ? relayedCapabilities : {},
      probe: connection.http !== undefined ? 'yes' : services.canStartAgain === true ? 'within-limit' : 'no',
      onVersion: (version) => connection.http?.useVersion(version),
    });
  }

  async start(): Promise<void> {
    const server = await this.#client.handshake();
    const { capabilities } = server;
    const { http } = this.#connection;
    const { isStateless } = this.#client;
    if (http !== undefined && isStateless) http.headersOf = this.#tools.headersOf;
    const learn = (limitMs?: number) =>
      this.#tools.learn(this.#askWithin(limitMs), http !== undefined && isStateless);
    this.lastAsked = methods.listTools;
    const tools = capabilities['tools'] === undefined ? [] : await learn();
    this.manifest = manifestOf(server, this.#pluginName, tools);
    const { talk } = talkBy(tools, (request, sink) => this.call(request, sink));
    if (talk !== undefined) this.talk = talk;
    this.#addFacets(capabilities);
    this.#listening?.start();
    this.#tools.follow(() => learn(this.#limits.startMs));
    void this.ended.then(() => this.#tools.close());
  }

  get ended(): Promise<Ending> {
    return this.#peer.ended;
  }

  call({ tool, args, trace, asker }: CallRequest, sink: CallSink): RunningCall {
    const token = this.#nextToken;
    this.#nextToken += 1;
    const call = new McpCall({
      pluginName: this.#pluginName,
      params: { name: tool, arguments: args, _meta: { progressToken: token, ...trace } },
      sink,
      asker,
      open: (method, params) => this.#client.open(method, params),
      questionsIn: (result) => (this.#canAsk ? readInputRequired(result) : undefined),
      read: (result) => this.#answer(tool, result),
      over: () => this.#calls.delete(token),
      threw: (where, error) => this.#threw(where, error),
    });
    this.#calls.set(token, call);
    call.send();
    return call;
  }

  /** Any answer is a sign of life, also a refusal or one that cannot be read. */
  async ping(limitMs: number): Promise<void> {
    const { isStateless } = this.#client;
    try {
      await this.#client.request(isStateless ? methods.discover : methods.ping, undefined, limitMs);
    } catch (thrown) {
      const { code, message, wireCode } = failureOf(thrown, this.#pluginName);
      const isAnswer = wireCode !== undefined || code === 'INVALID_RESPONSE' || code === 'FRAME_TOO_LARGE';
      if (!isAnswer && this.#connection.waitsForPerson?.() !== true) throw new PluglotError(code, message);
    }
  }

  /** On a pipe the goodbye is the end of stdin, with which the fleet begins to stop a process anyway. */
  async shutdown(limitMs: number): Promise<void> {
    await this.#connection.http?.endSession(limitMs);
  }

  close(): void {
    void this.#peer.close({ pending: 'abort' });
    this.#connection.link.destroy();
  }

  #openPeer(): Peer {
    const peer = new Peer(this.#connection.link, {
      name: `plugin "${this.#pluginName}"`,
      // What is not JSON-RPC is noise; servers would take an answer for a message of the host.
      answerInvalid: false,
      clock: this.#services.clock,
      cancel,
      onTrouble: (trouble) => this.#services.trouble(trouble),
    });
    if (this.#services.observer !== undefined) peer.observe(this.#services.observer);
    peer.handleOthers((params, context) => this.#asked(params, context));
    peer.onNotification(notifications.progress, (params) => this.#progress(params));
    peer.onNotification(notifications.log, (params) => this.#log(params));
    peer.onNotification(notifications.toolsChanged, () => this.#tools.changed());
    peer.onNotification(notifications.resourcesChanged, () => this.#news({ kind: 'resources-changed' }));
    peer.onNotification(notifications.promptsChanged, () => this.#news({ kind: 'prompts-changed' }));
    peer.onNotification(notifications.resourceUpdated, (params) => this.#updated(params));
    peer.onNotification(notifications.subscribed, (params) => this.#listening?.acknowledged(params));
    return peer;
  }

  #addFacets(capabilities: JsonObject): void {
    const ports = {
      capabilities,
      pluginName: this.#pluginName,
      ask: this.#askWithin(this.#limits.callMs),
      trouble: (trouble: PeerTrouble) => this.#services.trouble(trouble),
    };
    if (this.#client.isStateless)
      this.#listening = new Listening({
        capabilities,
        open: (method, params) => this.#client.open(method, params),
        failed: (error) => this.#threw(methods.listen, error),
      });
    if (capabilities['resources'] !== undefined) this.resources = resourcesFacet(ports, this.#listening);
    if (capabilities['prompts'] !== undefined) this.prompts = promptsFacet(ports);
  }

  get #canAsk(): boolean {
    return this.#client.isStateless && this.#services.relaysQuestions === true;
  }

  #answer(tool: string, value: unknown): Answer {
    if (!isJsonObject(value) || (value['_meta'] !== undefined && !isJsonObject(value['_meta'])))
      return { ok: false, error: failureOf(unreadable(this.#pluginName), this.#pluginName) };
    const type = this.#client.isStateless ? unknownResultType(value) : undefined;
    if (type !== undefined) {
      const message = `Plugin "${this.#pluginName}" answered "${tool}" with ${type}.`;
      return { ok: false, error: { code: 'UNSUPPORTED', message } };
    }
    const result = readToolResult(value);
    if (result === undefined) {
      const question = { pluginName: this.#pluginName, method: methods.callTool };
      const { code, message } = unexpected(question, value, '{ content: [ … ] }');
      return { ok: false, error: { code, message } };
    }
    const content = {
      ...(result.text === undefined ? {} : { text: result.text }),
      ...(result.data === undefined ? {} : { data: result.data }),
      ...(result.keepSession === true ? { keepSession: true } : {}),
    };
    if (result.failure !== undefined) return { ok: false, ...content, error: result.failure };
    if (result.failed) {
      const message = reasonGiven(result.text ?? `The tool "${tool}" failed and did not say why.`);
      const error = { code: 'TOOL_FAILED', message } as const;
      return { ok: false, ...withoutReason(content, error), error };
    }
    const problem = this.#tools.outputProblem(tool, result);
    if (problem === undefined) return { ok: true, ...content };
    return { ok: false, ...content, error: { code: 'PROTOCOL_VIOLATION', message: problem } };
  }

  #askWithin(limitMs?: number): Ask {
    return (method, params) => this.#client.ask(method, params, limitMs);
  }

  #asked(params: unknown, context: CallContext): unknown {
    const { id, method } = context;
    if (id === null) {
      const text = `{"id":null,"method":${JSON.stringify(method)}}`;
      this.#services.trouble({ kind: 'invalid', reason: 'MCP has no requests whose id is null', text });
      return context.waiveResponse();
    }
    if (params !== undefined && !isJsonObject(params))
      throw new RpcError(standardErrors.invalidParams.code, 'Invalid params: MCP has them as an object');
    if (method === methods.ping) return {};
    const { code, message } = standardErrors.methodNotFound;
    if (this.#services.relaysQuestions !== true) throw new RpcError(code, message);
    return relay(this.#pluginName, [...this.#calls.values()], method, params, context.signal);
  }

  #news(news: ServerNews): void {
    this.#services.news?.(news);
  }

  #updated(params: unknown): void {
    const uri = isJsonObject(params) ? params['uri'] : undefined;
    if (typeof uri === 'string') this.#news({ kind: 'resource-updated', uri });
    else this.#unreadable(notifications.resourceUpdated, params);
  }

  #progress(params: unknown): void {
    const progress = readProgress(params);
    if (progress === undefined) return this.#unreadable(notifications.progress, params);
    this.#calls.get(Number(progress.token))?.event(progress.event);
  }

  #log(params: unknown): void {
    const entry = readLog(params);
    if (entry === undefined) return this.#unreadable(notifications.log, params);
    // Nothing says to which call a log belongs: only where there is just one, it is that one's.
    const [call] = this.#calls.values();
    if (call === undefined || this.#calls.size > 1) this.#services.log(entry);
    else call.event({ kind: 'log', ...entry });
  }

  #unreadable(method: string, params: unknown): void {
    const text = shown(params, 500);
    this.#services.trouble({ kind: 'invalid', reason: `${method} says nothing`, text });
  }

  #threw(where: string, error: Error): void {
    this.#services.trouble({ kind: 'thrown', where, error });
  }
}

const cancel: CancelProtocol = {
  method: notifications.cancelled,
  notification: (requestId, { message }) => ({
    method: notifications.cancelled,
    params: { requestId, reason: message },
  }),
  idIn(params) {
    const id = isJsonObject(params) ? params['requestId'] : undefined;
    return typeof id === 'string' || typeof id === 'number' ? id : undefined;
  },
};

function manifestOf(server: ServerDescription, pluginName: string, tools: readonly Tool[]): Manifest {
  const { protocolVersion, capabilities, instructions, serverInfo = {} } = server;
  const { name, version, description } = serverInfo;
  return {
    name: typeof name === 'string' ? name : pluginName,
    version: typeof version === 'string' ? version : 'unknown',
    ...(typeof description === 'string' && { description }),
    dialect: 'mcp',
    protocolVersion,
    capabilities,
    ...(instructions !== undefined && { instructions }),
    tools,
    raw: { ...server },
  };
}
