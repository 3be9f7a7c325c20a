// One client on a pipe, of either era: lines of JSON, as MCP has it on stdio.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { deferred } from '../../base/deferred.ts';
import { isJsonObject } from '../../base/json.ts';
import type { Pipe } from '../../channel/bytes/pipe.ts';
import { lines } from '../../channel/frame/lines.ts';
import { framedLink } from '../../channel/link/framed-link.ts';
import type { Link, LinkListener, Trouble } from '../../channel/link/link.ts';
import type { Invalid, Received, Single } from '../../channel/message/message.ts';
import { standardErrors } from '../../channel/message/rpc-error.ts';
import { tolerant } from '../../channel/message/tolerances.ts';
import { OversizeBodies } from '../../channel/peer/oversize.ts';
import { RAISE } from '../http/read-body.ts';
import type { Connection } from './connection.ts';
import { CLOSING } from './options.ts';
import { ENDED, refusedArguments } from './params.ts';
import type { ServingRoom } from './serving-room.ts';

/** After the client has closed its side, what it asked is finished, as for `echo … | pluglot serve --stdio`. */
const LINGER_MS = 10_000;
const LEFT = `The input was closed, and this was not over ${LINGER_MS / 1000} s later.`;

export interface PipeSignals {
  /** The endpoint closes: what is under way gets its time. */
  readonly closing: AbortSignal;
  /** Somebody does not want to wait. */
  readonly interrupted: AbortSignal | undefined;
}

/** Resolves when the client has gone, or a signal fired. */
export async function serveOnPipe(
  room: ServingRoom,
  pipe: Pipe,
  { closing, interrupted }: PipeSignals,
): Promise<void> {
  const signal = interrupted === undefined ? closing : AbortSignal.any([closing, interrupted]);
  const over = deferred<void>();
  const made: Connection[] = [];
  const transport = new PipeTransport(pipe, room, () => over.resolve());
  const handle = serveStdio(
    ({ era }) => {
      const { server, connection } = room.connect({}, room.nextId(), era === 'modern');
      made.push(connection);
      return server;
    },
    { transport, onerror: (error) => room.failed(error) },
  );
  const stop = () => over.resolve();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  await over.promise;
  signal.removeEventListener('abort', stop);
  if (signal.aborted) {
    // Whoever interrupts does not wait for calls; whoever made them hears of it.
    const patienceMs = interrupted?.aborted === true ? 0 : room.limits.closeMs;
    await room.finish((connection) => made.includes(connection), CLOSING, patienceMs);
  }
  for (const connection of made) connection.close();
  await handle.close();
  transport.answerAll(signal.aborted ? CLOSING : LEFT);
  await pipe.finish();
}

class PipeTransport implements Transport, LinkListener {
  // Set by the package.
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  readonly #link: Link;
  readonly #room: ServingRoom;
  readonly #over: () => void;
  readonly #oversize = new OversizeBodies();
  /** Requests that are not answered yet. */
  readonly #asked = new Set<string | number>();
  #isEnded = false;
  #isClosed = false;

  constructor(pipe: Pipe, room: ServingRoom, over: () => void) {
    const { bodyBytes, json } = room.limits;
    this.#link = framedLink(pipe, lines({ receiveLimit: bodyBytes }), { tolerances: tolerant, limits: json });
    this.#room = room;
    this.#over = over;
  }

  async start(): Promise<void> {
    this.#link.open(this);
    void this.#link.unwritable().then(() => this.#close());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    // The package waits for it, so that who does not read slows down who speaks.
    if (!this.#link.hasRoom) await this.#link.drained();
    this.#link.send(channelMessage(message));
    if ('id' in message && !('method' in message) && message.id !== undefined) this.#asked.delete(message.id);
    this.#finishIfDone();
  }

  async close(): Promise<void> {
    this.#close();
  }

  /** Those that nobody else has answered. */
  answerAll(reason: string): void {
    for (const id of this.#asked)
      this.#answer({ kind: 'failure', id, error: { code: ENDED, message: reason } });
    this.#asked.clear();
  }

  chunkStart(): void {}

  message(received: Received): void {
    if (received.kind === 'batch') for (const item of received.items) this.#one(item);
    else this.#one(received);
  }

  trouble(trouble: Trouble): void {
    this.#room.failed(new Error(`A client sent what cannot be read (${trouble.kind}).`));
    const lost = this.#oversize.take(trouble);
    if (lost?.kind !== 'request') return;
    const { code, message } = standardErrors.invalidRequest;
    const why =
      (trouble.kind === 'oversize' ? trouble.excess : undefined) ??
      `It has ${lost.size} bytes, and the limit is ${this.#room.limits.bodyBytes}.`;
    const error = { code, message: `${message}: the message is too much for one request. ${why} ${RAISE}` };
    this.#answer({ kind: 'failure', id: lost.id, error });
  }

  end(): void {
    this.#isEnded = true;
    this.#room.clock.after(LINGER_MS, () => this.#close());
    this.#finishIfDone();
  }

  #one(message: Single | Invalid): void {
    switch (message.kind) {
      case 'request': {
        const { id, method, params } = message;
        if (id === null) return this.#answer({ kind: 'failure', id, error: standardErrors.invalidRequest });
        const error = refusedArguments(params);
        if (error !== undefined) return this.#answer({ kind: 'failure', id, error });
        this.#asked.add(id);
        return this.#deliver({ jsonrpc: '2.0', id, method, ...paramsOf(params) });
      }
      case 'notification':
        // Nobody answers what was given up.
        if (message.method === 'notifications/cancelled') this.#asked.delete(cancelledIn(message.params));
        return this.#deliver({ jsonrpc: '2.0', method: message.method, ...paramsOf(message.params) });
      case 'success':
        if (message.id !== null)
          this.#deliver({ jsonrpc: '2.0', id: message.id, result: message.result } as JSONRPCMessage); // the package looks at it
        return;
      case 'failure':
        if (message.id !== null) this.#deliver({ jsonrpc: '2.0', id: message.id, error: message.error });
        return;
      case 'invalid':
        if (message.as === 'request' || message.as === 'either')
          this.#answer({ kind: 'failure', id: message.id, error: standardErrors.invalidRequest });
    }
  }

  #deliver(message: JSONRPCMessage): void {
    try {
      this.onmessage?.(message);
    } catch (thrown) {
      this.onerror?.(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
  }

  #answer(message: Single): void {
    try {
      this.#link.send(message);
    } catch {
      // Nobody reads it any more.
    }
  }

  #finishIfDone(): void {
    if (this.#isEnded && this.#asked.size === 0) this.#close();
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
    this.#over();
  }
}

function channelMessage(message: JSONRPCMessage): Single {
  if ('method' in message) {
    const { method, params } = message;
    return 'id' in message
      ? { kind: 'request', id: message.id, method, params }
      : { kind: 'notification', method, params };
  }
  if ('error' in message) return { kind: 'failure', id: message.id ?? null, error: message.error };
  return { kind: 'success', id: message.id, result: message.result };
}

function cancelledIn(params: unknown): string | number {
  const id = isJsonObject(params) ? params['requestId'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : '';
}

/** MCP has no params but objects; the package refuses others. */
function paramsOf(params: unknown): { params?: Record<string, unknown> } {
  return params === undefined ? {} : { params: params as Record<string, unknown> };
}
