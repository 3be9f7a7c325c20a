// The author's end of YAMS external plugins. Every method that is not YAMS's own is a tool.
import { defined, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { toError } from '../../base/error.ts';
import { MiB } from '../../base/units.ts';
import { jsonText } from '../../base/text.ts';
import { within } from '../../base/async.ts';
import type { Pipe } from '../../channel/bytes/pipe.ts';
import { lines } from '../../channel/frame/lines.ts';
import { RpcError } from '../../channel/message/rpc-error.ts';
import type { CallContext } from '../../channel/peer/call-context.ts';
import type { RunningCall, ServedPort } from '../../definition/plugin-port.ts';
import { failureOf } from '../../definition/failure.ts';
import type { AnswerContent, CallEvent, CallInfo, CallSink } from '../../definition/outcome.ts';
import type { LogEntry } from '../../definition/tool.ts';
import { AuthorLife, backendAnswer, hostPeer, notServed } from '../author-base.ts';
import type { AuthorDialect, AuthorServices, Served } from '../author-dialect.ts';
import { facetCollision, withFacetTools, type Offer } from '../facet-tools.ts';
import { NOT_INITIALIZED, rpcErrorOf, type FailedRequest } from './codes.ts';
import { facetsAsTools, writeManifest } from './manifest.ts';
import { writeExtraction, writeToolResult } from './results.ts';
import { methods, readArguments, readExtractParams, readInitParams, readSupportsParams } from './schema.ts';

/** The real host sends whole files as base64, however large they are. */
const MESSAGE_LIMIT = 256 * MiB;

/** The real host waits 3 s for the answer to plugin.shutdown; calls may go on for a part of it. */
const SHUTDOWN_MS = 2500;
const LAST_CALLS_MS = 2000;

/** The specification gives an answer 30 s; a little less, so that the host receives the reason. */
const CALL_MS = 29_000;
/** The real host gives an extraction 300 s. */
const EXTRACT_MAX_MS = 299_000;

/** Notifications under way: they have no answer that would slow their sender down, so more are dropped. */
const NOTIFICATIONS_MAX = 1000;

export const yamsAuthor: AuthorDialect = { name: 'yams', serve };

function serve(pipe: Pipe, backend: ServedPort, services: AuthorServices): Served {
  const collision = facetCollision(backend, facetsAsTools);
  if (collision !== undefined) return notServed(collision, backend, services);
  const framing = lines({ receiveLimit: MESSAGE_LIMIT, sendLimit: MESSAGE_LIMIT });
  const peer = hostPeer(pipe, framing, services, { tolerances: { nullParams: true } });
  const author = new YamsAuthor(backend, services, {
    takeDown: () => life.takeDown(),
    closeAfterAnswers: () => void peer.close(),
  });
  const life = new AuthorLife(peer, { teardown: () => author.teardown() });
  peer.handleOthers((params, context) => author.answer(params, context));
  peer.onOtherNotifications((method, params) => author.takeNotification(method, params));
  return {
    log: (entry) => services.print(logLine(entry)),
    over: life.over,
    close() {
      author.giveUp();
      void life.close();
    },
  };
}

interface Lifetime {
  /** Calls `teardown` of the author end, once. */
  takeDown(): Promise<void>;
  /** Takes no more requests, and closes the pipe when those under way are answered. */
  closeAfterAnswers(): void;
}

type Extractor = NonNullable<ServedPort['extractor']>;
type Context = Pick<CallContext, 'method' | 'signal'>;

class YamsAuthor {
  readonly #backend: ServedPort;
  readonly #offer: Offer;
  readonly #services: AuthorServices;
  readonly #lifetime: Lifetime;
  readonly #initialization: Initialization;
  readonly #startedAt: number;
  readonly #underWay = new Set<Promise<unknown>>();
  #notifications = 0;
  #isGivenUp = false;

  constructor(backend: ServedPort, services: AuthorServices, lifetime: Lifetime) {
    this.#backend = backend;
    this.#services = services;
    this.#lifetime = lifetime;
    this.#initialization = new Initialization(backend, services.config);
    this.#offer = withFacetTools(backend, facetsAsTools);
    this.#startedAt = services.clock.now();
  }

  /** @throws RpcError, now or later */
  answer(params: unknown, context: Context): unknown {
    if (context.method === methods.shutdown) return this.#shutdown();
    const answer = this.#run(params, context);
    if (answer instanceof Promise) {
      this.#underWay.add(answer);
      const over = () => this.#underWay.delete(answer);
      answer.then(over, over);
    }
    return answer;
  }

  /** Runs the method; the result is dropped, and an error is logged. */
  async takeNotification(method: string, params: unknown): Promise<void> {
    if (this.#notifications >= NOTIFICATIONS_MAX && method !== methods.shutdown) return;
    this.#notifications += 1;
    try {
      await this.answer(params, { method, signal: new AbortController().signal });
    } catch (thrown) {
      this.#log({ level: 'warn', message: `The notification ${method} failed: ${toError(thrown).message}` });
    } finally {
      this.#notifications -= 1;
    }
  }

  /** The end comes from this side: calls under way are not finished first. */
  giveUp(): void {
    this.#isGivenUp = true;
  }

  /** Earlier calls are finished within a limit; the others are given up, and answered with that. */
  async teardown(): Promise<void> {
    if (!this.#isGivenUp)
      await within(Promise.allSettled(this.#underWay), LAST_CALLS_MS, this.#services.clock);
    await this.#backend.teardown();
  }

  async #shutdown(): Promise<null> {
    await within(this.#lifetime.takeDown(), SHUTDOWN_MS, this.#services.clock);
    this.#lifetime.closeAfterAnswers();
    return null;
  }

  #run(params: unknown, context: Context): unknown {
    const { extractor } = this.#backend;
    switch (context.method) {
      case methods.manifest:
        return writeManifest(this.#offer.manifest);
      case methods.init:
        return this.#initialization.init(params);
      case methods.health:
        return this.#health();
      case methods.supports:
        return extractor === undefined ? this.#call(params, context) : this.#supports(extractor, params);
      case methods.extract:
        return extractor === undefined
          ? this.#call(params, context)
          : this.#extract(extractor, params, context);
      default:
        return this.#call(params, context);
    }
  }

  /** Details of the author replace what is known of any process. */
  async #health(): Promise<JsonObject> {
    const { status, message, details } = await this.#backend.health();
    return {
      started: this.#initialization.isReady,
      uptime_sec: Math.floor((this.#services.clock.now() - this.#startedAt) / 1000),
      memory_mb: Math.round(process.memoryUsage.rss() / MiB),
      ...(isJsonObject(details) ? details : {}),
      ...defined({ message }),
      status,
    };
  }

  async #supports(extractor: Extractor, params: unknown): Promise<JsonObject> {
    const type = readSupportsParams(params);
    await this.#initialization.required();
    try {
      const { supported, confidence, method } = await extractor.supports(type);
      return defined({ supported, confidence, method });
    } catch (thrown) {
      throw rpcErrorOf(failureOf(thrown), { method: methods.supports });
    }
  }

  async #extract(extractor: Extractor, params: unknown, context: Context): Promise<JsonObject> {
    const { source, type, options } = readExtractParams(params);
    const { clock } = this.#services;
    const request = {
      method: methods.extract,
      timeoutMs: extractMs(options),
      type,
      formats: this.#backend.manifest.extractor?.formats ?? [],
    };
    await this.#initialization.required();
    this.#offer.leave();
    const startedAt = clock.now();
    const content = await this.#content(request, context, (info, sink) =>
      extractor.extract({ source, type, options }, sink, info),
    );
    const result = writeExtraction(content, clock.now() - startedAt);
    return options['include_metadata'] === false ? { ...result, metadata: {} } : result;
  }

  async #call(params: unknown, context: Context): Promise<Json> {
    const { method } = context;
    const args = readArguments(method, params);
    if (this.#offer.has(method)) await this.#initialization.required();
    // The backend may have a tool that is not listed, but asking it would set it up.
    else if (!(await this.#initialization.settled()))
      throw rpcErrorOf({ code: 'UNKNOWN_TOOL', message: 'Method not found' }, { method });
    const content = await this.#content({ method, timeoutMs: CALL_MS }, context, (info, sink) =>
      this.#offer.call({ tool: method, args, ...info }, sink),
    );
    return writeToolResult(content, this.#offer.say);
  }

  /** YAMS has no message for events: streamed text is part of the result, logs are printed, progress is dropped. */
  async #content(
    request: FailedRequest & { readonly timeoutMs: number },
    context: Context,
    start: (info: CallInfo, sink: CallSink) => RunningCall,
  ): Promise<AnswerContent> {
    const info: CallInfo = { dialect: 'yams', timeoutMs: request.timeoutMs };
    const onEvent = (event: CallEvent) => {
      if (event.kind === 'log') this.#log(event);
    };
    const answer = await backendAnswer(context, onEvent, (sink) => start(info, sink));
    if (answer.ok) return answer;
    throw rpcErrorOf(answer.error, request, answer);
  }

  #log(entry: LogEntry): void {
    this.#services.print(logLine(entry));
  }
}

/** An extraction gets at least the time that the host allows for one function. */
function extractMs({ timeout_sec: seconds }: JsonObject): number {
  const perFunctionMs = typeof seconds === 'number' ? seconds * 1000 : 0;
  return Math.min(EXTRACT_MAX_MS, Math.max(CALL_MS, perFunctionMs));
}

function logLine({ level, message, data }: LogEntry): string {
  return `${level}: ${message}${data === undefined ? '' : ` ${jsonText(data)}`}`;
}

/** Whether plugin.init was called, and how the last one ended. Calls wait here only while one is under way. */
class Initialization {
  readonly #backend: Pick<ServedPort, 'setup'>;
  readonly #defaults: JsonObject;
  #state: 'never' | 'ready' | { readonly failed: string } = 'never';
  #pending: Promise<unknown> | undefined;

  /** @param defaults the config where the host sends nothing else */
  constructor(backend: Pick<ServedPort, 'setup'>, defaults: JsonObject = {}) {
    this.#backend = backend;
    this.#defaults = defaults;
  }

  get isReady(): boolean {
    return this.#state === 'ready';
  }

  /**
   * A failed setup is an error: the real host takes any result for a success, even one with `status: "error"`.
   * @throws RpcError
   */
  async init(params: unknown): Promise<JsonObject> {
    const config = { ...this.#defaults, ...readInitParams(params) };
    const setup = (this.#pending ?? Promise.resolve()).then(() => this.#backend.setup(config));
    const pending = setup.then(
      () => (this.#state = 'ready'),
      (thrown: unknown) => (this.#state = { failed: toError(thrown).message }),
    );
    this.#pending = pending;
    try {
      const { configApplied } = await setup;
      return defined({ status: 'initialized', config_applied: configApplied });
    } catch (thrown) {
      throw rpcErrorOf(failureOf(thrown), { method: methods.init });
    } finally {
      if (this.#pending === pending) this.#pending = undefined;
    }
  }

  /** Whether it is ready, once every plugin.init until now has ended. */
  async settled(): Promise<boolean> {
    await this.#pending;
    return this.#state === 'ready';
  }

  /** @throws RpcError -32003 */
  async required(): Promise<void> {
    if (this.#pending !== undefined) await this.#pending;
    const state = this.#state;
    if (state === 'ready') return;
    throw new RpcError(NOT_INITIALIZED, `Plugin not initialized. Call ${methods.init} first.`, {
      reason: 'NotInitialized',
      required_method: methods.init,
      ...(state !== 'never' && { details: state.failed }),
    });
  }
}
