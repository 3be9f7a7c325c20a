// A server of ours behind the wire: what it answers to each method of MCP.
import { PluglotError, toError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import { RpcError, standardErrors } from '../../channel/message/rpc-error.ts';
import type { CallContext } from '../../channel/peer/call-context.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { Backend, RunningCall } from '../../definition/backend.ts';
import type { Answer, CallEvent, CallFailure, CallSink } from '../../definition/outcome.ts';
import type { LogEntry } from '../../definition/tool.ts';
import type { AuthorServices } from '../author-dialect.ts';
import { AuthorSetup } from '../author-setup.ts';
import { backendAnswer } from '../backend-answer.ts';
import { withFacetTools, type Offer } from '../facet-tools.ts';
import { reasonGiven, unanswered } from '../failure.ts';
import { CallProgress } from './call-progress.ts';
import { progressTokenIn, readObject, readText } from './client-requests.ts';
import { methods, notifications } from './schema.ts';
import { helloResult } from './server-hello.ts';
import { ServerLog } from './server-log.ts';
import { pageOf } from './server-page.ts';
import {
  commandOf,
  completion,
  promptArguments,
  promptResult,
  promptsOf,
  wirePrompt,
} from './server-prompts.ts';
import { Subscriptions } from './server-subscriptions.ts';
import { toolResult, wireTools } from './server-tools.ts';
import { completeResult, discoverResult, isMethodOf, readEnvelope } from './stateless.ts';

/** By method. What throws an RpcError is answered with it. */
export type Answers = Readonly<
  Record<string, (params: JsonObject, context: CallContext) => JsonObject | Promise<JsonObject>>
>;

export class McpServer {
  readonly #answers: Answers = {
    [methods.discover]: () => discoverResult(this.#offer.profile),
    [methods.listen]: (params, context) => this.#listen(params, context),
    [methods.initialize]: (params) => this.#initialize(params),
    [methods.ping]: () => ({}),
    [methods.setLevel]: (params) => {
      this.#log.setLevel(params);
      return {};
    },
    [methods.listTools]: (params) => pageOf('tools', wireTools(this.#offer.profile), params),
    [methods.callTool]: (params, context) => this.#callTool(params, context),
    [methods.listPrompts]: (params) =>
      pageOf('prompts', promptsOf(this.#backend.profile).map(wirePrompt), params),
    [methods.getPrompt]: (params, context) => this.#getPrompt(params, context),
    [methods.complete]: (params) => completion(params, this.#backend),
  };
  readonly #backend: Backend;
  readonly #offer: Offer;
  readonly #peer: Peer;
  readonly #setup: AuthorSetup;
  readonly #services: AuthorServices;
  readonly #log: ServerLog;
  readonly #subscriptions: Subscriptions;
  #unwatch: (() => void) | undefined;
  #isStateless = false;

  constructor(backend: Backend, peer: Peer, services: AuthorServices) {
    this.#backend = backend;
    this.#offer = withFacetTools(backend);
    this.#peer = peer;
    this.#setup = new AuthorSetup(backend, services.config);
    this.#services = services;
    this.#log = new ServerLog(peer);
    this.#subscriptions = new Subscriptions(this.#log.notices);
  }

  get methods(): readonly string[] {
    return Object.keys(this.#answers);
  }

  /** @throws RpcError to be answered with */
  answer(method: string, params: JsonObject, context: CallContext): unknown {
    const envelope = readEnvelope(params);
    this.#isStateless ||= envelope !== undefined;
    const { code, message } = standardErrors.methodNotFound;
    const answer = this.#answers[method];
    if (answer === undefined || !isMethodOf(envelope === undefined ? 'earlier' : 'stateless', method))
      throw new RpcError(code, message);
    return envelope === undefined
      ? answer(params, context)
      : this.#stateless(method, answer(params, context));
  }

  /** What belongs to no request. From 2026-07-28 on clients hear of nothing that they did not ask for. */
  log(entry: LogEntry): void {
    if (this.#isStateless) this.#services.print(`${entry.level}: ${entry.message}`);
    else this.#log.log(entry);
  }

  /** From now on it may be told of changes. */
  clientIsReady(): void {
    this.#watch(() => {
      this.#log.notices.send({ method: notifications.toolsChanged, params: {} });
      if (this.#backend.profile.commands.length > 0)
        this.#log.notices.send({ method: notifications.promptsChanged, params: {} });
    });
  }

  clientIsGone(): void {
    this.#unwatch?.();
    this.#subscriptions.end();
  }

  #watch(changed: () => void): void {
    this.#unwatch ??= this.#backend.onProfileChanged(changed);
  }

  #listen(params: JsonObject, context: CallContext): Promise<JsonObject> {
    this.#watch(() => {
      this.#subscriptions.changed('toolsListChanged');
      this.#subscriptions.changed('promptsListChanged');
    });
    return this.#subscriptions.listen(params, context);
  }

  async #stateless(method: string, result: JsonObject | Promise<JsonObject>): Promise<JsonObject> {
    return completeResult(method, await result, this.#offer.profile);
  }

  async #initialize(params: JsonObject): Promise<JsonObject> {
    const version = readText(params, 'protocolVersion');
    try {
      await this.#setup.hello();
    } catch (thrown) {
      throw new RpcError(standardErrors.internalError.code, reasonGiven(toError(thrown).message));
    }
    return helloResult(version, this.#offer.profile);
  }

  async #callTool(params: JsonObject, context: CallContext): Promise<JsonObject> {
    const tool = readText(params, 'name');
    const args = readObject(params, 'arguments');
    const answer = await this.#run(params, context, (sink) =>
      this.#offer.call({ tool, args, timeoutMs: Infinity, dialect: 'mcp' }, sink),
    );
    // The same number as for wrong arguments: the words tell them apart.
    if (!answer.ok && answer.error.code === 'UNKNOWN_TOOL')
      throw new RpcError(standardErrors.invalidParams.code, `Unknown tool: ${tool}`);
    const { profile, say } = this.#offer;
    return toolResult(
      answer,
      profile.tools.find(({ name }) => name === tool),
      say,
    );
  }

  async #getPrompt(params: JsonObject, context: CallContext): Promise<JsonObject> {
    const command = commandOf(readText(params, 'name'), this.#backend);
    const args = promptArguments(params);
    const answer = await this.#run(params, context, (sink) => {
      const request = { tool: command.name, args, timeoutMs: Infinity, dialect: 'mcp' as const };
      return this.#backend.commands?.run(request, sink) ?? this.#backend.call(request, sink);
    });
    return promptResult(answer, command);
  }

  async #run(
    params: JsonObject,
    context: CallContext,
    start: (sink: CallSink) => RunningCall,
  ): Promise<Answer> {
    try {
      await this.#setup.ready();
    } catch (thrown) {
      return { ok: false, error: notReady(thrown) };
    }
    const token = progressTokenIn(params);
    const progress = token === undefined ? undefined : new CallProgress(token, this.#log.notices);
    const envelope = readEnvelope(params);
    const log =
      envelope === undefined ? (entry: LogEntry) => this.#log.log(entry) : this.#log.logOf(envelope);
    const event = (event: CallEvent) => {
      if (event.kind === 'log') log(event);
      else progress?.event(event);
    };
    return backendAnswer(context, event, start, () => this.#peer.drained());
  }
}

/** It is not the arguments of the call that do not fit then. */
function notReady(thrown: unknown): CallFailure {
  const failure = unanswered(thrown);
  const isMisfit = thrown instanceof PluglotError && thrown.code === 'INVALID_ARGUMENTS';
  return isMisfit ? { ...failure, code: 'NOT_INITIALIZED' } : failure;
}
