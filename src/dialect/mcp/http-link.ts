// Streamable HTTP as a link: each message is a POST, answered by JSON or by a stream of events that is resumed where it breaks off.
import type { Clock } from '../../base/clock.ts';
import { deferred, within } from '../../base/async.ts';
import { PluglotError, toError } from '../../base/error.ts';
import { eventsIn } from '../../base/sse.ts';
import { isJsonObject } from '../../base/json.ts';
import { sentence } from '../../base/text.ts';
import type { Ending } from '../../channel/bytes/pipe.ts';
import { textOf } from '../../channel/frame/body.ts';
import type { Link, LinkListener } from '../../channel/link/link.ts';
import { messageDecoder } from '../../channel/message/decode.ts';
import { messageEncoder } from '../../channel/message/encode.ts';
import type { Id, Message, Received } from '../../channel/message/message.ts';
import { tolerant } from '../../channel/message/tolerances.ts';
import { HttpError, readHttpError } from './errors.ts';
import { statelessHeaders, type HeaderSource } from './http-headers.ts';
import { methods, notifications } from './schema.ts';
import { versionIn } from './stateless.ts';

export interface HttpLinkOptions {
  readonly pluginName: string;
  readonly url: URL;
  /** Sent with each request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  /** What broke without failing a request, such as the stream for what the server sends by itself. */
  readonly onTrouble: (where: string, error: Error) => void;
}

/** As the official client has it. */
const FIRST_DELAY_MS = 1000;
const DELAY_FACTOR = 1.5;
const ATTEMPTS_MAX = 2;
/** How long a server may take to accept a notification or an answer. */
const NOTIFICATION_MS = 30_000;

/** One HTTP request that is open, or a stream that is to be opened again. */
interface Stream {
  /** Of the request that it answers; undefined where it answers none. */
  readonly id?: Id;
  readonly controller: AbortController;
  /** `answered`: it is read to its end, so that the connection can be used again. */
  state: 'open' | 'answered' | 'over';
  lastEventId?: string;
}

export class HttpLink implements Link {
  readonly hasRoom = true;
  readonly isFull = false;
  /** Further headers of a request of 2026-07-28. */
  headersOf: HeaderSource = () => ({});
  readonly #options: HttpLinkOptions;
  readonly #encode = messageEncoder();
  readonly #decode = messageDecoder(tolerant);
  readonly #streams = new Set<Stream>();
  readonly #requests = new Map<Id, Stream>();
  readonly #timers = new Set<() => void>();
  readonly #ended = deferred<void>();
  #listener: LinkListener | undefined;
  #ending: Ending | undefined;
  #session: string | undefined;
  #version: string | undefined;
  #retryMs: number | undefined;

  constructor(options: HttpLinkOptions) {
    this.#options = options;
  }

  /** Sent as a header from now on, where a message does not say its version itself. */
  useVersion(version: string): void {
    this.#version = version;
  }

  open(listener: LinkListener): void {
    this.#listener = listener;
  }

  send(message: Message): boolean {
    if (this.#ending !== undefined)
      throw new PluglotError('PIPE_ENDED', `The connection to plugin "${this.#options.pluginName}" is over.`);
    const body = textOf(this.#encode(message));
    if (message.kind === 'notification' && message.method === notifications.cancelled) {
      this.#cancel(message.params);
      // From 2026-07-28 on there is no session, and the end of its connection is what cancels a request.
      if (this.#version === undefined) return true;
    }
    void this.#post(message, body);
    return true;
  }

  /** Notifies the server that the session is over. Never rejects. */
  async endSession(limitMs: number): Promise<void> {
    if (this.#session === undefined || this.#ending !== undefined) return;
    const stream = this.#stream();
    // A server may refuse it; the session is over either way.
    const deleted = this.#fetch('DELETE', stream, {})
      .then((response) => response.body?.cancel())
      .catch(() => {});
    await within(deleted, limitMs, this.#options.clock);
    this.#release(stream);
  }

  destroy(ending: Ending = { kind: 'closed' }): void {
    if (this.#ending !== undefined) return;
    this.#ending = ending;
    for (const stream of this.#streams) stream.controller.abort();
    for (const callOff of this.#timers) callOff();
    this.#streams.clear();
    this.#requests.clear();
    this.#ended.resolve();
    this.#listener?.end(ending);
  }

  pause(): void {}

  resume(): void {}

  async drained(): Promise<void> {}

  unwritable(): Promise<void> {
    return this.#ended.promise;
  }

  async finish(): Promise<void> {}

  async #post(message: Message, body: string): Promise<void> {
    const stream = this.#stream(message.kind === 'request' ? message.id : undefined);
    const callOff =
      stream.id === undefined
        ? this.#after(NOTIFICATION_MS, () => stream.controller.abort())
        : () => undefined;
    const method = 'method' in message ? message.method : undefined;
    try {
      const response = await this.#fetch('POST', stream, this.#headersFor(message), body);
      if (method === methods.initialize && response.ok)
        this.#session = response.headers.get('mcp-session-id') ?? undefined;
      if (!response.ok) await this.#refused(response, message, stream);
      else if (stream.id !== undefined) await this.#readAnswer(response, stream);
      else {
        await response.body?.cancel();
        if (method === notifications.initialized && response.status === 202) void this.#listen();
      }
    } catch (thrown) {
      this.#failed(stream, toError(thrown));
    } finally {
      callOff();
      if (stream.id === undefined) this.#release(stream);
    }
  }

  #headersFor(message: Message): Record<string, string> {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const version = message.kind === 'request' ? versionIn(message.params) : undefined;
    if (message.kind !== 'request' || version === undefined)
      return 'method' in message && message.method === methods.initialize
        ? headers
        : { ...headers, ...this.#sessionHeaders() };
    const { method, params } = message;
    return { ...headers, ...statelessHeaders(version, method, params), ...this.headersOf(method, params) };
  }

  #sessionHeaders(): Record<string, string> {
    return {
      ...(this.#session !== undefined && { 'mcp-session-id': this.#session }),
      ...(this.#version !== undefined && { 'mcp-protocol-version': this.#version }),
    };
  }

  #fetch(
    method: string,
    { controller: { signal } }: Stream,
    headers: Record<string, string>,
    body?: string,
  ): Promise<Response> {
    const { fetch, url, headers: configured } = this.#options;
    return fetch(url, {
      method,
      headers: {
        ...configured,
        ...(method === 'POST' ? headers : { ...this.#sessionHeaders(), ...headers }),
      },
      signal,
      ...(body !== undefined && { body }),
    });
  }

  /** From 2026-07-28 on a refusal is the answer of JSON-RPC, whatever its status. */
  async #refused(response: Response, message: Message, stream: Stream): Promise<void> {
    const error = await readHttpError(response);
    const isStateless = message.kind === 'request' && versionIn(message.params) !== undefined;
    if (isStateless && error.isAnswerTo(message.id)) return this.#deliver(error.text);
    this.#failed(stream, error);
  }

  async #readAnswer(response: Response, stream: Stream): Promise<void> {
    const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
    // Its answer comes over another stream.
    if (response.status === 202) return response.body?.cancel();
    if (type === 'text/event-stream') return this.#readStream(response, stream);
    if (type !== 'application/json') {
      await response.body?.cancel();
      throw new PluglotError(
        'PROTOCOL_VIOLATION',
        `Plugin "${this.#options.pluginName}" does not keep to MCP: it answered with the content type ${JSON.stringify(type)}.`,
      );
    }
    this.#deliver(await response.text());
    this.#checkAnswered(stream);
  }

  /** The stream for what a server sends by itself. One that has none refuses it. */
  async #listen(): Promise<void> {
    await this.#resume(this.#stream(), 0);
  }

  async #resume(stream: Stream, attempt: number): Promise<void> {
    const { lastEventId } = stream;
    const resuming: Record<string, string> = { accept: 'text/event-stream' };
    if (lastEventId !== undefined) resuming['last-event-id'] = lastEventId;
    try {
      const response = await this.#fetch('GET', stream, resuming);
      if (response.ok) return await this.#readStream(response, stream);
      const error = await readHttpError(response);
      if (error.status === 405) return this.#checkAnswered(stream);
      throw error;
    } catch (thrown) {
      const error = toError(thrown);
      if (this.#isOver(stream) || this.#endBy(error)) return this.#failed(stream, error);
      if (lastEventId !== undefined) return this.#resumeLater(stream, attempt + 1, error);
      this.#release(stream);
    }
  }

  async #readStream(response: Response, stream: Stream): Promise<void> {
    let broken: Error | undefined;
    try {
      for await (const { id, name, data, retryMs } of eventsIn(response.body ?? noBytes())) {
        this.#retryMs = retryMs ?? this.#retryMs;
        if (id !== undefined && id !== '') stream.lastEventId = id;
        if (data !== '' && name === 'message') this.#deliver(data);
      }
    } catch (thrown) {
      broken = toError(thrown);
    }
    if (this.#isOver(stream)) return this.#release(stream);
    const isOversize = broken instanceof PluglotError && stream.id !== undefined;
    if (!isOversize && (stream.id === undefined || stream.lastEventId !== undefined))
      this.#resumeLater(stream, 0, broken);
    else if (broken === undefined) this.#checkAnswered(stream);
    else this.#failed(stream, broken);
  }

  #resumeLater(stream: Stream, attempt: number, error: Error | undefined): void {
    if (attempt < ATTEMPTS_MAX) {
      const delayMs = this.#retryMs ?? FIRST_DELAY_MS * DELAY_FACTOR ** attempt;
      this.#after(delayMs, () => {
        if (!this.#isOver(stream)) void this.#resume(stream, attempt);
      });
    } else if (stream.id !== undefined) this.#checkAnswered(stream);
    else {
      this.#release(stream);
      this.#options.onTrouble(
        'the stream for what the server sends by itself',
        error ?? new Error('It ended.'),
      );
    }
  }

  #deliver(text: string): void {
    const listener = this.#listener;
    if (listener === undefined || this.#ending !== undefined) return;
    const received = this.#decode(text, 0, text.length);
    for (const id of answeredIn(received)) {
      const stream = this.#requests.get(id);
      if (stream !== undefined) stream.state = 'answered';
      this.#requests.delete(id);
    }
    listener.chunkStart(text.length);
    listener.message(received);
  }

  #checkAnswered(stream: Stream): void {
    if (this.#isOver(stream)) return this.#release(stream);
    const message = `Plugin "${this.#options.pluginName}" ended its answer before the result came.`;
    this.#failed(stream, new PluglotError('UNAVAILABLE', message));
  }

  /** Fails the request; some failures mean that all others will fail too. */
  #failed(stream: Stream, error: Error): void {
    if (this.#isOver(stream)) return this.#release(stream);
    const end = this.#endBy(error);
    this.#release(stream);
    if (stream.id !== undefined) this.#listener?.failed?.(stream.id, end ?? error);
    if (end !== undefined) this.destroy({ kind: 'failed', error: end });
  }

  /** A session that the server has forgotten, or a server that is not there: a new connection is needed. */
  #endBy(error: Error): PluglotError | undefined {
    const who = `Plugin "${this.#options.pluginName}"`;
    if (error instanceof HttpError && error.status === 404 && this.#session !== undefined)
      return new PluglotError('PIPE_ENDED', `${who} has ended the session; a new one has to be opened.`);
    const code = codeOf(error.cause) ?? codeOf(error);
    if (code === undefined || !UNREACHABLE.has(code)) return undefined;
    const reason = error.cause instanceof Error ? error.cause.message || code : error.message;
    return new PluglotError('PIPE_ENDED', `${who} cannot be reached: ${sentence(reason)}`, { cause: error });
  }

  #cancel(params: unknown): void {
    const id = isJsonObject(params) ? params['requestId'] : undefined;
    const stream = typeof id === 'number' || typeof id === 'string' ? this.#requests.get(id) : undefined;
    if (stream === undefined) return;
    this.#release(stream);
    stream.controller.abort();
  }

  #stream(id?: Id): Stream {
    const stream: Stream = {
      ...(id !== undefined && { id }),
      controller: new AbortController(),
      state: 'open',
    };
    this.#streams.add(stream);
    if (id !== undefined) this.#requests.set(id, stream);
    return stream;
  }

  #isOver(stream: Stream): boolean {
    return this.#ending !== undefined || stream.state !== 'open';
  }

  #release(stream: Stream): void {
    stream.state = 'over';
    this.#streams.delete(stream);
    if (stream.id !== undefined) this.#requests.delete(stream.id);
  }

  #after(delayMs: number, run: () => void): () => void {
    const callOff = () => {
      this.#timers.delete(callOff);
      cancel();
    };
    const cancel = this.#options.clock.after(delayMs, () => {
      this.#timers.delete(callOff);
      run();
    });
    this.#timers.add(callOff);
    return callOff;
  }
}

const UNREACHABLE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
]);

function codeOf(value: unknown): string | undefined {
  return value instanceof Error && 'code' in value && typeof value.code === 'string' ? value.code : undefined;
}

/** Which requests of ours it answers. */
function answeredIn(received: Received): readonly Id[] {
  const items = received.kind === 'batch' ? received.items : [received];
  return items.flatMap((item) => (item.kind === 'request' || item.kind === 'notification' ? [] : [item.id]));
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}
