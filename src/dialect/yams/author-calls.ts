// Calls and extractions that a host asks an author end for. YAMS has no words for what is said before the end: text that was streamed
// is part of the result, logs are printed, progress is told nobody.
import type { Json, JsonObject } from '../../base/json.ts';
import type { CallContext } from '../../channel/peer/call-context.ts';
import type { Around, Backend, RunningCall } from '../../definition/backend.ts';
import { failureOf } from '../../definition/failure.ts';
import type { AnswerContent, CallEvent, CallFailure, CallSink } from '../../definition/outcome.ts';
import type { AuthorServices } from '../author-dialect.ts';
import { backendAnswer } from '../backend-answer.ts';
import type { Offer } from '../facet-tools.ts';
import { readArguments, readExtractParams, readSupportsParams } from './asked.ts';
import { toExtractionResult } from './extraction-result.ts';
import type { Initialization } from './initialization.ts';
import { printedLog } from './printed-log.ts';
import { methods } from './schema.ts';
import { callableTools } from './told-manifest.ts';
import { toToolResult } from './tool-result.ts';
import { wireFailure, type Asked } from './wire-failure.ts';

/** The specification gives an answer 30 s: a little less, so that the host hears why there is none. */
const CALL_MS = 29_000;
/** The real host gives an extraction 300 s. */
const EXTRACT_MAX_MS = 299_000;

type Extractor = NonNullable<Backend['extractor']>;

export class AuthorCalls {
  readonly #offer: Offer;
  readonly #services: AuthorServices;
  readonly #initialization: Initialization;

  constructor(offer: Offer, services: AuthorServices, initialization: Initialization) {
    this.#offer = offer;
    this.#services = services;
    this.#initialization = initialization;
  }

  /** @throws RpcError */
  async supports(extractor: Extractor, params: unknown): Promise<JsonObject> {
    const type = readSupportsParams(params);
    await this.#initialization.required();
    try {
      const { supported, confidence, method } = await extractor.supports(type);
      return { supported, confidence, ...(method === undefined ? {} : { method }) };
    } catch (thrown) {
      throw wireFailure(failureOf(thrown), { method: methods.supports });
    }
  }

  /** @throws RpcError */
  async extract(
    extractor: Extractor,
    params: unknown,
    context: Pick<CallContext, 'signal'>,
  ): Promise<JsonObject> {
    const { source, type, options } = readExtractParams(params);
    const { clock } = this.#services;
    const asked = {
      method: methods.extract,
      timeoutMs: extractMs(options),
      type,
      formats: this.#offer.profile.extractor?.formats ?? [],
    };
    await this.#initialization.required();
    this.#offer.leave();
    const startedAt = clock.now();
    const content = await this.#asked(asked, context, (around, sink) =>
      extractor.extract(source, type, options, around, sink),
    );
    const result = toExtractionResult(content, clock.now() - startedAt);
    return options['include_metadata'] === false ? { ...result, metadata: {} } : result;
  }

  /** @throws RpcError */
  async call(params: unknown, context: Pick<CallContext, 'method' | 'signal'>): Promise<Json> {
    const { method } = context;
    const args = readArguments(method, params);
    const isListed = callableTools(this.#offer.profile).some(({ name }) => name === method);
    if (isListed) await this.#initialization.required();
    // What is not listed may be there all the same. Only what is behind this end knows, and to ask it would set it up.
    else if (!(await this.#initialization.settled())) throw wireFailure(unknownTool, { method });
    const content = await this.#asked({ method, timeoutMs: CALL_MS }, context, (around, sink) =>
      this.#offer.call({ tool: method, args, ...around }, sink),
    );
    return toToolResult(content, this.#offer.say);
  }

  async #asked(
    asked: Asked & { readonly timeoutMs: number },
    context: Pick<CallContext, 'signal'>,
    start: (around: Around, sink: CallSink) => RunningCall,
  ): Promise<AnswerContent> {
    const around: Around = { dialect: 'yams', timeoutMs: asked.timeoutMs };
    const onEvent = (event: CallEvent) => {
      if (event.kind === 'log') this.#services.print(printedLog(event));
    };
    const answer = await backendAnswer(context, onEvent, (sink) => start(around, sink));
    if (answer.ok) return answer;
    throw wireFailure(answer.error, asked, answer);
  }
}

const unknownTool: CallFailure = { code: 'UNKNOWN_TOOL', message: 'Method not found' };

/** What a host gives a single function, the whole of it gets at least. */
function extractMs({ timeout_sec: seconds }: JsonObject): number {
  const perFunctionMs = typeof seconds === 'number' ? seconds * 1000 : 0;
  return Math.min(EXTRACT_MAX_MS, Math.max(CALL_MS, perFunctionMs));
}
