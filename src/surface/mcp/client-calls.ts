// Calls of one connection: through the gate, and back in as many answers as they take.
import { PluglotError, toError } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { printableLine, revealed } from '../../base/printable.ts';
import { RpcError, standardErrors } from '../../channel/message/rpc-error.ts';
import type { Call } from '../../definition/call.ts';
import type { PluginQuestion } from '../../definition/caller.ts';
import type { Outcome } from '../../definition/outcome.ts';
import { promptArguments, promptResult } from '../../dialect/mcp/server-prompts.ts';
import type { McpClientInfo, McpRequest } from '../../dialect/mcp/server-request.ts';
import type { Approval, Approver, Question } from '../../gate/approval/approver.ts';
import { framed } from '../../gate/approval/framed.ts';
import { descriptionTitles } from '../../gate/approval/shown-question.ts';
import type { GateCallOptions } from '../../gate/gate.ts';
import type { PluginContent } from '../../gate/plugin-content.ts';
import { ClientCall, resultOf } from './client-call.ts';
import { accessKey, type Connection, type SharedServing } from './connection.ts';
import { textOf } from './params.ts';
import { CALL, SEARCH, searchResult } from './search.ts';
import type { OfferedCommand } from './view.ts';

export class ClientCalls {
  readonly #serving: SharedServing;
  readonly #connection: Connection;

  constructor(serving: SharedServing, connection: Connection) {
    this.#serving = serving;
    this.#connection = connection;
  }

  callTool(params: JsonObject, request: McpRequest): Promise<Json> | Json {
    const { view } = this.#connection.content;
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
    request: McpRequest,
  ): Promise<Json> {
    const args = promptArguments(params);
    const { gate } = this.#serving;
    return this.#served(`prompt:${command.name}`, request, plugin, {
      begin: (options) => gate.run(command.name, args, options),
      result: (outcome) => promptResult(outcome, command),
    });
  }

  /** One that this client does not have. @throws RpcError with why */
  refusePrompt(name: string, params: JsonObject, request: McpRequest): Promise<never> {
    const { arguments: args } = params;
    return this.#refused('prompt', name, isJsonObject(args) ? args : {}, request);
  }

  /** @throws what the plugin throws, or PluglotError with why the gate does not let it */
  async getContent(content: PluginContent, args: JsonObject, request: McpRequest): Promise<Json> {
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

  #call(name: string, args: JsonObject, request: McpRequest): Promise<Json> {
    const offered = this.#connection.content.view.find(name);
    if (offered === undefined) return this.#refused('tool', name, args, request);
    return this.#served(`tool:${offered.name}`, request, offered.plugin, {
      begin: (options) => this.#serving.gate.call(offered.tool.name, args, options),
      result: (outcome) => resultOf(outcome, offered),
    });
  }

  /** The gate says why, and records it. */
  async #refused(
    kind: 'tool' | 'prompt',
    name: string,
    args: JsonObject,
    { client, trace }: McpRequest,
  ): Promise<never> {
    const { gate } = this.#serving;
    const { access } = this.#connection;
    const whose = access.profile === undefined ? 'this client' : `the profile "${access.profile}"`;
    const notShown = `${whose} does not have the ${kind} "${name.slice(0, 100)}"`;
    const caller = this.#connection.caller(client.name);
    const options = { caller, notShown, ...(trace === undefined ? {} : { trace }) };
    const outcome = await (kind === 'tool' ? gate.call(name, args, options) : gate.run(name, args, options));
    const { code, message } = outcome.ok ? { code: undefined, message: notShown } : outcome.error;
    throw new RpcError(
      standardErrors.invalidParams.code,
      // To a client a command is a prompt.
      kind === 'prompt' && code === 'UNKNOWN_TOOL' ? `There is no prompt ${JSON.stringify(name)}.` : message,
    );
  }

  async #served(
    what: string,
    request: McpRequest,
    plugin: string,
    work: { begin(options: GateCallOptions): Call; result(outcome: Outcome): JsonObject },
  ): Promise<Json> {
    const { parked } = this.#serving;
    const { calls } = this.#connection;
    const { state } = request;
    const owner = `${accessKey(this.#connection.access)}\n${this.#connection.id}\n${what}`;
    const refusal = state === undefined ? this.#overCapacity() : undefined;
    if (refusal !== undefined) return work.result(refusal);
    const call =
      state === undefined
        ? this.#begin(request, plugin, (options) => work.begin(options))
        : this.#resume(state, owner);
    calls.add(call);
    const end = await call.next(request);
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

  /** A client with too many calls would take connections and memory from the others. */
  #overCapacity(): Outcome | undefined {
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

  #resume(state: string, owner: string): ClientCall {
    const call = this.#serving.parked.take(state, owner);
    if (call !== undefined) return call;
    throw new RpcError(
      standardErrors.invalidParams.code,
      'The call that this answer is for is over, or was not made here. Make it again.',
    );
  }

  #begin(
    { client, trace }: McpRequest,
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
      // Also where the client did not come back for it.
      calls.delete(call);
    });
    return call;
  }

  /** Where a client shows no forms, the other approvers are asked. */
  #approver(
    { name, capabilities }: McpClientInfo,
    asker: Pick<ClientCall, 'askUser'>,
  ): Pick<GateCallOptions, 'approver'> {
    if (!this.#connection.content.view.asksForApproval || !showsForms(capabilities)) return {};
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

/** Why it cannot be asked that; undefined: it can. */
function unable({ name, capabilities }: McpClientInfo, { kind, params }: PluginQuestion): string | undefined {
  switch (kind) {
    case 'sample':
      return capabilities['sampling'] === undefined
        ? `The client "${name}" does not offer its model.`
        : undefined;
    case 'roots':
      return capabilities['roots'] === undefined
        ? `The client "${name}" does not offer its folders.`
        : undefined;
    case 'elicit':
      return showsForms(capabilities, params['mode'] === 'url' ? 'url' : 'form')
        ? undefined
        : `The client "${name}" does not show its user questions of this kind.`;
  }
}

/** One that names no kind of question shows forms: there were no others. */
function showsForms({ elicitation }: JsonObject, mode: 'form' | 'url' = 'form'): boolean {
  if (!isJsonObject(elicitation)) return false;
  if (elicitation[mode] !== undefined) return true;
  return mode === 'form' && elicitation['url'] === undefined;
}

interface ApprovalFormParts {
  readonly clientName: string;
  readonly limitMs: number;
  /** The connection lasts, so that an answer can hold for as long as it does. */
  readonly isLasting: boolean;
  readonly ask: (params: JsonObject, signal: AbortSignal) => Promise<Json>;
}

const ONCE = 'allow';
const HERE = 'allow for this connection';
const DENY = 'deny';

function approvalForm({ clientName, limitMs, isLasting, ask }: ApprovalFormParts): Approver {
  const by = `client:${printableLine(clientName, 100)}`;
  return {
    limitMs,
    async ask(question, signal) {
      const decisions = isLasting ? [ONCE, HERE, DENY] : [ONCE, DENY];
      const answer = await ask(formOf(question, decisions), signal);
      const { decision, comment } = contentOf(answer);
      if (!decisions.includes(decision) || decision === DENY) return denied(by, comment);
      // It is bound to this connection by the caller of the call.
      return { kind: 'allow', scope: decision === HERE ? 'session' : 'once', by };
    },
  };
}

function denied(by: string, comment: string): Approval {
  return { kind: 'deny', scope: 'once', by, ...(comment === '' ? {} : { comment }) };
}

function formOf(question: Question, decisions: readonly string[]): JsonObject {
  return {
    mode: 'form',
    message: messageOf(question),
    requestedSchema: {
      type: 'object',
      properties: {
        decision: {
          type: 'string',
          title: 'Decision',
          description: decisions.includes(HERE)
            ? `"${HERE}" is about: ${revealed(question.remembers)}`
            : 'May it happen?',
          enum: decisions,
        },
        comment: { type: 'string', title: 'Comment', description: 'For the model to read, if you deny it.' },
      },
      required: ['decision'],
    },
  };
}

/** Words of others stand in lines of their own, each marked. */
function messageOf(question: Question): string {
  const { kind, tool, plugin, signature, args, reason } = question;
  const titles = descriptionTitles(question);
  const part = (title: string, text: string | undefined, maxLines: number) =>
    text === undefined ? [] : [title, ...framed(text, { mark: '  > ', columns: 120, maxLines })];
  return [
    `May the ${kind} "${revealed(tool)}" of plugin "${revealed(plugin)}" be called?`,
    ...framed(signature, { mark: '  ', columns: 120, maxLines: 30 }),
    ...part('With these arguments:', signature.startsWith(`${tool}(`) ? undefined : JSON.stringify(args), 10),
    `Why you are asked: ${revealed(reason)}`,
    ...part(titles.summary, question.summary, 5),
    ...part(titles.details, question.details, 20),
    ...part(titles.diff, question.diff, 60),
    ...part(
      'It is not what was approved before. How its definition differs:',
      question.changedDefinition,
      60,
    ),
  ].join('\n');
}

/** Nothing clear is a no. */
function contentOf(answer: Json): { readonly decision: string; readonly comment: string } {
  const { action, content } = isJsonObject(answer) ? answer : {};
  const { decision, comment } = isJsonObject(content) ? content : {};
  return {
    decision: action === 'accept' && typeof decision === 'string' ? decision : DENY,
    comment: typeof comment === 'string' ? comment : '',
  };
}
