// A call of a tool of an MCP server, from its request to its end, and what the server asks meanwhile, which goes to the caller. A server of
// 2026-07-28 answers with its questions: then the call is made again with what was asked for.
import { PluglotError, toError } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { shown } from '../../base/text.ts';
import type { Response } from '../../channel/message/message.ts';
import { RpcError, standardErrors } from '../../channel/message/rpc-error.ts';
import type { Exchange } from '../../channel/peer/exchange.ts';
import type { Asker, PluginQuestion } from '../../definition/caller.ts';
import type { Answer, CallEvent, CallSink } from '../../definition/outcome.ts';
import type { RunningCall } from '../../definition/plugin-port.ts';
import { failureOf, rpcFailure } from './errors.ts';
import { methods } from './schema.ts';

/** A server that asks more often in one call does not come to an end. */
const ROUNDS_MAX = 16;

export interface McpCallParts {
  readonly pluginName: string;
  readonly params: JsonObject & { readonly name: string };
  readonly sink: CallSink;
  /** For what the server asks before it answers. */
  readonly asker: Asker | undefined;
  open(method: string, params: JsonObject): Exchange;
  /** The answer in the result of the tool. */
  read(result: unknown): Answer;
  /** What is asked in place of a result; undefined: nothing, or questions cannot be passed on. */
  questionsIn(result: unknown): InputRequired | undefined;
  over(): void;
  threw(where: string, error: Error): void;
}

export interface InputRequired {
  readonly requests: JsonObject;
  /** To be sent back as it came. */
  readonly state: { readonly requestState?: string };
}

export class McpCall implements RunningCall {
  readonly #parts: McpCallParts;
  #exchange: Exchange | undefined;
  #asking: AbortController | undefined;
  #rounds = 0;
  #isOver = false;

  constructor(parts: McpCallParts) {
    this.#parts = parts;
  }

  get asker(): Asker | undefined {
    return this.#parts.asker;
  }

  /** Never throws: a request that cannot be sent ends the call. */
  send(answers: JsonObject = {}): void {
    try {
      const params = { ...this.#parts.params, ...answers };
      const exchange = (this.#exchange = this.#parts.open(methods.callTool, params));
      exchange.onResponse((response) => this.#answered(response));
      exchange.onFailure((error) => this.#failed(error));
    } catch (thrown) {
      this.#failed(thrown);
    }
  }

  event(event: CallEvent): void {
    if (!this.#isOver) this.#parts.sink.event(event);
  }

  cancel(reason: string): 'free' {
    if (this.#isOver) return 'free';
    const error = new PluglotError('CALL_CANCELLED', reason);
    this.#end({ ok: false, error: { code: error.code, message: reason } });
    this.#asking?.abort(reason);
    this.#exchange?.abandon(error);
    return 'free';
  }

  #answered(response: Response): void {
    if (response.kind === 'failure')
      return this.#end({ ok: false, error: rpcFailure(response.error, this.#parts.pluginName) });
    const asked = this.#parts.questionsIn(response.result);
    if (asked === undefined) this.#end(this.#parts.read(response.result));
    else void this.#answer(asked);
  }

  async #answer({ requests, state }: InputRequired): Promise<void> {
    this.#rounds += 1;
    this.#asking = new AbortController();
    try {
      if (this.#rounds > ROUNDS_MAX)
        throw new PluglotError('TOOL_FAILED', `"${this.#parts.params.name}" does not stop asking.`);
      const inputResponses = await answersTo(requests, this.asker, this.#asking.signal);
      if (!this.#isOver) this.send({ inputResponses, ...state });
    } catch (thrown) {
      this.#failed(thrown);
    }
  }

  #failed(thrown: unknown): void {
    this.#end({ ok: false, error: failureOf(thrown, this.#parts.pluginName) });
  }

  #end(answer: Answer): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#parts.over();
    try {
      this.#parts.sink.end(answer);
    } catch (thrown) {
      this.#parts.threw(`the listener of a call of "${this.#parts.params.name}"`, toError(thrown));
    }
  }
}

/** Undefined when it is a result. */
export function readInputRequired(result: unknown): InputRequired | undefined {
  if (!isJsonObject(result) || result['resultType'] !== 'input_required') return undefined;
  const { inputRequests, requestState } = result;
  return {
    requests: isJsonObject(inputRequests) ? inputRequests : {},
    state: typeof requestState === 'string' ? { requestState } : {},
  };
}

/** Declared to servers before there is a caller; one that cannot do some of it refuses when it is asked. */
export const relayedCapabilities: JsonObject = {
  sampling: {},
  elicitation: { form: {}, url: {} },
  roots: {},
};

const kinds = new Map<string, PluginQuestion['kind']>([
  [methods.sample, 'sample'],
  [methods.elicit, 'elicit'],
  [methods.listRoots, 'roots'],
]);

/**
 * Answers a request of a server. A request does not say to which call it belongs, so that call has to be the only one.
 * @throws RpcError to be answered with
 */
export async function relay(
  pluginName: string,
  calls: readonly { readonly asker: Asker | undefined }[],
  method: string,
  params: unknown,
  signal: AbortSignal,
): Promise<Json> {
  const kind = kinds.get(method);
  if (kind === undefined)
    throw new RpcError(standardErrors.methodNotFound.code, `Method not found: ${method}`);
  const [call] = calls;
  // Servers ask for the folders as soon as they are connected, when there is no caller yet.
  if (call === undefined && kind === 'roots') return { roots: [] };
  if (call === undefined)
    throw refused(`${method} belongs to no call: there is no caller who could answer "${pluginName}".`);
  if (calls.length > 1)
    throw refused(
      `${method} could belong to any of ${calls.length} calls of "${pluginName}" that are under way. Ask while one call is under way ("concurrency": 1).`,
    );
  return answerOf(call.asker, { kind, params: isJsonObject(params) ? params : {} }, signal);
}

/**
 * What servers of 2026-07-28 ask in place of a result: the answers, by the names of the questions.
 * @throws PluglotError or RpcError when one cannot be answered
 */
export async function answersTo(
  requests: JsonObject,
  asker: Asker | undefined,
  signal: AbortSignal,
): Promise<JsonObject> {
  const entries = Object.entries(requests).map(async ([name, request]) => {
    const { method, params } = isJsonObject(request) ? request : {};
    const kind = typeof method === 'string' ? kinds.get(method) : undefined;
    if (kind === undefined)
      throw new PluglotError(
        'UNSUPPORTED',
        `The plugin asks for ${shown(method)}, which this host does not know.`,
      );
    const question = { kind, params: isJsonObject(params) ? params : {} };
    return [name, await answerOf(asker, question, signal)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

async function answerOf(
  asker: Asker | undefined,
  question: PluginQuestion,
  signal: AbortSignal,
): Promise<Json> {
  if (asker === undefined) throw refused('The caller cannot be asked anything.');
  try {
    return await asker.ask(question, signal);
  } catch (thrown) {
    const { message } = toError(thrown);
    const isUnable = thrown instanceof PluglotError && thrown.code === 'UNSUPPORTED';
    throw isUnable ? new RpcError(standardErrors.methodNotFound.code, message) : refused(message);
  }
}

function refused(message: string): RpcError {
  return new RpcError(standardErrors.invalidRequest.code, message);
}
