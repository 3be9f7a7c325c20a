// Streamable HTTP of both eras: which requests are let in, and to which session they belong.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toError } from '../../../base/error.ts';
import { isJsonObject, type Json } from '../../../base/json.ts';
import { sentence } from '../../../base/text.ts';
import { traceOf } from '../../../base/trace.ts';
import { within } from '../../../base/async.ts';
import { decodeValue } from '../../../channel/message/decode.ts';
import type { Id, Request, Single } from '../../../channel/message/message.ts';
import { RpcError, standardErrors } from '../../../channel/message/rpc-error.ts';
import { checkStatelessHeaders } from '../../../dialect/mcp/http-headers.ts';
import { methods, SESSION_VERSIONS } from '../../../dialect/mcp/schema.ts';
import { hasEnvelope, readEnvelope, STATELESS_VERSION } from '../../../dialect/mcp/stateless.ts';
import { HttpProblem } from '../../http/problem.ts';
import { readJson } from '../../http/read-body.ts';
import type { Access } from '../connection.ts';
import type { EndpointOptions, EndpointProfiles } from '../options.ts';
import { refusedParams } from '../params.ts';
import type { Serving } from '../serving.ts';
import { HttpReply, HttpServerLink } from '../../../dialect/mcp/http-server-link.ts';
import { Keys, Refusal, sendRefusal } from './keys.ts';
import { Sessions, type Session } from './sessions.ts';

export class HttpTransport {
  readonly #serving: Serving;
  readonly #keys: Keys;
  readonly #sessions: Sessions;
  readonly #ending = new Set<Promise<void>>();
  readonly #unfollow: (() => void) | undefined;
  readonly #responses = new Set<ServerResponse>();
  #closing: string | undefined;

  constructor(serving: Serving, options: EndpointOptions) {
    const { tokens, profiles = {} } = options;
    this.#serving = serving;
    this.#keys = new Keys(tokens, profiles);
    this.#sessions = new Sessions(serving);
    this.#unfollow = tokens?.onRevoked(({ id, name }) => {
      const ending = this.#end(({ tokenId }) => tokenId === id, `The token "${name}" was revoked.`);
      this.#ending.add(ending);
      void ending.finally(() => this.#ending.delete(ending));
    });
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  /** Never rejects. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#responses.add(response);
    response.once('close', () => this.#responses.delete(response));
    try {
      await this.#serve(request, response);
    } catch (thrown) {
      if (thrown instanceof Refusal) return sendRefusal(response, thrown);
      this.#serving.failed(toError(thrown));
      sendRefusal(response, new Refusal(500, 'Internal error.', { code: -32_603 }));
    }
  }

  /** Uses these from now on. Clients whose token opens nothing any more are ended, and returned; what they asked is answered with the reason. */
  async useProfiles(profiles: EndpointProfiles): Promise<readonly string[]> {
    const ended = this.#keys.use(profiles);
    const ending = ended.map((name) =>
      this.#end(({ profile }) => profile === name, reasonFor(name, profiles)),
    );
    this.#serving.useProfiles(profiles);
    await Promise.all([...ending, ...this.#ending]);
    return ended;
  }

  async #end(isTheirs: (access: Access) => boolean, reason: string): Promise<void> {
    // Clients that come meanwhile have the right token.
    const sessions = [...this.#sessions.all].filter(({ access }) => isTheirs(access));
    this.#serving.parked.drop((owner) => {
      const [token, profile, tokenId] = owner.split('\n');
      return isTheirs({ token, tokenId, profile });
    });
    await this.#serving.finish(({ access }) => isTheirs(access), reason, 0);
    for (const session of sessions) this.#sessions.end(session);
  }

  /** Requests under way are answered; new ones are refused with the same reason. */
  async close(reason: string): Promise<void> {
    const { closeMs } = this.#serving.limits;
    this.#closing = reason;
    this.#unfollow?.();
    await this.#serving.finish(() => true, reason, closeMs);
    this.#sessions.close();
    // The last answers are on their way.
    const sent = [...this.#responses].map(
      (response) => new Promise<void>((resolve) => response.once('close', resolve)),
    );
    await within(Promise.all(sent), closeMs, this.#serving.clock);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { version } = this.#keys;
    const allowed = this.#keys.open(request);
    if (request.method !== 'POST') {
      if (this.#closing !== undefined)
        throw new Refusal(503, this.#closing, { headers: { connection: 'close' } });
      return this.#serveSession(request, response, allowed);
    }
    if (!isJsonType(request.headers['content-type']))
      throw new Refusal(415, 'Unsupported Media Type: Content-Type must be application/json');
    const body = await this.#body(request);
    // The token may have been revoked while the body came.
    const access = version === this.#keys.version ? allowed : this.#keys.open(request);
    const messages = messagesIn(body);
    // A client that is asked something may still answer.
    if (this.#closing !== undefined && messages.some(({ kind }) => kind === 'request'))
      throw new Refusal(503, this.#closing, { headers: { connection: 'close' } });
    const [first] = messages;
    if (first !== undefined && isStateless(request, first))
      this.#postStateless(request, response, access, first);
    else await this.#post(request, response, access, messages, Array.isArray(body));
  }

  async #body(request: IncomingMessage): Promise<Json> {
    const { limits, clock } = this.#serving;
    const { bodyBytes: bytes, bodyMs: ms, json } = limits;
    try {
      return await readJson(request, { bytes, ms, json }, clock);
    } catch (thrown) {
      if (!(thrown instanceof HttpProblem)) throw thrown;
      const { status, message, headers } = thrown;
      throw new Refusal(status, message, { headers, code: codes.get(status) });
    }
  }

  async #post(
    request: IncomingMessage,
    response: ServerResponse,
    access: Access,
    messages: readonly Single[],
    isBatch: boolean,
  ): Promise<void> {
    checkAccept(request, ['application/json', 'text/event-stream']);
    const isHandshake = messages.some((message) => isRequestOf(message, methods.initialize));
    const session = this.#sessionFor(request, access, isHandshake, messages.length);
    const requests = messages.filter((message) => message.kind === 'request');
    await this.#sessions.use(session, async () => {
      const reply =
        requests.length === 0 ? undefined : this.#reply(response, session, requests.length, isBatch);
      for (const [index, message] of messages.entries()) {
        // One message of a batch per turn of the event loop: a batch must not keep other clients waiting.
        if (index > 0) await new Promise((resolve) => setImmediate(resolve));
        if (reply?.isGivenUp) break;
        this.#deliver(session, message, reply, request);
      }
      if (reply === undefined) response.writeHead(202, sessionHeader(session)).end();
      else await reply.over;
    });
  }

  /** @throws Refusal 400, 404 or 503 */
  #sessionFor(request: IncomingMessage, access: Access, isHandshake: boolean, messages: number): Session {
    const id = request.headers['mcp-session-id'];
    if (typeof id === 'string') {
      const session = this.#sessions.get(id, access);
      if (isHandshake)
        throw new Refusal(400, 'Invalid Request: the session is initialized already.', { code: -32_600 });
      checkVersion(request);
      return session;
    }
    if (!isHandshake) throw noSession();
    if (messages > 1)
      throw new Refusal(400, 'Invalid Request: initialize has to be the only message.', { code: -32_600 });
    return this.#sessions.begin(access);
  }

  /** Two requests with one id would get each other's answers. */
  #deliver(session: Session, message: Single, reply: HttpReply | undefined, request: IncomingMessage): void {
    if (message.kind !== 'request' || reply === undefined) return session.link.receive(message);
    if (session.link.hasRequest(message.id)) {
      const error = { code: -32_600, message: 'Invalid Request: a call of this id is under way.' };
      return reply.answer(JSON.stringify({ jsonrpc: '2.0', id: message.id, error }));
    }
    session.link.receive(traced(message, request), reply);
  }

  #postStateless(request: IncomingMessage, response: ServerResponse, access: Access, message: Single): void {
    // Nothing lasts that a notification could be about.
    if (message.kind !== 'request') return void response.writeHead(202).end();
    const params = isJsonObject(message.params) ? message.params : {};
    try {
      readEnvelopeOf(message, request);
      checkStatelessHeaders(request.headers, message.method, params);
    } catch (thrown) {
      if (!(thrown instanceof RpcError)) throw thrown;
      throw new Refusal(400, thrown.message, { code: thrown.code, id: message.id, data: thrown.data });
    }
    const { clock, limits } = this.#serving;
    const link = new HttpServerLink(true);
    const connected = this.#serving.connect(access, '', link);
    const reply = new HttpReply({ response, headers: () => ({}), slowMs: limits.slowMs, clock });
    void reply.over.then(() => connected.close());
    link.receive(traced(message, request), reply);
  }

  /** GET: the stream for what belongs to no request. DELETE: the end of the session. */
  async #serveSession(request: IncomingMessage, response: ServerResponse, access: Access): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'DELETE')
      throw new Refusal(405, 'Method not allowed.', { headers: { allow: 'GET, POST, DELETE' } });
    const id = request.headers['mcp-session-id'];
    if (typeof id !== 'string') throw noSession();
    if (request.method === 'GET') checkAccept(request, ['text/event-stream']);
    const session = this.#sessions.get(id, access);
    checkVersion(request);
    if (request.method === 'DELETE') {
      this.#sessions.end(session);
      return void response.writeHead(200).end();
    }
    await this.#sessions.use(session, async () => {
      const reply = this.#reply(response, session, 1);
      if (session.link.listen(reply)) await reply.over;
      else throw new Refusal(409, 'Conflict: the session has a stream already.');
    });
  }

  #reply(response: ServerResponse, session: Session, answers: number, isBatch = false): HttpReply {
    const { clock, limits } = this.#serving;
    const headers = () => (session.server.isInitialized ? sessionHeader(session) : {});
    return new HttpReply({ response, headers, slowMs: limits.slowMs, clock, answers, isBatch });
  }
}

function sessionHeader({ id }: Session): Record<string, string> {
  return { 'mcp-session-id': id };
}

/** @throws Refusal 400 */
function messagesIn(body: Json): readonly Single[] {
  const items = Array.isArray(body) ? (body as readonly Json[]) : [body];
  if (items.length === 0) throw new Refusal(400, 'Invalid Request: the batch is empty.', { code: -32_600 });
  return items.map((item) => {
    const message = decodeValue(item);
    if (message.kind === 'invalid')
      throw new Refusal(400, `Invalid Request: ${sentence(message.reason)}`, {
        code: -32_600,
        id: message.id,
      });
    const params = 'params' in message ? message.params : undefined;
    const refused = refusedParams(params);
    if (refused !== undefined)
      throw new Refusal(400, refused.message, { code: refused.code, id: idOf(message) });
    if (items.length > 1 && hasEnvelope(params))
      throw new Refusal(400, 'Invalid Request: requests of 2026-07-28 come one by one.', { code: -32_600 });
    return message;
  });
}

function idOf(message: Single): Id {
  return 'id' in message ? message.id : null;
}

/** By what the message says of itself; the header alone makes a message of 2026-07-28 that is not complete. */
function isStateless({ headers }: IncomingMessage, message: Single): boolean {
  if (message.kind !== 'request' && message.kind !== 'notification') return false;
  return hasEnvelope(message.params) || headers['mcp-protocol-version'] === STATELESS_VERSION;
}

/** @throws RpcError -32020, -32022 or -32602 */
function readEnvelopeOf({ method, params }: Request, { headers }: IncomingMessage): void {
  const { 'mcp-protocol-version': version } = headers;
  if (method === methods.initialize && !hasEnvelope(params))
    throw new RpcError(
      -32_020,
      `Header mismatch: initialize belongs to no version such as ${String(version)}.`,
    );
  if (readEnvelope(isJsonObject(params) ? params : {}) === undefined)
    throw new RpcError(
      standardErrors.invalidParams.code,
      'Invalid params: _meta does not say "io.modelcontextprotocol/protocolVersion".',
    );
}

/** A request says itself what trace it is a part of, or the HTTP request does. */
function traced(request: Request, { headers }: IncomingMessage): Request {
  const trace = traceOf(headers['traceparent'], headers['tracestate']);
  const { params } = request;
  if (trace === undefined || !isJsonObject(params)) return request;
  const meta = isJsonObject(params['_meta']) ? params['_meta'] : {};
  return { ...request, params: { ...params, _meta: { ...trace, ...meta } } };
}

function isRequestOf(message: Single, method: string): boolean {
  return message.kind === 'request' && message.method === method;
}

function isJsonType(type = ''): boolean {
  return type.split(';')[0]?.trim().toLowerCase() === 'application/json';
}

/** @throws Refusal 406 */
function checkAccept({ headers }: IncomingMessage, types: readonly string[]): void {
  const { accept = '' } = headers;
  if (types.every((type) => accept.includes(type))) return;
  throw new Refusal(406, `Not Acceptable: Client must accept ${types.join(' and ')}`);
}

/** @throws Refusal 400 */
function checkVersion({ headers }: IncomingMessage): void {
  const { 'mcp-protocol-version': version } = headers;
  if (version === undefined || SESSION_VERSIONS.some((known) => known === version)) return;
  throw new Refusal(
    400,
    `Bad Request: Unsupported protocol version (supported versions: ${SESSION_VERSIONS.join(', ')})`,
  );
}

function reasonFor(profile: string, profiles: EndpointProfiles): string {
  return Object.hasOwn(profiles, profile)
    ? `The profile "${profile}" has another token now.`
    : `The profile "${profile}" was removed.`;
}

function noSession(): Refusal {
  return new Refusal(
    400,
    'Bad Request: the header Mcp-Session-Id is missing. Begin a session with initialize.',
  );
}

/** What is wrong with a body, as JSON-RPC numbers it. */
const codes = new Map([
  [400, standardErrors.parseError.code],
  [413, standardErrors.invalidRequest.code],
]);
