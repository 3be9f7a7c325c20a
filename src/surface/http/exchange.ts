// One request and its answer, as handlers see them.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Caller } from '../../definition/caller.ts';
import { traceOf, type Trace } from '../../base/trace.ts';
import { checkAccess, type Access } from './access.ts';
import { EventStream } from './event-stream.ts';
import type { HttpLimits } from './limits.ts';
import { badRequest, type ProblemBody } from './problem.ts';
import { readObject, type BodyLimits } from './read-body.ts';
import type { Upgrade } from './socket/upgrade.ts';
import { sseOutlet } from './sse-outlet.ts';

export interface ExchangeParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Where it wants to go on as a WebSocket. */
  readonly upgrade?: Upgrade | undefined;
  readonly params: ReadonlyMap<string, string>;
  readonly query: URLSearchParams;
  /** Undefined: nobody that is known, where everybody may ask. */
  readonly access?: Access | undefined;
  readonly limits: HttpLimits;
  readonly clock: Clock;
}

export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly access: Access | undefined;
  readonly clock: Clock;
  readonly #parts: ExchangeParts;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
    this.request = parts.request;
    this.response = parts.response;
    this.access = parts.access;
    this.clock = parts.clock;
  }

  /** Who asks. */
  get caller(): Caller {
    return this.access?.caller ?? { kind: 'client' };
  }

  param(name: string): string {
    return this.#parts.params.get(name) ?? '';
  }

  text(name: string): string | undefined {
    return this.#parts.query.get(name) ?? undefined;
  }

  flag(name: string): boolean {
    const value = this.text(name);
    return value === '1' || value === 'true';
  }

  /** The same for what does more than reading. @throws HttpProblem 403 for one who may only read */
  acts(name: string): boolean {
    const isWanted = this.flag(name);
    if (isWanted) checkAccess(this.access, 'api');
    return isWanted;
  }

  /** @throws HttpProblem 400 when it is there and no number from 0 on */
  count(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (!/^\d{1,15}$/.test(value)) throw badRequest(`"${name}" has to be a whole number.`);
    return Number(value);
  }

  /** Of less, and sooner, where its route says so. */
  body(limits: Omit<BodyLimits, 'json'> = { bytes: this.#parts.limits.bodyBytes }): Promise<JsonObject> {
    return readObject(this.request, { json: this.#parts.limits.json, ...limits }, this.clock);
  }

  get wantsEvents(): boolean {
    return /\btext\/event-stream\b/i.test(this.request.headers.accept ?? '');
  }

  get isHead(): boolean {
    return this.request.method === 'HEAD';
  }

  get trace(): Trace | undefined {
    const { traceparent, tracestate } = this.request.headers;
    return traceOf(traceparent, tracestate);
  }

  json(value: unknown, status = 200): void {
    this.send(status, JSON.stringify(value), 'application/json; charset=utf-8');
  }

  problem({ headers, ...body }: ProblemBody & { readonly headers: Readonly<Record<string, string>> }): void {
    for (const [name, value] of Object.entries(headers)) this.response.setHeader(name, value);
    this.send(body.status, JSON.stringify(body), 'application/problem+json');
  }

  empty(status = 204): void {
    this.response.writeHead(status, { 'cache-control': 'no-store' });
    this.response.end();
  }

  send(status: number, body: string | Uint8Array, type: string): void {
    const { response, request } = this;
    if (response.headersSent) {
      // The head went ahead of an answer that took long.
      response.end(body);
    } else {
      if (!response.hasHeader('cache-control')) response.setHeader('cache-control', 'no-store');
      response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
      response.end(body);
    }
    this.#watchReading(request);
  }

  events(): EventStream {
    return new EventStream(sseOutlet(this.response), this.#parts.limits, this.clock);
  }

  /** Over a WebSocket where that is wanted. @throws HttpProblem 400 or 426 */
  async eventsOrSocket(): Promise<EventStream> {
    const { upgrade, limits } = this.#parts;
    if (upgrade === undefined) return this.events();
    return new EventStream(await upgrade.accept(), limits, this.clock);
  }

  /** From outside: a stream that has no end of its own. */
  end(): void {
    const { upgrade, response } = this.#parts;
    if (upgrade === undefined) response.end();
    else upgrade.leave();
  }

  /** Who does not read an answer to its end is not waited for: Node ends a socket without progress for so long. */
  #watchReading({ socket }: IncomingMessage): void {
    if (!this.response.writableFinished) socket.setTimeout(this.#parts.limits.stallMs);
  }
}
