// Calls of one connection: through the gate, and back in as many answers as it takes.
import {
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { traceOf, type Trace } from '../../base/trace.ts';
import { promptArguments, promptResult } from '../../dialect/mcp/server-prompts.ts';
import type { CommandProfile } from '../../definition/backend.ts';
import type { Asker } from '../../definition/asker.ts';
import type { Outcome } from '../../definition/outcome.ts';
import type { GateCallOptions } from '../../gate/gate.ts';
import type { Call } from '../../fleet/plugin/call.ts';
import { approvalForm } from './approval-form.ts';
import { ClientCall, type ClientRound } from './client-call.ts';
import { clientOf, showsForms, unable, type Client } from './client.ts';
import type { Connection, Serving } from './connection.ts';
import { textOf } from './params.ts';
import { resultOf } from './result.ts';
import { CALL, SEARCH, searchResult } from './search.ts';

export class CallDesk {
  readonly #serving: Serving;
  readonly #connection: Connection;
  readonly #server: Server;

  constructor(serving: Serving, connection: Connection, server: Server) {
    this.#serving = serving;
    this.#connection = connection;
    this.#server = server;
  }

  callTool(params: JsonObject, context: ServerContext): Promise<Json> | Json {
    const { view } = this.#connection.things;
    const name = textOf(params['name'], 'name');
    const args = isJsonObject(params['arguments']) ? params['arguments'] : {};
    if (!view.searches) return this.#call(name, args, context);
    if (name === SEARCH) return searchResult(view.tools, args);
    if (name !== CALL) return this.#call(name, args, context);
    const { arguments: inner } = args;
    return this.#call(textOf(args['name'], 'arguments.name'), isJsonObject(inner) ? inner : {}, context);
  }

  async runCommand(command: CommandProfile, params: JsonObject, context: ServerContext): Promise<Json> {
    const args = promptArguments(params);
    const { gate, registry } = this.#serving;
    const plugin = registry.resolveCommand(command.name)?.plugin ?? '';
    return this.#served(`prompt:${command.name}`, context, plugin, {
      begin: (options) => gate.run(command.name, args, options),
      result: (outcome) => promptResult(outcome, command),
    });
  }

  #call(name: string, args: JsonObject, context: ServerContext): Promise<Json> {
    const offered = this.#connection.things.view.find(name);
    if (offered === undefined)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        this.#serving.registry.whyNot(name, 'tool').message,
      );
    return this.#served(`tool:${name}`, context, offered.plugin, {
      begin: (options) => this.#serving.gate.call(offered.tool.name, args, options),
      result: (outcome) => resultOf(outcome, offered),
    });
  }

  async #served(
    what: string,
    context: ServerContext,
    plugin: string,
    work: { begin(options: GateCallOptions): Call; result(outcome: Outcome): JsonObject },
  ): Promise<Json> {
    const { parked } = this.#serving;
    const { calls, things, isModern } = this.#connection;
    const owner = `${things.view.profileName ?? ''}\n${this.#connection.id}\n${what}`;
    const state: unknown = context.mcpReq.requestState();
    const client = clientOf(this.#server, context);
    const refusal = typeof state === 'string' ? undefined : this.#crowded();
    if (refusal !== undefined) return work.result(refusal);
    const call =
      typeof state === 'string'
        ? this.#comeBack(state, owner)
        : this.#begin(client, context, plugin, (options) => work.begin(options));
    calls.add(call);
    const end = await call.next(roundOf(context, isModern));
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
    const { calls, things, id } = this.#connection;
    const isSession = id !== '' && calls.size >= limits.sessionCalls;
    if (!isSession && things.open.calls < limits.profileCalls) return undefined;
    const [count, whose] = isSession
      ? [limits.sessionCalls, 'this connection']
      : [limits.profileCalls, 'clients of this profile'];
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
    client: Client,
    context: ServerContext,
    plugin: string,
    begin: (options: GateCallOptions) => Call,
  ): ClientCall {
    const { clock, limits } = this.#serving;
    const trace = traceIn(context);
    const { account, things, calls } = this.#connection;
    const call = new ClientCall({
      clock,
      plugin,
      answerMs: limits.answerMs,
      unable: (question) => unable(client, question),
      begin: (asker) =>
        begin({
          caller: { kind: 'client', name: client.name },
          account,
          asker,
          ...(trace === undefined ? {} : { trace }),
          ...this.#approver(client, asker),
        }),
    });
    things.open.calls += 1;
    void call.ended.then(() => {
      things.open.calls -= 1;
      // Also where nobody came back for it.
      calls.delete(call);
    });
    return call;
  }

  /** A client without forms leaves it to whoever else can be asked. */
  #approver({ name, capabilities }: Client, asker: Asker): Pick<GateCallOptions, 'approver'> {
    if (!this.#connection.things.view.asksForApproval || !showsForms(capabilities)) return {};
    return {
      approver: approvalForm({
        clientName: name,
        limitMs: this.#serving.limits.answerMs,
        remembered: this.#connection.remembered,
        ask: (params, signal) => asker.ask({ kind: 'elicit', params }, signal),
      }),
    };
  }
}

/** As the client says it of this call, else of the request that carries it. */
function traceIn({ mcpReq, http }: ServerContext): Trace | undefined {
  const meta: unknown = mcpReq._meta;
  const ofCall = isJsonObject(meta) ? traceOf(meta['traceparent'], meta['tracestate']) : undefined;
  if (ofCall !== undefined || http?.req === undefined) return ofCall;
  const { headers } = http.req;
  return traceOf(headers.get('traceparent'), headers.get('tracestate'));
}

function roundOf({ mcpReq, http }: ServerContext, isModern: boolean): ClientRound {
  const answers: unknown = mcpReq.inputResponses;
  return {
    // The second fires when the connection that waits for the answer is gone.
    signals: [mcpReq.signal, ...(http?.req === undefined ? [] : [http.req.signal])],
    progressToken: mcpReq._meta?.progressToken,
    notify: ({ method, params }) => mcpReq.notify({ method, params: params as Record<string, unknown> }), // our own
    log: (level, data, logger) => mcpReq.log(level, data, logger),
    answers: isJsonObject(answers) ? answers : {},
    ...(isModern
      ? {}
      : {
          ask: async (method, params, signal) =>
            (await mcpReq.send({ method, params: { ...params } }, anything, {
              signal,
              timeout: LONGEST_MS,
            })) as Json, // it came as JSON
        }),
  };
}

/** Our own limits end it. Node's timers take no more. */
const LONGEST_MS = 0x7fffffff;

/** What others answer is passed on as it is. */
const anything = {
  '~standard': { version: 1, vendor: 'pluglot', validate: (value: unknown) => ({ value }) },
} as const;
