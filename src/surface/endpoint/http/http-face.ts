// Streamable HTTP of both eras: who may come in, which session it is, and the way to the official package and back.
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  type McpHttpHandler,
} from '@modelcontextprotocol/server';
import { toError } from '../../../base/error.ts';
import { isJsonObject } from '../../../base/json.ts';
import { within } from '../../../base/within.ts';
import { createDoor, type Door } from '../../http/door.ts';
import { HttpProblem } from '../../http/problem.ts';
import type { EndpointOptions, EndpointProfiles } from '../options.ts';
import { refusedArguments } from '../params.ts';
import type { ServingRoom } from '../serving-room.ts';
import { sendResponse, webRequest } from './exchange.ts';
import { Keys } from './keys.ts';
import { readBody } from './read-body.ts';
import { Refusal, sendRefusal } from './refusal.ts';
import { Sessions } from './sessions.ts';
import { answerStraight } from './straight-call.ts';

export class HttpFace {
  readonly #room: ServingRoom;
  readonly #door: Door;
  readonly #keys: Keys;
  readonly #sessions: Sessions;
  /** One for each profile, since news go to all who listen on one. */
  readonly #modern = new Map<string | undefined, McpHttpHandler>();

  /** Node forgets to fire the signal of a request that nobody holds any more. */
  readonly #held = new Set<Request>();
  readonly #responses = new Set<ServerResponse>();
  #closing: string | undefined;

  constructor(room: ServingRoom, options: EndpointOptions) {
    const { token, profiles = {}, host = 'localhost', hosts = [], origins = [] } = options;
    this.#room = room;
    this.#door = createDoor({ host, allowedHosts: hosts, allowedOrigins: origins });
    this.#keys = new Keys(token, profiles);
    const { clock, limits } = room;
    this.#sessions = new Sessions({
      clock,
      most: limits.sessions,
      idleMs: limits.sessionIdleMs,
      connect: (profile, id) => room.connect(profile, id, false),
      failed: (error) => room.failed(error),
    });
    room.onChanged((what, concerns) => {
      for (const [profile, { notify }] of this.#modern) if (concerns(profile)) notify[`${what}Changed`]();
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
    const ending = ended.map((name) => this.#end(name, reasonFor(name, profiles)));
    this.#room.useProfiles(profiles);
    await Promise.all(ending);
    return ended;
  }

  async #end(profile: string, reason: string): Promise<void> {
    // Whoever comes meanwhile has the right token.
    const sessions = [...this.#sessions.all].filter((session) => session.profile === profile);
    const handler = this.#modern.get(profile);
    this.#modern.delete(profile);
    this.#room.parked.drop((owner) => owner.startsWith(`${profile}\n`));
    await this.#room.finish(({ things }) => things.view.profileName === profile, reason, 0);
    await Promise.all([...sessions.map((session) => this.#sessions.end(session)), handler?.close()]);
  }

  /** What was asked before is answered; what comes now is refused with the same reason. */
  async close(reason: string): Promise<void> {
    const { closeMs } = this.#room.limits;
    this.#closing = reason;
    await this.#room.finish(() => true, reason, closeMs);
    await this.#sessions.close();
    await Promise.all([...this.#modern.values()].map((handler) => handler.close()));
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
    const { limits, clock } = this.#room;
    const { version } = this.#keys;
    const allowed = this.#keys.open(request);
    const parsedBody = request.method === 'POST' ? await readBody(request, limits, clock) : undefined;
    // The token may have been withdrawn while the body came.
    const profile = version === this.#keys.version ? allowed : this.#keys.open(request);
    // Whoever is asked something may still answer.
    if (this.#closing !== undefined && (request.method !== 'POST' || asksSomething(parsedBody)))
      throw new Refusal(503, this.#closing, { connection: 'close' });
    checkArguments(parsedBody);
    if (await this.#answerStraight(request, response, profile, parsedBody)) return;
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

  /** Whether it was a call that needs no more than its session. */
  async #answerStraight(
    { method, headers }: IncomingMessage,
    response: ServerResponse,
    profile: string | undefined,
    body: unknown,
  ): Promise<boolean> {
    const id = headers['mcp-session-id'];
    if (method !== 'POST' || typeof id !== 'string') return false;
    const session = this.#sessions.find(id, profile);
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
    const profile = this.#keys.open(request);
    if (!isLegacy) {
      await this.#follow(profile, parsedBody, web.signal, response);
      // Plugins may have taken their time.
      const answer = await this.#handler(this.#keys.open(request)).fetch(web, given);
      return sendResponse(response, answer, limits.slowMs, clock);
    }
    const id = web.headers.get('mcp-session-id');
    const session =
      id === null
        ? await this.#sessions.begin(asksForSession(parsedBody) ? profile : noSession())
        : this.#sessions.get(id, profile);
    await this.#sessions.use(session, async () => {
      const answer = await session.transport.handleRequest(web, given);
      await sendResponse(response, answer, limits.slowMs, clock);
    });
  }

  #handler(profile: string | undefined): McpHttpHandler {
    const known = this.#modern.get(profile);
    if (known !== undefined) return known;
    const handler = createMcpHandler(() => this.#room.connect(profile, '', true).server, {
      legacy: 'reject',
      maxRequestBodySize: this.#room.limits.bodyBytes,
      onerror: (error) => this.#room.failed(error),
    });
    this.#modern.set(profile, handler);
    return handler;
  }

  /** Who listens for news of resources is told what plugins tell, for as long. */
  async #follow(
    profile: string | undefined,
    body: unknown,
    { aborted: isGone }: AbortSignal,
    response: ServerResponse,
  ): Promise<void> {
    const uris = listenedTo(body);
    if (uris.length === 0 || isGone) return;
    const connection = this.#room.listener(profile);
    connection.onUpdated = (uri) => this.#handler(profile).notify.resourceUpdated(uri);
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

const LISTENED_MAX = 100;

function listenedTo(body: unknown): readonly string[] {
  if (!isJsonObject(body) || body['method'] !== 'subscriptions/listen') return [];
  const { params } = body;
  const wanted = isJsonObject(params) ? params['notifications'] : undefined;
  const uris = isJsonObject(wanted) ? wanted['resourceSubscriptions'] : undefined;
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string').slice(0, LISTENED_MAX) : [];
}
