// Calls of one connection: through the gate, and back in as many answers as it takes.
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { PluglotError, toError } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { promptArguments, promptResult } from '../../dialect/mcp/server-prompts.ts';
import type { Outcome } from '../../definition/outcome.ts';
import type { GateCallOptions } from '../../gate/gate.ts';
import type { PluginContent } from '../../gate/plugin-content.ts';
import type { Call } from '../../fleet/plugin/call.ts';
import { approvalForm } from './approval-form.ts';
import { ClientCall } from './client-call.ts';
import { showsForms, unable, type Client } from './client.ts';
import type { ClientRequest } from './client-request.ts';
import { accessKey, type Connection, type Serving } from './connection.ts';
import { textOf } from './params.ts';
import { resultOf } from './result.ts';
import { CALL, SEARCH, searchResult } from './search.ts';
import type { OfferedCommand } from './view.ts';

export class CallDesk {
  readonly #serving: Serving;
  readonly #connection: Connection;

  constructor(serving: Serving, connection: Connection) {
    this.#serving = serving;
    this.#connection = connection;
  }

  callTool(params: JsonObject, request: ClientRequest): Promise<Json> | Json {
    const { view } = this.#connection.things;
    const name = textOf(params['name'], 'name');
    const args = isJsonObject(params['arguments']) ? params['arguments'] : {};
    if (!view.searches) return this.#call(name, args, request);
    if (name === SEARCH) return searchResult(view.tools, args);
    if (name !== CALL) return this.#call(name, args, request);
    const { arguments: inner } = args;
    return this.#call(textOf(args['name'], 'arguments.name'), isJsonObject(inner) ? inner : {}, request);
  }

  async runCommand(
    { command, plugin }: OfferedCommand,
    params: JsonObject,
    request: ClientRequest,
  ): Promise<Json> {
    const args = promptArguments(params);
    const { gate } = this.#serving;
    return this.#served(`prompt:${command.name}`, request, plugin, {
      begin: (options) => gate.run(command.name, args, options),
      result: (outcome) => promptResult(outcome, command),
    });
  }

  /** One that this client does not have. @throws ProtocolError with why */
  refusePrompt(name: string, params: JsonObject, request: ClientRequest): Promise<never> {
    const { arguments: args } = params;
    return this.#refused('prompt', name, isJsonObject(args) ? args : {}, request);
  }

  /** @throws what the plugin throws, or PluglotError with why the gate does not let it */
  async getContent(content: PluginContent, args: JsonObject, request: ClientRequest): Promise<Json> {
    const { kind, id, plugin } = content;
    let failure: Error | undefined;
    const get = () =>
      content.get().catch((thrown: unknown) => {
        failure = toError(thrown);
        throw failure;
      });
    return this.#served(`${kind}:${plugin}:${id}`, request, plugin, {
      begin: (options) => this.#serving.gate.content({ ...content, get }, args, options),
      result(outcome) {
        if (failure !== undefined) throw failure;
        if (!outcome.ok) throw new PluglotError(outcome.error.code, outcome.error.message);
        return isJsonObject(outcome.data) ? outcome.data : {};
      },
    });
  }

  #call(name: string, args: JsonObject, request: ClientRequest): Promise<Json> {
    const offered = this.#connection.things.view.find(name);
    if (offered === undefined) return this.#refused('tool', name, args, request);
    return this.#served(`tool:${offered.name}`, request, offered.plugin, {
      begin: (options) => this.#serving.gate.call(offered.tool.name, args, options),
      result: (outcome) => resultOf(outcome, offered),
    });
  }

  /** The gate says why, and writes it down. */
  async #refused(
    kind: 'tool' | 'prompt',
    name: string,
    args: JsonObject,
    { client, trace }: ClientRequest,
  ): Promise<never> {
    const { gate } = this.#serving;
    const { access } = this.#connection;
    const whose = access.profile === undefined ? 'this client' : `the profile "${access.profile}"`;
    const notShown = `${whose} does not have the ${kind} "${name.slice(0, 100)}"`;
    const caller = this.#connection.caller(client.name);
    const options = { caller, notShown, ...(trace === undefined ? {} : { trace }) };
    const outcome = await (kind === 'tool' ? gate.call(name, args, options) : gate.run(name, args, options));
    const { code, message } = outcome.ok ? { code: undefined, message: notShown } : outcome.error;
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      // To a client a command is a prompt.
      kind === 'prompt' && code === 'UNKNOWN_TOOL' ? `There is no prompt ${JSON.stringify(name)}.` : message,
    );
  }

  async #served(
    what: string,
    request: ClientRequest,
    plugin: string,
    work: { begin(options: GateCallOptions): Call; result(outcome: Outcome): JsonObject },
  ): Promise<Json> {
    const { parked } = this.#serving;
    const { calls } = this.#connection;
    const { state, round } = request;
    const owner = `${accessKey(this.#connection.access)}\n${this.#connection.id}\n${what}`;
    const refusal = state === undefined ? this.#crowded() : undefined;
    if (refusal !== undefined) return work.result(refusal);
    const call =
      state === undefined
        ? this.#begin(request, plugin, (options) => work.begin(options))
        : this.#comeBack(state, owner);
    calls.add(call);
    const end = await call.next(round);
    if (end.kind === 'asked') {
      // It still belongs to the connection, where there is one, and is given up with it.
      if (this.#connection.id === '') calls.delete(call);
      return {
        resultType: 'input_required',
        inputRequests: end.requests,
        requestState: parked.park(call, owner),
      };
    }
    calls.delete(call);
    return work.result(end.outcome);
  }

  /** One who asks for more than anybody answers keeps connections and memory from the others. */
  #crowded(): Outcome | undefined {
    const { limits } = this.#serving;
    const { calls, open, id } = this.#connection;
    const isSession = id !== '' && calls.size >= limits.sessionCalls;
    if (!isSession && open.calls < limits.profileCalls) return undefined;
    const [count, whose] = isSession
      ? [limits.sessionCalls, 'this connection']
      : [limits.profileCalls, 'clients with this token or profile'];
    const message = `${count} calls of ${whose} are under way already. Wait until some are over.`;
    return { ok: false, error: { code: 'TOO_MANY_CALLS', message }, durationMs: 0 };
  }

  #comeBack(state: string, owner: string): ClientCall {
    const call = this.#serving.parked.take(state, owner);
    if (call !== undefined) return call;
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'The call that this answer is for is over, or was never made here. Make it again.',
    );
  }

  #begin(
    { client, trace }: ClientRequest,
    plugin: string,
    begin: (options: GateCallOptions) => Call,
  ): ClientCall {
    const { clock, limits } = this.#serving;
    const { open, calls } = this.#connection;
    const call = new ClientCall({
      clock,
      plugin,
      answerMs: limits.answerMs,
      unable: (question) => unable(client, question),
      begin: (asker) =>
        begin({
          caller: this.#connection.caller(client.name),
          asker,
          ...(trace === undefined ? {} : { trace }),
          ...this.#approver(client, asker),
        }),
    });
    open.calls += 1;
    void call.ended.then(() => {
      open.calls -= 1;
      // Also where nobody came back for it.
      calls.delete(call);
    });
    return call;
  }

  /** A client without forms leaves it to whoever else can be asked. */
  #approver(
    { name, capabilities }: Client,
    asker: Pick<ClientCall, 'askUser'>,
  ): Pick<GateCallOptions, 'approver'> {
    if (!this.#connection.things.view.asksForApproval || !showsForms(capabilities)) return {};
    return {
      approver: approvalForm({
        clientName: name,
        limitMs: this.#serving.limits.answerMs,
        isLasting: this.#connection.id !== '',
        ask: (params, signal) => asker.askUser(params, signal),
      }),
    };
  }
}
