// The author's end of the planner protocol: an executor, a planner, or both, and every tool as a method under its own name.
import type { Clock } from '../../base/clock.ts';
import { defined, isJsonObject, type JsonObject } from '../../base/json.ts';
import { toError } from '../../base/error.ts';
import { DEFAULT_FRAME_LIMIT } from '../../base/units.ts';
import { sentence, shown } from '../../base/text.ts';
import type { Pipe } from '../../channel/bytes/pipe.ts';
import { RpcError, standardErrors } from '../../channel/message/rpc-error.ts';
import type { CallContext } from '../../channel/peer/call-context.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { CallInfo } from '../../definition/outcome.ts';
import type { ServedPort, TaskHost } from '../../definition/plugin-port.ts';
import { failureOf } from '../../definition/failure.ts';
import type { LogEntry } from '../../definition/tool.ts';
import type { AuthorDialect, AuthorServices, Served } from '../author-dialect.ts';
import { AuthorLife, AuthorSetup, hostPeer, notServed } from '../author-base.ts';
import { facetCollision, withFacetTools, type Facet, type Offer } from '../facet-tools.ts';
import { leftBehind } from '../talk-tool.ts';
import { toWire } from '../shape.ts';
import { INVALID_PARAMS, rpcErrorOf } from './codes.ts';
import { hostAsExecutor, toolExecutor } from './executor.ts';
import { attemptOf, RateLimit, readParams, RequestLog, StreamedAnswers } from './requests.ts';
import { resultOfTool, taskResultToWire, verdictToWire } from './results.ts';
import {
  codeRequest,
  contextUpdate,
  isReserved,
  methods,
  plan,
  planRequest,
  taskRequest,
  writeDiscovery,
  type Role,
} from './schema.ts';
import { IncomingStreams } from './streams.ts';
import { PlannerWire, refuseUnauthenticated } from './wire.ts';

export const plannerAuthor: AuthorDialect = { name: 'planner', serve };

/** The facets for which the protocol has no methods. */
const facetsAsTools: readonly Facet[] = ['extractor', 'talk'];

/** Hosts wait for 30 s by default; a little less, so that they receive the reason. */
const DEFAULT_TIMEOUT_MS = 29_000;

function serve(pipe: Pipe, backend: ServedPort, services: AuthorServices): Served {
  const collision = facetCollision(backend, facetsAsTools);
  if (collision !== undefined) return notServed(collision, backend, services);
  const settings = authorSettings(services.config);
  const log = (entry: LogEntry) => services.print(logLine(entry));
  const report = (reason: string, got: unknown) =>
    log({
      level: 'warn',
      message: `Unexpected message from the host: ${sentence(reason)}`,
      data: { got: shown(got) },
    });
  const wire = new PlannerWire({ receiveLimit: DEFAULT_FRAME_LIMIT, secret: settings.secret, report });
  const peer = hostPeer(pipe, wire, services, {
    onTrouble: (trouble) => {
      if (trouble.kind === 'thrown') log({ level: 'error', message: toError(trouble.error).message });
    },
  });
  refuseUnauthenticated(peer);
  const { clock, debug = false } = services;
  new AuthorMethods(peer, backend, {
    settings,
    clock,
    debug,
    log,
    host: hostAsExecutor(peer, new IncomingStreams(peer, report)),
    enableGzip: () => (wire.sendsGzip = true),
  }).handleAll();
  const life = new AuthorLife(peer, backend);
  return { log, over: life.over, close: () => void life.close() };
}

interface AuthorOptions {
  readonly settings: AuthorSettings;
  readonly clock: Clock;
  readonly debug: boolean;
  readonly log: (entry: LogEntry) => void;
  /** Executes the tasks of a planner. */
  readonly host: TaskHost;
  /** Called when the host says that it takes compressed messages. */
  readonly enableGzip: () => void;
}

type Method = (params: unknown, context: CallContext) => Promise<JsonObject>;

class AuthorMethods {
  readonly #peer: Peer;
  readonly #backend: ServedPort;
  readonly #options: AuthorOptions;
  readonly #offer: Offer;
  readonly #answers: StreamedAnswers;
  readonly #requestLog: RequestLog;
  readonly #rateLimit: RateLimit | undefined;
  readonly #setup: AuthorSetup;

  constructor(peer: Peer, backend: ServedPort, options: AuthorOptions) {
    const { settings, clock, debug, log } = options;
    this.#peer = peer;
    this.#backend = backend;
    this.#options = options;
    this.#offer = withFacetTools(backend, facetsAsTools);
    this.#setup = new AuthorSetup(backend, settings.forPlugin);
    this.#requestLog = new RequestLog(clock, debug ? log : () => {});
    this.#rateLimit =
      settings.requestsPerMinute === undefined ? undefined : new RateLimit(settings.requestsPerMinute, clock);
    this.#answers = new StreamedAnswers(peer, debug, (event) => {
      if (event.kind === 'log') log(event);
    });
  }

  handleAll(): void {
    this.#peer.handle(
      methods.discover,
      this.#admitted((params) => this.#discover(params)),
    );
    for (const [method, run] of [
      [methods.executeTask, this.#executeTask],
      [methods.validateCode, this.#validateCode],
      [methods.updateContext, this.#updateContext],
      [methods.createPlan, this.#createPlan],
    ] as const)
      this.#peer.handle(method, this.#ready(run));
    const callTool = this.#ready(this.#callTool);
    this.#peer.handleOthers((params, context) => {
      const { method } = context;
      if (isReserved(method) || !this.#offer.has(method)) throw methodNotFound(context);
      return callTool(params, context);
    });
  }

  /** Runs the method once the plugin is set up. */
  #ready(run: Method): Method {
    return this.#admitted(async (params, context) => {
      await this.#setup.ready().catch(this.#fail);
      return run(params, context);
    });
  }

  /** Limits the rate of requests, and logs each. */
  #admitted(run: Method): Method {
    const limited: Method = async (params, context) => {
      this.#rateLimit?.admit();
      return run(params, context);
    };
    return (params, context) => this.#requestLog.watch(params, context, limited(params, context));
  }

  async #discover(params: unknown): Promise<JsonObject> {
    const { gzip, config } = isJsonObject(params) ? params : {};
    if (gzip === true) this.#options.enableGzip();
    const { forPlugin, secret } = this.#options.settings;
    await this.#setup
      .handshake(isJsonObject(config) ? { ...forPlugin, ...config } : forPlugin)
      .catch(this.#fail);
    return ownDiscovery(this.#backend, this.#offer, secret !== undefined);
  }

  readonly #executeTask: Method = async (params, context) => {
    const { executor: own } = this.#backend;
    const executor = own ?? toolExecutor(this.#offer);
    if (executor === undefined) throw methodNotFound(context);
    const asked = readParams(taskRequest, params);
    const { task, number } = attemptOf(context.id);
    // An executor can recognise a retry even of a host that sends no idempotency keys.
    const isKeyed = number === 1 || asked.context?.idempotencyKey !== undefined;
    const request = isKeyed ? asked : { ...asked, context: { ...asked.context, idempotencyKey: task } };
    const info = infoOf(request.options?.more?.['timeout_ms']);
    if (own !== undefined) this.#offer.leave();
    return this.#timed(
      context,
      (sink) => executor.executeTask(request, sink, info),
      // Only tools keep sessions.
      (answer) => (own === undefined ? answer : leftBehind(answer)),
    );
  };

  readonly #callTool: Method = async (params, context) => {
    const tool = context.method;
    const args = params ?? {};
    if (!isJsonObject(args))
      throw new RpcError(INVALID_PARAMS, 'Invalid params: the arguments of a tool are an object.');
    return this.#timed(
      context,
      (sink) => this.#offer.call({ tool, args, ...infoOf() }, sink),
      (answer) => ({ ...answer, data: resultOfTool(tool, answer, this.#offer.say) as JsonObject }), // it is JSON
    );
  };

  readonly #createPlan: Method = async (params, context) => {
    const { planner } = this.#backend;
    if (planner === undefined) throw methodNotFound(context);
    const request = readParams(planRequest, params);
    const info = { ...infoOf(), host: this.#options.host };
    this.#offer.leave();
    const { data } = await this.#answers.answer(context, (sink) => planner.createPlan(request, sink, info));
    return { plan: isJsonObject(data) ? toWire(plan, data) : { tasks: [] } };
  };

  readonly #validateCode: Method = async (params, context) => {
    const { executor } = this.#backend;
    const validate = executor?.validateCode?.bind(executor);
    if (validate === undefined) throw methodNotFound(context);
    const request = readParams(codeRequest, params);
    this.#offer.leave();
    return verdictToWire(await this.#answers.answer(context, (sink) => validate(request, sink, infoOf())));
  };

  /** A plugin that keeps no context answers as well: the host cannot know. */
  readonly #updateContext: Method = async (params, context) => {
    const update = readParams(contextUpdate, params);
    const send = this.#backend.updateContext?.bind(this.#backend);
    if (send !== undefined) await this.#answers.answer(context, (sink) => send(update, sink, infoOf()));
    return { status: 'ok' };
  };

  async #timed(
    context: CallContext,
    start: Parameters<StreamedAnswers['answer']>[1],
    read: (answer: Awaited<ReturnType<StreamedAnswers['answer']>>) => Parameters<typeof taskResultToWire>[0],
  ): Promise<JsonObject> {
    const { clock } = this.#options;
    const startedAt = clock.now();
    const answer = await this.#answers.answer(context, start);
    return taskResultToWire(read(answer), Math.round(clock.now() - startedAt));
  }

  readonly #fail = (thrown: unknown): never => {
    const { debug } = this.#options;
    throw rpcErrorOf({ ok: false, error: failureOf(thrown, { debug }) }, debug);
  };
}

function infoOf(timeoutMs?: unknown): CallInfo {
  const own = typeof timeoutMs === 'number' && timeoutMs > 0 ? timeoutMs : DEFAULT_TIMEOUT_MS;
  return { dialect: 'planner', timeoutMs: own };
}

function methodNotFound({ method }: CallContext): RpcError {
  const { code, message } = standardErrors.methodNotFound;
  return new RpcError(code, message, { details: `There is no method "${method}" here.` });
}

function ownDiscovery({ planner, executor }: ServedPort, offer: Offer, auth: boolean): JsonObject {
  const { name, version, description, instructions, tools } = offer.manifest;
  const plans = planner !== undefined;
  const executes = executor !== undefined || tools.length > 0;
  const roles: Role[] = [];
  if (plans) roles.push('planner');
  if (executes) roles.push('executor');
  const own = tools.map((tool) => tool.name).filter((tool) => !isReserved(tool));
  return writeDiscovery({
    ...defined({ name, version, description, instructions }),
    roles,
    methods: [
      ...(executes ? [methods.executeTask] : []),
      ...(plans ? [methods.createPlan] : []),
      ...(executor?.validateCode === undefined ? [] : [methods.validateCode]),
      methods.updateContext,
      ...own,
    ],
    tools,
    gzip: true,
    batch: true,
    auth,
  });
}

/** The configuration on the command line: for this end, and for the plugin. */
interface AuthorSettings {
  /** Known to both ends: every message is signed with it. */
  readonly secret?: string;
  /** @default no limit */
  readonly requestsPerMinute?: number;
  readonly forPlugin: JsonObject;
}

const MOST_PER_MINUTE = 1_000_000;

function authorSettings(config: JsonObject = {}): AuthorSettings {
  const { secret, requests_per_minute: perMinute, ...forPlugin } = config;
  return defined({
    secret: typeof secret === 'string' && secret !== '' ? secret : undefined,
    requestsPerMinute:
      typeof perMinute === 'number' && perMinute >= 1
        ? Math.min(Math.floor(perMinute), MOST_PER_MINUTE)
        : undefined,
    forPlugin,
  });
}

/** In the form of the specification: one JSON object a line, on stderr, since the wire has no message for logs. */
function logLine({ level, message, data }: LogEntry): string {
  const timestamp = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  return JSON.stringify({ timestamp, level: level.toUpperCase(), message, data });
}
