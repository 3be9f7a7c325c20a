// Streamable HTTP of both eras: who may come in, which session it is, and the way to the official package and back.
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  type McpHttpHandler,
} from '@modelcontextprotocol/server';
import { toError } from '../../../base/error.ts';
import { isJsonObject, type Json } from '../../../base/json.ts';
import { within } from '../../../base/within.ts';
import { standardErrors } from '../../../channel/message/rpc-error.ts';
import { createDoor, type Door } from '../../http/door.ts';
import { HttpProblem } from '../../http/problem.ts';
import { readJson } from '../../http/read-body.ts';
import { accessKey, type Access } from '../connection.ts';
import type { EndpointOptions, EndpointProfiles } from '../options.ts';
import { refusedArguments } from '../params.ts';
import type { ServingRoom } from '../serving-room.ts';
import { sendResponse, webRequest } from './exchange.ts';
import { Keys } from './keys.ts';
import { Refusal, sendRefusal } from './refusal.ts';
import { Sessions } from './sessions.ts';
import { answerStraight } from './straight-call.ts';

export class HttpFace {
  readonly #room: ServingRoom;
  readonly #door: Door;
  readonly #keys: Keys;
  readonly #sessions: Sessions;
  /** One for each token and profile, since news go to all who listen on one, and it ends with its token. */
  readonly #modern = new Map<string, { readonly access: Access; readonly handler: McpHttpHandler }>();
  readonly #ending = new Set<Promise<void>>();
  readonly #unfollow: (() => void) | undefined;

  /** Node forgets to fire the signal of a request that nobody holds any more. */
  readonly #held = new Set<Request>();
  readonly #responses = new Set<ServerResponse>();
  #closing: string | undefined;

  constructor(room: ServingRoom, options: EndpointOptions) {
    const { tokens, profiles = {}, host = 'localhost', hosts = [], origins = [] } = options;
    this.#room = room;
    this.#door = createDoor({ host, allowedHosts: hosts, allowedOrigins: origins });
    this.#keys = new Keys(tokens, profiles);
    const { clock, limits } = room;
    this.#sessions = new Sessions({
      clock,
      most: limits.sessions,
      idleMs: limits.sessionIdleMs,
      connect: (access, id) => room.connect(access, id, false),
      failed: (error) => room.failed(error),
    });
    room.onChanged((what, concerns) => {
      for (const { access, handler } of this.#modern.values())
        if (concerns(access.profile)) handler.notify[`${what}Changed`]();
    });
    this.#unfollow = tokens?.onRevoked(({ name }) => {
      const ending = this.#end(({ token }) => token === name, `The token "${name}" lets in nobody any more.`);
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
      this.#check(request);
      await this.#serve(request, response);
    } catch (thrown) {
      if (thrown instanceof Refusal) return sendRefusal(response, thrown);
      this.#room.failed(toError(thrown));
      sendRefusal(response, new Refusal(500, 'Internal error.', {}, -32_603));
    }
  }

  /** From now on these hold. Clients whose token opens nothing any more are ended, and returned; what they asked is answered with why. */
  async useProfiles(profiles: EndpointProfiles): Promise<readonly string[]> {
    const ended = this.#keys.use(profiles);
    const ending = ended.map((name) =>
      this.#end(({ profile }) => profile === name, reasonFor(name, profiles)),
    );
    this.#room.useProfiles(profiles);
    await Promise.all([...ending, ...this.#ending]);
    return ended;
  }

  async #end(isTheirs: (access: Access) => boolean, reason: string): Promise<void> {
    // Whoever comes meanwhile has the right token.
    const sessions = [...this.#sessions.all].filter(({ access }) => isTheirs(access));
    const served = [...this.#modern].filter(([, { access }]) => isTheirs(access));
    for (const [key] of served) this.#modern.delete(key);
    this.#room.parked.drop((owner) => {
      const [token, profile] = owner.split('\n');
      return isTheirs({ token, profile });
    });
    await this.#room.finish(({ access }) => isTheirs(access), reason, 0);
    await Promise.all([
      ...sessions.map((session) => this.#sessions.end(session)),
      ...served.map(([, { handler }]) => handler.close()),
    ]);
  }

  /** What was asked before is answered; what comes now is refused with the same reason. */
  async close(reason: string): Promise<void> {
    const { closeMs } = this.#room.limits;
    this.#closing = reason;
    this.#unfollow?.();
    await this.#room.finish(() => true, reason, closeMs);
    await this.#sessions.close();
    await Promise.all([...this.#modern.values()].map(({ handler }) => handler.close()));
    // What was said last is on its way.
    const sent = [...this.#responses].map(
      (response) => new Promise<void>((resolve) => response.once('close', resolve)),
    );
    await within(Promise.all(sent), closeMs, this.#room.clock);
  }

  #check({ headers }: IncomingMessage): void {
    try {
      this.#door.check(headers);
    } catch (thrown) {
      if (thrown instanceof HttpProblem) throw new Refusal(thrown.status, thrown.message);
      throw thrown;
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { version } = this.#keys;
    const allowed = this.#keys.open(request);
    const parsedBody = request.method === 'POST' ? await this.#body(request) : undefined;
    // The token may have been withdrawn while the body came.
    const access = version === this.#keys.version ? allowed : this.#keys.open(request);
    // Whoever is asked something may still answer.
    if (this.#closing !== undefined && (request.method !== 'POST' || asksSomething(parsedBody)))
      throw new Refusal(503, this.#closing, { connection: 'close' });
    checkArguments(parsedBody);
    if (await this.#answerStraight(request, response, access, parsedBody)) return;
    const gone = new AbortController();
    if (response.destroyed) gone.abort();
    response.once('close', () => {
      if (!response.writableFinished) gone.abort();
    });
    const web = webRequest(request, gone.signal);
    this.#held.add(web);
    try {
      await this.#answer(web, parsedBody, request, response);
    } finally {
      this.#held.delete(web);
    }
  }

  async #body(request: IncomingMessage): Promise<Json> {
    const { limits, clock } = this.#room;
    const { bodyBytes: bytes, bodyMs: ms, json } = limits;
    try {
      return await readJson(request, { bytes, ms, json }, clock);
    } catch (thrown) {
      if (!(thrown instanceof HttpProblem)) throw thrown;
      const { status, message, headers } = thrown;
      throw new Refusal(status, message, headers, codes.get(status));
    }
  }

  /** Whether it was a call that needs no more than its session. */
  async #answerStraight(
    { method, headers }: IncomingMessage,
    response: ServerResponse,
    access: Access,
    body: unknown,
  ): Promise<boolean> {
    const id = headers['mcp-session-id'];
    if (method !== 'POST' || typeof id !== 'string') return false;
    const session = this.#sessions.find(id, access);
    const call = session?.transport.callIn(headers, body);
    if (session === undefined || call === undefined) return false;
    await this.#sessions.use(session, () =>
      session.transport.answer(call.id, response, this.#room.limits.slowMs, (answer) =>
        answerStraight(session, call, answer),
      ),
    );
    return true;
  }

  async #answer(
    web: Request,
    parsedBody: unknown,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { limits, clock } = this.#room;
    const given = parsedBody === undefined ? {} : { parsedBody };
    const isLegacy = await isLegacyRequest(web, parsedBody);
    const access = this.#keys.open(request);
    if (!isLegacy) {
      await this.#follow(access, parsedBody, web.signal, response);
      // Plugins may have taken their time.
      const answer = await this.#handler(this.#keys.open(request)).fetch(web, given);
      return sendResponse(response, answer, limits.slowMs, clock);
    }
    const id = web.headers.get('mcp-session-id');
    const session =
      id === null
        ? await this.#sessions.begin(asksForSession(parsedBody) ? access : noSession())
        : this.#sessions.get(id, access);
    await this.#sessions.use(session, async () => {
      const answer = await session.transport.handleRequest(web, given);
      await sendResponse(response, answer, limits.slowMs, clock);
    });
  }

  #handler(access: Access): McpHttpHandler {
    const key = accessKey(access);
    const known = this.#modern.get(key);
    if (known !== undefined) return known.handler;
    const handler = createMcpHandler(() => this.#room.connect(access, '', true).server, {
      legacy: 'reject',
      maxRequestBodySize: this.#room.limits.bodyBytes,
      onerror: (error) => this.#room.failed(error),
    });
    this.#modern.set(key, { access, handler });
    return handler;
  }

  /** Who listens for news of resources is told what plugins tell, for as long. */
  async #follow(
    access: Access,
    body: unknown,
    { aborted: isGone }: AbortSignal,
    response: ServerResponse,
  ): Promise<void> {
    const uris = listenedTo(body);
    if (uris.length === 0 || isGone) return;
    const connection = this.#room.listener(access);
    connection.onUpdated = (uri) => this.#handler(access).notify.resourceUpdated(uri);
    // However it ends: a refusal is an answer that was sent in full.
    response.once('close', () => connection.close());
    await Promise.allSettled(uris.map((uri) => connection.subscribe(uri)));
  }
}

function asksForSession(body: unknown): boolean {
  return (Array.isArray(body) ? body : [body]).some((message) => isInitializeRequest(message));
}

function asksSomething(body: unknown): boolean {
  return (Array.isArray(body) ? body : [body]).some(
    (message: unknown) => !isJsonObject(message) || ('method' in message && 'id' in message),
  );
}

/** @throws Refusal 400 */
function checkArguments(body: unknown): void {
  for (const message of Array.isArray(body) ? (body as unknown[]) : [body]) {
    if (!isJsonObject(message) || !('method' in message)) continue;
    const refused = refusedArguments(message['params']);
    const { id } = message;
    if (refused !== undefined)
      throw new Refusal(400, refused.message, {}, refused.code, typeof id === 'object' ? null : id);
  }
}

function reasonFor(profile: string, profiles: EndpointProfiles): string {
  return Object.hasOwn(profiles, profile)
    ? `The token of the profile "${profile}" is another one now.`
    : `The profile "${profile}" is not there any more.`;
}

function noSession(): never {
  throw new Refusal(400, 'Bad Request: the header Mcp-Session-Id is missing. Say hello first: initialize.');
}

/** Of what is wrong with a body, in the words of JSON-RPC. */
const codes = new Map([
  [400, standardErrors.parseError.code],
  [413, standardErrors.invalidRequest.code],
]);

const LISTENED_MAX = 100;

function listenedTo(body: unknown): readonly string[] {
  if (!isJsonObject(body) || body['method'] !== 'subscriptions/listen') return [];
  const { params } = body;
  const wanted = isJsonObject(params) ? params['notifications'] : undefined;
  const uris = isJsonObject(wanted) ? wanted['resourceSubscriptions'] : undefined;
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string').slice(0, LISTENED_MAX) : [];
}
