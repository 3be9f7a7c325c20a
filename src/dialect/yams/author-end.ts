// Answers the methods of YAMS from what is behind the author end. Every method that is not YAMS's own is a tool.
import { toError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import { within } from '../../base/within.ts';
import type { CallContext } from '../../channel/peer/call-context.ts';
import type { Backend } from '../../definition/backend.ts';
import type { AuthorServices } from '../author-dialect.ts';
import { withFacetTools, type Offer } from '../facet-tools.ts';
import { AuthorCalls } from './author-calls.ts';
import { Initialization } from './initialization.ts';
import { printedLog } from './printed-log.ts';
import { methods } from './schema.ts';
import { toldHealth } from './told-health.ts';
import { toldManifest } from './told-manifest.ts';
import { wordlessFacets } from './tools.ts';

/** The real host waits 3 s for the answer to a goodbye; so long may calls go on before. */
const GOODBYE_MS = 2500;
const LAST_CALLS_MS = 2000;
/** Notifications have no answer that would slow their sender down: what is over this is dropped. */
const UNASKED_MAX = 1000;

/** How this end comes to its end. */
export interface Life {
  /** Takes no more requests; the pipe is closed when those under way are answered, the goodbye included. */
  lastWords(): void;
  /** Calls the `takeDown` of this end, once. */
  takeDown(): Promise<void>;
}

export class AuthorEnd {
  readonly #backend: Backend;
  readonly #offer: Offer;
  readonly #services: AuthorServices;
  readonly #life: Life;
  readonly #initialization: Initialization;
  readonly #calls: AuthorCalls;
  readonly #since: number;
  readonly #underWay = new Set<Promise<unknown>>();
  #unasked = 0;
  #isGivenUp = false;

  constructor(backend: Backend, services: AuthorServices, life: Life) {
    this.#backend = backend;
    this.#services = services;
    this.#life = life;
    this.#initialization = new Initialization(backend, services.config);
    this.#offer = withFacetTools(backend, wordlessFacets);
    this.#calls = new AuthorCalls(this.#offer, services, this.#initialization);
    this.#since = services.clock.now();
  }

  /** @throws RpcError, now or later */
  answer(params: unknown, context: Pick<CallContext, 'method' | 'signal'>): unknown {
    if (context.method === methods.shutdown) return this.#shutdown();
    const answer = this.#answerTo(params, context);
    if (answer instanceof Promise) this.#watch(answer);
    return answer;
  }

  /** A notification is a request whose answer nobody wants, also when it is an error. */
  async hear(method: string, params: unknown): Promise<void> {
    if (this.#unasked >= UNASKED_MAX && method !== methods.shutdown) return;
    this.#unasked += 1;
    try {
      await this.answer(params, { method, signal: new AbortController().signal });
    } catch (thrown) {
      const message = `The notification ${method} failed: ${toError(thrown).message}`;
      this.#services.print(printedLog({ level: 'warn', message }));
    } finally {
      this.#unasked -= 1;
    }
  }

  /** It ends from this side: nothing is finished first. */
  giveUp(): void {
    this.#isGivenUp = true;
  }

  /** What was asked before is finished where it can be; the rest is given up, and answered with that. */
  async takeDown(): Promise<void> {
    if (!this.#isGivenUp)
      await within(Promise.allSettled(this.#underWay), LAST_CALLS_MS, this.#services.clock);
    await this.#backend.teardown();
  }

  #answerTo(params: unknown, context: Pick<CallContext, 'method' | 'signal'>): unknown {
    const { extractor } = this.#backend;
    switch (context.method) {
      case methods.manifest:
        return toldManifest(this.#offer.profile);
      case methods.init:
        return this.#initialization.init(params);
      case methods.health:
        return this.#health();
      case methods.supports:
        if (extractor !== undefined) return this.#calls.supports(extractor, params);
        break;
      case methods.extract:
        if (extractor !== undefined) return this.#calls.extract(extractor, params, context);
        break;
    }
    return this.#calls.call(params, context);
  }

  #watch(answer: Promise<unknown>): void {
    this.#underWay.add(answer);
    const over = () => this.#underWay.delete(answer);
    answer.then(over, over);
  }

  #health(): Promise<JsonObject> {
    const { clock } = this.#services;
    const uptimeMs = clock.now() - this.#since;
    return toldHealth(this.#backend, clock, { started: this.#initialization.isReady, uptimeMs });
  }

  async #shutdown(): Promise<null> {
    await within(this.#life.takeDown(), GOODBYE_MS, this.#services.clock);
    this.#life.lastWords();
    return null;
  }
}
