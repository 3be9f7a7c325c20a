// A server of ours behind the wire: what it answers to each method of MCP.
import { PluglotError, toError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import { RpcError, standardErrors } from '../../channel/message/rpc-error.ts';
import type { CallContext } from '../../channel/peer/call-context.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { Backend, RunningCall } from '../../definition/backend.ts';
import type { Answer, CallEvent, CallFailure, CallSink } from '../../definition/outcome.ts';
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
import { commandOf, completion, promptArguments, promptResult, wirePrompt } from './server-prompts.ts';
import { toolResult, wireTool } from './server-tools.ts';

/** By method. What throws an RpcError is answered with it. */
export type Answers = Readonly<Record<string, (params: JsonObject, context: CallContext) => unknown>>;

export class McpServer {
  readonly log: ServerLog;
  readonly methods: Answers = {
    [methods.initialize]: (params) => this.#initialize(params),
    [methods.ping]: () => ({}),
    [methods.setLevel]: (params) => {
      this.log.setLevel(params);
      return {};
    },
    [methods.listTools]: (params) => pageOf('tools', this.#offer.profile.tools.map(wireTool), params),
    [methods.callTool]: (params, context) => this.#callTool(params, context),
    [methods.listPrompts]: (params) =>
      pageOf('prompts', this.#backend.profile.commands.map(wirePrompt), params),
    [methods.getPrompt]: (params, context) => this.#getPrompt(params, context),
    [methods.complete]: (params) => completion(params, this.#backend),
  };
  readonly #backend: Backend;
  readonly #offer: Offer;
  readonly #peer: Peer;
  readonly #setup: AuthorSetup;
  #unwatch: (() => void) | undefined;

  constructor(backend: Backend, peer: Peer, config: JsonObject | undefined) {
    this.#backend = backend;
    this.#offer = withFacetTools(backend);
    this.#peer = peer;
    this.#setup = new AuthorSetup(backend, config);
    this.log = new ServerLog(peer);
  }

  /** From now on it may be told of changes. */
  clientIsReady(): void {
    this.#unwatch ??= this.#backend.onProfileChanged(() => {
      this.log.notices.send({ method: notifications.toolsChanged, params: {} });
      if (this.#backend.profile.commands.length > 0)
        this.log.notices.send({ method: notifications.promptsChanged, params: {} });
    });
  }

  clientIsGone(): void {
    this.#unwatch?.();
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
    return toolResult(
      answer,
      this.#offer.profile.tools.find(({ name }) => name === tool),
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
    const progress = token === undefined ? undefined : new CallProgress(token, this.log.notices);
    const event = (event: CallEvent) => {
      if (event.kind === 'log') this.log.log(event);
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
