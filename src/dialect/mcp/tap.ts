// Between the official client and a line: notifications taken in wire order, answers checked, waits given up with their request.
import {
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  ProtocolError,
  type JSONRPCMessage,
  type RequestId,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { PluglotError, toError } from '../../base/error.ts';
import { isJsonObject } from '../../base/json.ts';
import { Listeners } from '../../channel/peer/listeners.ts';
import type { HostServices } from '../host-dialect.ts';
import { failureFor, messageOf, ownErrorIn, type Line } from './line.ts';
import { notifications } from './schema.ts';
import { StraightCalls, type StraightEnd } from './straight-calls.ts';

/** True when the notification was taken and the client need not see it. */
export type Notified = (method: string, params: unknown) => boolean;

/** A server that leaves a notification of ours unanswered holds a connection no longer than that. */
const NOTIFICATION_MS = 30_000;

export class Tap implements Transport {
  // Set by the client.
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;

  /** On a pipe alone. */
  readonly straight: StraightCalls;
  readonly #line: Line;
  readonly #transport: Transport;
  readonly #pluginName: string;
  readonly #notified: Notified;
  readonly #listeners: Listeners;
  /** Requests of ours that are under way; over HTTP with what ends their connection. */
  readonly #pending = new Map<RequestId, AbortController | undefined>();

  constructor(line: Line, pluginName: string, services: HostServices, notified: Notified) {
    this.#line = line;
    this.#transport = line.dial();
    this.straight = new StraightCalls((message) => this.#transport.send(message));
    this.#pluginName = pluginName;
    this.#notified = notified;
    this.#listeners = new Listeners((trouble) => services.trouble(trouble));
    // A pipe is observed where it is read: there, what is no message is seen as well.
    if (line.kind === 'http' && services.observer !== undefined) this.#listeners.observe(services.observer);
  }

  async start(): Promise<void> {
    this.#transport.onclose = () => {
      this.straight.end(new Error('Connection closed'));
      this.onclose?.();
    };
    this.#transport.onerror = (error) => {
      this.#line.failed(error);
      this.onerror?.(error);
    };
    this.#transport.onmessage = (message: JSONRPCMessage) => this.#receive(message);
    await this.#transport.start();
  }

  async send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    this.#listeners.observed('sent', messageOf(message));
    const isRequest = 'method' in message && 'id' in message;
    try {
      await this.#transport.send(message, this.#options(message, options));
    } catch (thrown) {
      if (isRequest) this.#pending.delete(message.id);
      this.#line.failed(thrown);
      throw thrown;
    }
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  get sessionId(): string | undefined {
    return this.#transport.sessionId;
  }

  get hasPerRequestStream(): boolean {
    return this.#transport.hasPerRequestStream === true;
  }

  setProtocolVersion(version: string): void {
    this.#transport.setProtocolVersion?.(version);
  }

  setSupportedProtocolVersions(versions: string[]): void {
    this.#transport.setSupportedProtocolVersions?.(versions);
  }

  /** Keeps book of what is under way, and sees that each connection ends with its request. */
  #options(message: JSONRPCMessage, options: TransportSendOptions): TransportSendOptions {
    if (!('method' in message)) return options;
    if (!('id' in message)) {
      if (message.method === notifications.cancelled) this.#giveUp(message.params?.['requestId']);
      return this.hasPerRequestStream
        ? { requestSignal: AbortSignal.timeout(NOTIFICATION_MS), ...definedIn(options) }
        : options;
    }
    const { id } = message;
    if (!this.hasPerRequestStream) {
      this.#pending.set(id, undefined);
      return options;
    }
    const controller = new AbortController();
    this.#pending.set(id, controller);
    options.requestSignal?.addEventListener('abort', () => this.#giveUp(id), { once: true });
    return {
      ...options,
      requestSignal: controller.signal,
      onRequestStreamEnd: () => {
        options.onRequestStreamEnd?.();
        this.#streamEnded(id);
      },
    };
  }

  #giveUp(id: unknown): void {
    if (typeof id !== 'number' && typeof id !== 'string') return;
    this.#pending.get(id)?.abort();
    this.#pending.delete(id);
  }

  /** The client itself would wait on. */
  #streamEnded(id: RequestId): void {
    if (!this.#pending.delete(id)) return;
    this.onmessage?.(
      failureFor(
        id,
        new PluglotError(
          'UNAVAILABLE',
          `Plugin "${this.#pluginName}" ended its answer before the result came.`,
        ),
      ),
    );
  }

  #receive(message: JSONRPCMessage): void {
    if (!('method' in message)) return this.#response(message);
    this.#listeners.observed('received', messageOf(message));
    if (!('id' in message)) {
      if (!this.#take(message.method, message.params)) this.onmessage?.(message);
    } else if (message.params === undefined || isJsonObject(message.params)) {
      this.onmessage?.(message);
    } else {
      // The client would not answer at all.
      const error = { code: -32602, message: 'Invalid params: MCP has them as an object' };
      this.send({ jsonrpc: '2.0', id: message.id, error }).catch((thrown: unknown) =>
        this.onerror?.(toError(thrown)),
      );
    }
  }

  #take(method: string, params: unknown): boolean {
    try {
      return this.#notified(method, params);
    } catch (thrown) {
      this.#listeners.threw(`the listener of "${method}"`, thrown);
      return true;
    }
  }

  /** An answer to nobody, late or doubled, is ignored, as MCP wants it after a cancellation. */
  #response(message: Response): void {
    const ended = this.straight.taken(message.id);
    if (ended !== undefined) return ended(this.#endIn(message));
    const isOurs = 'error' in message && ownErrorIn(message.error.data) !== undefined;
    if (!isOurs) this.#listeners.observed('received', messageOf(message));
    const id = this.#pendingId(message.id);
    if (id === undefined) return;
    this.#pending.delete(id);
    this.onmessage?.(isReadable(message) ? { ...message, id } : failureFor(id, this.#unreadable()));
  }

  #endIn(message: Response): StraightEnd {
    if (!isReadable(message)) return { error: this.#unreadable() };
    if (!('error' in message)) return { result: message.result };
    const { code, message: text, data } = message.error;
    return { error: ProtocolError.fromError(code, text, data) };
  }

  /** `"7"` answers our 7. */
  #pendingId(id: unknown): RequestId | undefined {
    if (typeof id !== 'number' && typeof id !== 'string') return undefined;
    if (this.#pending.has(id)) return id;
    const number = typeof id === 'string' && /^\d+$/.test(id) ? Number(id) : undefined;
    return number !== undefined && this.#pending.has(number) ? number : undefined;
  }

  #unreadable(): PluglotError {
    return new PluglotError(
      'INVALID_RESPONSE',
      `Plugin "${this.#pluginName}" answered with what MCP does not allow; expected an object for the result, or an error with an integer and a message.`,
    );
  }
}

type Response = Exclude<JSONRPCMessage, { method: string }>;

/** The client ignores answers that are not so and waits on. */
function isReadable(message: JSONRPCMessage): boolean {
  if (!('result' in message)) return isJSONRPCErrorResponse(message);
  if (!isJsonObject(message.result)) return false;
  return message.result['_meta'] === undefined || isJSONRPCResultResponse(message);
}

/** The client names options that it leaves undefined. */
function definedIn(options: TransportSendOptions): TransportSendOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
