// One request and its answer, for handlers.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Caller } from '../../definition/caller.ts';
import { traceOf, type Trace } from '../../base/trace.ts';
import type { QueryField } from '../../runtime/api.ts';
import { checkAccess, type Access } from './access.ts';
import { EventStream } from './event-stream.ts';
import type { HttpLimits } from './limits.ts';
import { badRequest } from './problem.ts';
import { readObject, type BodyLimits } from './read-body.ts';

export interface ExchangeParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly params: ReadonlyMap<string, string>;
  readonly query: URLSearchParams;
  /** Undefined for an unknown client, where everyone may ask. */
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

  get caller(): Caller {
    return this.access?.caller ?? { kind: 'client' };
  }

  /** The names in the path. */
  get params(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#parts.params);
  }

  /** The query, read as the table says. @throws HttpProblem 400, or 403 for a flag that needs more than reading */
  query(fields: Readonly<Record<string, QueryField>>): Readonly<Record<string, unknown>> {
    const read = Object.entries(fields).flatMap(([name, field]) => {
      const value = this.#parts.query.get(name) ?? undefined;
      return value === undefined ? [] : [[name, this.#valueOf(name, value, field)] as const];
    });
    return Object.fromEntries(read);
  }

  #valueOf(name: string, value: string, { kind, acts = false }: QueryField): string | number | boolean {
    if (kind === 'text') return value;
    if (kind === 'flag') {
      const isWanted = value === '1' || value === 'true';
      if (isWanted && acts) checkAccess(this.access, 'api');
      return isWanted;
    }
    if (!/^\d{1,15}$/.test(value)) throw badRequest(`"${name}" has to be a whole number.`);
    return Number(value);
  }

  /** Smaller, and sooner, where its route says so. */
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

  empty(status = 204): void {
    this.response.writeHead(status, { 'cache-control': 'no-store' });
    this.response.end();
  }

  send(status: number, body: string | Uint8Array, type: string): void {
    sendBody(this.response, status, body, type, this.#parts.limits.stallMs);
  }

  events(): EventStream {
    return new EventStream(this.response, this.#parts.limits, this.clock);
  }
}

/** A client that does not read its answer is not waited for: Node ends a socket without progress after `stallMs`. */
export function sendBody(
  response: ServerResponse,
  status: number,
  body: string | Uint8Array,
  type: string,
  stallMs: number,
): void {
  // The head of a slow answer has been sent.
  if (!response.headersSent) {
    if (!response.hasHeader('cache-control')) response.setHeader('cache-control', 'no-store');
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  }
  response.end(body);
  if (!response.writableFinished) response.req.socket.setTimeout(stallMs);
}
