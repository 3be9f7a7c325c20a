// What a host can ask an author end: the methods of the protocol, and every tool under its own name.
import type { Clock } from '../../base/clock.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { RpcError, standardErrors } from '../../channel/message/rpc-error.ts';
import type { CallContext } from '../../channel/peer/call-context.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { Backend, TaskHost } from '../../definition/backend.ts';
import { failureOf } from '../../definition/failure.ts';
import type { LogEntry } from '../../definition/tool.ts';
import { AuthorSetup } from '../author-setup.ts';
import { withFacetTools, type Facet, type Offer } from '../facet-tools.ts';
import { leftBehind } from '../kept-session.ts';
import { AskedWork, paramsOf, verdictToWire } from './asked-work.ts';
import { withIdempotencyKey } from './attempts.ts';
import type { AuthorSettings } from './author-settings.ts';
import { defaultExecutor } from './default-executor.ts';
import { errorOf } from './failures.ts';
import { ownDiscovery } from './own-discovery.ts';
import { RateLimit } from './rate-limit.ts';
import type { RequestLog } from './request-log.ts';
import { codeRequest, contextUpdate, methods, plan, planRequest, taskRequest } from './schema.ts';
import { toWire } from './shape.ts';
import { resultOfTool, taskResultToWire } from './task-result.ts';
import { isReserved } from './tools.ts';

/** What the protocol has no methods for. */
export const wordlessFacets: readonly Facet[] = ['extractor', 'talk'];

/** Hosts wait for 30 s unless they say otherwise. */
const DEFAULT_TIMEOUT_MS = 29_000;

export interface ServedOptions {
  readonly peer: Peer;
  readonly backend: Backend;
  readonly settings: AuthorSettings;
  readonly clock: Clock;
  readonly debug: boolean;
  log(entry: LogEntry): void;
  /** Whom a planner asks for work. */
  readonly host: TaskHost;
  /** The host said that it unpacks what is packed. */
  takeGzip(): void;
  readonly requests: RequestLog;
}

type Answer = (params: unknown, context: CallContext) => Promise<JsonObject>;

export class ServedMethods {
  readonly #options: ServedOptions;
  readonly #backend: Backend;
  readonly #offer: Offer;
  readonly #work: AskedWork;
  readonly #rateLimit: RateLimit | undefined;
  readonly #setup: AuthorSetup;

  constructor(options: ServedOptions) {
    this.#options = options;
    this.#backend = options.backend;
    this.#offer = withFacetTools(options.backend, wordlessFacets);
    const { forPlugin, requestsPerMinute } = options.settings;
    this.#setup = new AuthorSetup(options.backend, forPlugin);
    this.#rateLimit =
      requestsPerMinute === undefined ? undefined : new RateLimit(requestsPerMinute, options.clock);
    this.#work = new AskedWork(options.peer, {
      debug: options.debug,
      event: (event) => {
        if (event.kind === 'log') options.log(event);
      },
    });
  }

  begin(): void {
    this.#handle(methods.discover, (params) => this.#discover(params));
    this.#handleReady(methods.executeTask, (params, context) => this.#executeTask(params, context));
    this.#handleReady(methods.validateCode, (params, context) => this.#validateCode(params, context));
    this.#handleReady(methods.updateContext, (params) => this.#updateContext(params));
    this.#handleReady(methods.createPlan, (params, context) => this.#createPlan(params, context));
    const callTool = this.#answering(async (params, context) => {
      await this.#setup.ready().catch(this.#fail);
      return this.#callTool(params, context);
    });
    this.#options.peer.handleOthers((params, context) => {
      if (!this.#isTool(context.method)) throw methodNotFound(context);
      return callTool(params, context);
    });
  }

  #handleReady(method: string, answer: Answer): void {
    this.#handle(method, async (params, context) => {
      await this.#setup.ready().catch(this.#fail);
      return answer(params, context);
    });
  }

  #handle(method: string, answer: Answer): void {
    this.#options.peer.handle(method, this.#answering(answer));
  }

  #answering(answer: Answer): Answer {
    const { requests } = this.#options;
    const admitted: Answer = async (params, context) => {
      this.#rateLimit?.admit();
      return answer(params, context);
    };
    return (params, context) => requests.watch(params, context, admitted(params, context));
  }

  async #discover(params: unknown): Promise<JsonObject> {
    const { gzip, config } = isJsonObject(params) ? params : {};
    if (gzip === true) this.#options.takeGzip();
    const { forPlugin, secret } = this.#options.settings;
    const wanted = isJsonObject(config) ? { ...forPlugin, ...config } : forPlugin;
    await this.#setup.hello(wanted).catch(this.#fail);
    return ownDiscovery(this.#backend, this.#offer, secret !== undefined);
  }

  async #executeTask(params: unknown, context: CallContext): Promise<JsonObject> {
    const { executor: own } = this.#backend;
    const executor = own ?? defaultExecutor(this.#offer);
    if (executor === undefined) throw methodNotFound(context);
    const request = withIdempotencyKey(paramsOf(taskRequest, params), context.id);
    const around = this.#around(request.options?.more?.['timeout_ms']);
    if (own !== undefined) this.#offer.leave();
    return this.#timed(
      context,
      (sink) => executor.executeTask(request, around, sink),
      // Tools keep sessions, and nobody else.
      (answer) => (own === undefined ? answer : leftBehind(answer)),
    );
  }

  async #callTool(params: unknown, context: CallContext): Promise<JsonObject> {
    const tool = context.method;
    const args = params ?? {};
    if (!isJsonObject(args))
      throw new RpcError(-32602, 'Invalid params: the arguments of a tool are an object.');
    const around = this.#around(undefined);
    return this.#timed(
      context,
      (sink) => this.#offer.call({ tool, args, ...around }, sink),
      (answer) => ({ ...answer, data: resultOfTool(tool, answer, this.#offer.say) as JsonObject }), // it is JSON
    );
  }

  async #createPlan(params: unknown, context: CallContext): Promise<JsonObject> {
    const { planner } = this.#backend;
    if (planner === undefined) throw methodNotFound(context);
    const request = paramsOf(planRequest, params);
    const around = { ...this.#around(undefined), host: this.#options.host };
    this.#offer.leave();
    const { data } = await this.#work.answer(context, (sink) => planner.createPlan(request, around, sink));
    return { plan: isJsonObject(data) ? toWire(plan, data) : { tasks: [] } };
  }

  async #validateCode(params: unknown, context: CallContext): Promise<JsonObject> {
    const { executor } = this.#backend;
    const validate = executor?.validateCode?.bind(executor);
    if (validate === undefined) throw methodNotFound(context);
    const request = paramsOf(codeRequest, params);
    this.#offer.leave();
    return verdictToWire(
      await this.#work.answer(context, (sink) => validate(request, this.#around(undefined), sink)),
    );
  }

  /** A plugin that keeps no context has nothing to change. */
  async #updateContext(params: unknown): Promise<JsonObject> {
    const update = paramsOf(contextUpdate, params);
    await this.#backend.updateContext?.(update).catch(this.#fail);
    return { status: 'ok' };
  }

  async #timed(
    context: CallContext,
    start: Parameters<AskedWork['answer']>[1],
    read: (answer: Awaited<ReturnType<AskedWork['answer']>>) => Parameters<typeof taskResultToWire>[0],
  ): Promise<JsonObject> {
    const startedAt = this.#options.clock.now();
    const answer = await this.#work.answer(context, start);
    return taskResultToWire(read(answer), Math.round(this.#options.clock.now() - startedAt));
  }

  #around(timeoutMs: unknown): { readonly dialect: 'planner'; readonly timeoutMs: number } {
    const own = typeof timeoutMs === 'number' && timeoutMs > 0 ? timeoutMs : DEFAULT_TIMEOUT_MS;
    return { dialect: 'planner', timeoutMs: own };
  }

  readonly #fail = (thrown: unknown): never => {
    const { debug } = this.#options;
    throw errorOf({ ok: false, error: failureOf(thrown, { debug }) }, debug);
  };

  #isTool(method: string): boolean {
    return !isReserved(method) && this.#offer.profile.tools.some(({ name }) => name === method);
  }
}

function methodNotFound({ method }: CallContext): RpcError {
  const { code, message } = standardErrors.methodNotFound;
  return new RpcError(code, message, { details: `There is no method "${method}" here.` });
}
