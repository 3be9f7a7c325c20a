// Streamable HTTP as the link of a server: messages come with POSTs, each answer goes back with the POST that asked, and what belongs to
// no request over the stream that the client has opened with a GET.
import type { ServerResponse } from 'node:http';
import { deferred } from '../../base/async.ts';
import type { Clock } from '../../base/clock.ts';
import { PluglotError, toError } from '../../base/error.ts';
import { isJsonObject } from '../../base/json.ts';
import type { Ending } from '../../channel/bytes/pipe.ts';
import { textOf } from '../../channel/frame/body.ts';
import type { Link, LinkListener } from '../../channel/link/link.ts';
import { messageEncoder } from '../../channel/message/encode.ts';
import type { Id, Message, Single } from '../../channel/message/message.ts';
import { standardErrors } from '../../channel/message/rpc-error.ts';
import { notifications } from './schema.ts';

export class HttpServerLink implements Link {
  readonly hasRoom = true;
  readonly isFull = false;
  readonly #encode = messageEncoder();
  readonly #replies = new Map<Id, HttpReply>();
  /** What was to be sent before the client listened, each once. */
  readonly #unsent = new Map<string, string>();
  readonly #ended = deferred<void>();
  readonly #isStateless: boolean;
  #stream: HttpReply | undefined;
  #listener: LinkListener | undefined;
  #isEnded = false;

  /** @param isStateless for one request of 2026-07-28 */
  constructor(isStateless = false) {
    this.#isStateless = isStateless;
  }

  open(listener: LinkListener): void {
    this.#listener = listener;
  }

  /** Whether a request of this id waits for its answer. */
  hasRequest(id: Id): boolean {
    return this.#replies.has(id);
  }

  /** Takes a message of the client. @param reply answers it, where it is a request */
  receive(message: Single, reply?: HttpReply): void {
    if (this.#isEnded) return reply?.giveUp();
    if (message.kind === 'request' && reply !== undefined) {
      const { id } = message;
      this.#replies.set(id, reply);
      reply.whenGivenUp(() => this.#cancel(id));
    }
    this.#listener?.chunkStart(0);
    this.#listener?.message(message);
    // A request that is cancelled gets no answer.
    if (message.kind === 'notification' && message.method === notifications.cancelled)
      this.#takeReply(cancelledIn(message.params))?.giveUp();
  }

  /** The client listens for what belongs to no request. False: it does so already. */
  listen(reply: HttpReply): boolean {
    if (this.#stream !== undefined) return false;
    this.#stream = reply;
    void reply.over.then(() => (this.#stream = undefined));
    reply.openStream();
    for (const json of this.#unsent.values()) reply.event(json);
    this.#unsent.clear();
    return true;
  }

  send(message: Message, about?: Id): boolean {
    if (this.#isEnded) throw new PluglotError('PIPE_ENDED', 'The client has gone.');
    if (message.kind === 'success' || message.kind === 'failure') {
      this.#takeReply(message.id)?.answer(this.#jsonOf(message), this.#statusOf(message));
      return true;
    }
    const reply = about === undefined ? this.#stream : this.#replies.get(about);
    const json = textOf(this.#encode(message));
    if (reply !== undefined) reply.event(json);
    else if (about === undefined) this.#keep(json);
    return reply?.drained === undefined;
  }

  async drained(about?: Id): Promise<void> {
    await (about === undefined ? this.#stream : this.#replies.get(about))?.drained;
  }

  pause(): void {}

  resume(): void {}

  unwritable(): Promise<void> {
    return this.#ended.promise;
  }

  async finish(): Promise<void> {}

  destroy(ending: Ending = { kind: 'closed' }): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    for (const reply of this.#replies.values()) reply.giveUp();
    this.#replies.clear();
    this.#stream?.giveUp();
    this.#ended.resolve();
    this.#listener?.end(ending);
  }

  /** A plugin can nest a result deeper than it can be written. */
  #jsonOf(message: Message & { readonly id: Id }): string {
    try {
      return textOf(this.#encode(message));
    } catch (thrown) {
      const { code } = standardErrors.internalError;
      const error = { code, message: `The result cannot be written as JSON: ${toError(thrown).message}` };
      return textOf(this.#encode({ kind: 'failure', id: message.id, error }));
    }
  }

  /** From 2026-07-28 on some errors are those of HTTP too. */
  #statusOf(message: Message): number {
    return (this.#isStateless && message.kind === 'failure' && statuses.get(message.error.code)) || 200;
  }

  #cancel(id: Id): void {
    if (this.#takeReply(id) === undefined) return;
    const params = { requestId: id };
    this.#listener?.message({ kind: 'notification', method: notifications.cancelled, params });
  }

  #takeReply(id: Id): HttpReply | undefined {
    const reply = this.#replies.get(id);
    this.#replies.delete(id);
    return reply;
  }

  /** Clients open the stream after the handshake, and some never do. */
  #keep(json: string): void {
    this.#unsent.set(json, json);
    const [oldest] = this.#unsent.keys();
    if (this.#unsent.size > UNSENT_MAX && oldest !== undefined) this.#unsent.delete(oldest);
  }
}

const UNSENT_MAX = 100;

/** An unknown method, and a client that cannot do what is needed. */
const statuses: ReadonlyMap<number, number> = new Map([
  [standardErrors.methodNotFound.code, 404],
  [-32021, 400],
]);

function cancelledIn(params: unknown): Id {
  const id = isJsonObject(params) ? params['requestId'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

export interface HttpReplyOptions {
  readonly response: ServerResponse;
  /** Sent with the head. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** How long the client may leave unread what it is sent. */
  readonly slowMs: number;
  readonly clock: Clock;
  /** How many answers it takes; several go out as events. @default 1 */
  readonly answers?: number;
  /** The client sent a batch, and gets one. @default false */
  readonly isBatch?: boolean;
}

/** Clients give up on silence: after that they get events that say nothing. */
const EVENTS_AFTER_MS = 1000;
const ALIVE_EVERY_MS = 15_000;

/** The answer to one HTTP request of a client: JSON where that is all there is to send, else a stream of events. */
export class HttpReply {
  /** Resolves when the connection has been served. */
  readonly over: Promise<void>;
  readonly #options: HttpReplyOptions;
  #missing: number;
  #isGivenUp = false;
  readonly #whenGivenUp: (() => void)[] = [];
  #callOffAlive: () => void;
  #callOffSlow: (() => void) | undefined;
  /** While the client has more to read than it should. */
  #drained: Promise<void> | undefined;

  constructor(options: HttpReplyOptions) {
    this.#options = options;
    this.#missing = options.answers ?? 1;
    const { response, clock } = options;
    this.#callOffAlive = clock.after(EVENTS_AFTER_MS, () => this.#stayAlive());
    this.over = new Promise((resolve) => {
      const close = () => {
        this.#callOffAlive();
        this.#callOffSlow?.();
        if (this.#missing > 0) this.#reportGivenUp();
        resolve();
      };
      if (response.destroyed) close();
      else response.once('close', close);
    });
  }

  /** The client does not wait any more. */
  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  /** Calls when the client does not wait for the answer any more, at once where that is so already. */
  whenGivenUp(listener: () => void): void {
    if (this.#isGivenUp) listener();
    else this.#whenGivenUp.push(listener);
  }

  /** Undefined: more may be sent at once. */
  get drained(): Promise<void> | undefined {
    return this.#drained;
  }

  /** Makes it a stream of events now. */
  openStream(): void {
    this.#sendEventsHead();
    this.#options.response.flushHeaders();
  }

  /** Something before the answer, as JSON. */
  event(json: string): void {
    this.#write(eventOf(json));
  }

  /** An answer, as JSON. @param status where nothing was sent yet */
  answer(json: string, status = 200): void {
    const { response, headers, answers = 1, isBatch = false } = this.#options;
    this.#missing -= 1;
    if (this.#missing > 0) return this.event(json);
    this.#callOffAlive();
    if (response.destroyed || response.writableEnded) return;
    if (answers > 1) this.#sendEventsHead();
    if (response.headersSent) response.end(eventOf(json));
    else {
      // As text it leaves with the head, in one write.
      const body = isBatch ? `[${json}]` : json;
      response.writeHead(status, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...headers(),
      });
      response.end(body);
    }
    if (response.writableLength > 0) this.#watchSlow();
  }

  /** There will be no further answer. */
  giveUp(): void {
    const { response } = this.#options;
    this.#missing -= 1;
    if (this.#missing > 0) return;
    this.#reportGivenUp();
    if (response.destroyed || response.writableEnded) return;
    this.#sendEventsHead();
    response.end();
  }

  #reportGivenUp(): void {
    if (this.#isGivenUp) return;
    this.#isGivenUp = true;
    for (const listener of this.#whenGivenUp) listener();
  }

  #stayAlive(): void {
    this.#write(': keepalive\n\n');
    this.#callOffAlive = this.#options.clock.after(ALIVE_EVERY_MS, () => this.#stayAlive());
  }

  #write(text: string): void {
    const { response } = this.#options;
    if (response.destroyed || response.writableEnded) return;
    this.#sendEventsHead();
    if (response.write(text) || this.#drained !== undefined) return;
    this.#watchSlow();
    this.#drained = new Promise((resolve) => {
      const resume = () => {
        this.#drained = undefined;
        this.#callOffSlow?.();
        this.#callOffSlow = undefined;
        resolve();
      };
      response.once('drain', resume);
      void this.over.then(resume);
    });
  }

  #sendEventsHead(): void {
    const { response, headers } = this.#options;
    if (response.headersSent) return;
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      ...headers(),
    });
  }

  #watchSlow(): void {
    const { response, slowMs, clock } = this.#options;
    this.#callOffSlow ??= clock.after(slowMs, () => response.destroy());
  }
}

/** JSON has no line breaks of its own. */
function eventOf(json: string): string {
  return `event: message\ndata: ${json}\n\n`;
}
