// The wire of one session: that of the official package, and beside it a straight way for calls of tools, which are nearly all that comes.
// An answer that is all there is to say goes out as JSON in one write; what comes before an answer makes it a stream of events.
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import {
  WebStandardStreamableHTTPServerTransport,
  type JSONRPCMessage,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/server';
import type { Clock } from '../../../base/clock.ts';
import { toError } from '../../../base/error.ts';
import { isJsonObject } from '../../../base/json.ts';
import { traceOf } from '../../../base/trace.ts';
import { CallAnswer } from './call-answer.ts';
import { refusedAnswer, sift, UNDER_WAY } from './ids-under-way.ts';
import type { StraightCall } from './straight-call.ts';

export class SessionTransport implements Transport {
  onclose: Transport['onclose'];
  onerror: Transport['onerror'];
  onmessage: Transport['onmessage'];
  readonly #official: WebStandardStreamableHTTPServerTransport;
  readonly #answers = new Map<string | number, CallAnswer>();
  /** What the official package was asked and has not answered. */
  readonly #asked = new Set<string | number>();
  readonly #clock: Clock;
  /** What was told before the client listened, each once. */
  readonly #untold = new Map<string, JSONRPCMessage>();
  #isListening = false;
  #versions: readonly string[] = [];

  constructor(id: string, clock: Clock) {
    this.#official = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id });
    this.#clock = clock;
  }

  /** Undefined before the hello. */
  get sessionId(): string | undefined {
    return this.#official.sessionId;
  }

  setSupportedProtocolVersions(versions: string[]): void {
    this.#versions = versions;
    this.#official.setSupportedProtocolVersions(versions);
  }

  start(): Promise<void> {
    this.#official.onmessage = (message, extra) => {
      this.onmessage?.(message, extra);
      // Nobody answers a call that was given up.
      if ('method' in message && message.method === 'notifications/cancelled')
        this.#cancelled(message.params);
    };
    this.#official.onerror = (error) => this.onerror?.(error);
    this.#official.onclose = () => {
      for (const answer of this.#answers.values()) answer.giveUp();
      this.onclose?.();
    };
    return this.#official.start();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const related = options?.relatedRequestId;
    const id = 'method' in message ? related : message.id;
    const answer = id === undefined ? undefined : this.#answers.get(id);
    if (id === undefined && 'method' in message && !this.#isListening) return this.#keep(message);
    if (!('method' in message) && message.id !== undefined) this.#asked.delete(message.id);
    if (answer === undefined)
      return this.#official.send(message, related === undefined ? {} : { relatedRequestId: related });
    if ('method' in message) await answer.tell(message);
    else answer.end(message);
  }

  close(): Promise<void> {
    return this.#official.close();
  }

  async handleRequest(
    ...given: Parameters<WebStandardStreamableHTTPServerTransport['handleRequest']>
  ): Promise<Response> {
    const [{ method, signal }] = given;
    if (method === 'POST') return this.#post(...given);
    const response = await this.#official.handleRequest(...given);
    if (method === 'GET' && response.ok) await this.#listening(signal);
    return response;
  }

  /** The call, where it can take the straight way; what is not quite as it should be is for the official package to judge. */
  callIn(headers: IncomingHttpHeaders, body: unknown): StraightCall | undefined {
    const { accept = '', 'content-type': type, 'mcp-protocol-version': version } = headers;
    if (this.sessionId === undefined || type !== 'application/json') return undefined;
    if (!accept.includes('application/json') || !accept.includes('text/event-stream')) return undefined;
    if (typeof version !== 'string' || version >= FIRST_MODERN || !this.#versions.includes(version))
      return undefined;
    if (!isJsonObject(body) || body['jsonrpc'] !== '2.0' || body['method'] !== 'tools/call') return undefined;
    const { id, params } = body;
    if (!isId(id) || !isJsonObject(params)) return undefined;
    const { name, arguments: args = {}, task, _meta: meta = {} } = params;
    if (typeof name !== 'string' || !isJsonObject(args) || task !== undefined) return undefined;
    if (!isJsonObject(meta) || Object.keys(meta).some((key) => key.startsWith(RESERVED))) return undefined;
    const { progressToken, traceparent, tracestate } = meta;
    if (progressToken !== undefined && !isId(progressToken)) return undefined;
    const trace = traceOf(traceparent, tracestate) ?? traceOf(headers['traceparent'], headers['tracestate']);
    return { id, params, progressToken, trace };
  }

  /** Resolves when it was answered, or nobody waits for it any more. */
  async answer(
    id: string | number,
    response: ServerResponse,
    slowMs: number,
    work: (answer: CallAnswer) => Promise<JSONRPCMessage>,
  ): Promise<void> {
    const answer = new CallAnswer({ response, sessionId: this.sessionId ?? '', slowMs, clock: this.#clock });
    if (this.#isUnderWay(id)) {
      answer.end({ jsonrpc: '2.0', id, error: UNDER_WAY });
      return answer.over;
    }
    this.#answers.set(id, answer);
    void work(answer)
      .then((message) => answer.end(message))
      .catch((thrown: unknown) => answer.end({ jsonrpc: '2.0', id, error: unwritable(thrown) }));
    await answer.over;
    this.#answers.delete(id);
  }

  /** Two of one id would get each other's answers. */
  async #post(
    ...[request, options]: Parameters<WebStandardStreamableHTTPServerTransport['handleRequest']>
  ): Promise<Response> {
    const { taken, ids, refused } = sift(options?.parsedBody, (id) => this.#isUnderWay(id));
    const hasAll = refused.length === 0;
    const isBatch = Array.isArray(options?.parsedBody);
    if (taken.length === 0 && !hasAll) return refusedAnswer(refused, isBatch, this.sessionId);
    for (const id of ids) this.#asked.add(id);
    const given = hasAll ? options : { ...options, parsedBody: taken };
    const response = await this.#official.handleRequest(request, given);
    if (!response.ok) for (const id of ids) this.#asked.delete(id);
    return hasAll || !response.ok ? response : refusedAnswer(refused, isBatch, this.sessionId, response);
  }

  #isUnderWay(id: string | number): boolean {
    return this.#answers.has(id) || this.#asked.has(id);
  }

  /** Clients open the stream for it after their hello, and some never do. */
  #keep(message: JSONRPCMessage): void {
    this.#untold.set(JSON.stringify(message), message);
    const [oldest] = this.#untold.keys();
    if (this.#untold.size > UNTOLD_MAX && oldest !== undefined) this.#untold.delete(oldest);
  }

  async #listening(signal: AbortSignal): Promise<void> {
    this.#isListening = true;
    signal.addEventListener('abort', () => (this.#isListening = false), { once: true });
    const untold = [...this.#untold.values()];
    this.#untold.clear();
    for (const message of untold) await this.#official.send(message);
  }

  #cancelled(params: unknown): void {
    const id = isJsonObject(params) ? params['requestId'] : undefined;
    if (typeof id !== 'string' && typeof id !== 'number') return;
    this.#asked.delete(id);
    this.#answers.get(id)?.giveUp();
  }
}

/** A plugin can nest what it says deeper than anybody can write it. */
function unwritable(thrown: unknown): { code: number; message: string } {
  return { code: -32_603, message: `The result cannot be written down: ${toError(thrown).message}` };
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

const UNTOLD_MAX = 100;

/** From this version on each request says all by itself. */
const FIRST_MODERN = '2026';
const RESERVED = 'io.modelcontextprotocol/';
