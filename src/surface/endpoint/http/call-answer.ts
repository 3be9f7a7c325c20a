// The answer to one call of a tool: JSON where it is all there is to say, else a stream of events that ends with it.
import type { ServerResponse } from 'node:http';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Clock } from '../../../base/clock.ts';

export interface CallAnswerParts {
  readonly response: ServerResponse;
  readonly sessionId: string;
  /** How long the client may leave unread what it is sent. */
  readonly slowMs: number;
  readonly clock: Clock;
}

/** Who waits longer hears that somebody works on it: clients give up on silence. */
const EVENTS_AFTER_MS = 1000;
const ALIVE_EVERY_MS = 15_000;

export class CallAnswer {
  /** Resolves when the connection has been served. */
  readonly over: Promise<void>;
  readonly #parts: CallAnswerParts;
  #isAnswered = false;
  #isGivenUp = false;
  #whenGivenUp: (() => void) | undefined;
  #callOffAlive: () => void;
  #callOffSlow: (() => void) | undefined;
  /** While the client has more to read than it should. */
  #drained: Promise<void> | undefined;

  constructor(parts: CallAnswerParts) {
    this.#parts = parts;
    const { response, clock } = parts;
    this.#callOffAlive = clock.after(EVENTS_AFTER_MS, () => this.#stayAlive());
    this.over = new Promise((resolve) => {
      const close = () => {
        this.#callOffAlive();
        this.#callOffSlow?.();
        if (!this.#isAnswered) this.#tellGivenUp();
        resolve();
      };
      if (response.destroyed) close();
      else response.once('close', close);
    });
  }

  /** Calls when nobody waits for the answer any more, at once where that is so already; one at a time. The returned function ends that. */
  whenGivenUp(listener: () => void): () => void {
    this.#whenGivenUp = listener;
    if (this.#isGivenUp) listener();
    return () => {
      this.#whenGivenUp = undefined;
    };
  }

  /** Something before the answer. Resolves when the client has read it; undefined: more may be sent at once. */
  tell(message: JSONRPCMessage): Promise<void> | undefined {
    this.#write(eventOf(message));
    return this.#drained;
  }

  end(message: JSONRPCMessage): void {
    const { response, sessionId } = this.#parts;
    this.#isAnswered = true;
    this.#callOffAlive();
    if (response.destroyed || response.writableEnded) return;
    if (response.headersSent) response.end(eventOf(message));
    else {
      // As text it leaves with the head, in one write.
      const body = JSON.stringify(message);
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'mcp-session-id': sessionId,
      });
      response.end(body);
    }
    if (response.writableLength > 0) this.#watchSlow();
  }

  /** Nobody will answer it. */
  giveUp(): void {
    const { response } = this.#parts;
    this.#tellGivenUp();
    if (response.destroyed || response.writableEnded) return;
    this.#beEvents();
    response.end();
  }

  #tellGivenUp(): void {
    if (this.#isGivenUp) return;
    this.#isGivenUp = true;
    this.#whenGivenUp?.();
  }

  #stayAlive(): void {
    this.#write(': keepalive\n\n');
    this.#callOffAlive = this.#parts.clock.after(ALIVE_EVERY_MS, () => this.#stayAlive());
  }

  #write(text: string): void {
    const { response } = this.#parts;
    if (response.destroyed || response.writableEnded) return;
    this.#beEvents();
    if (response.write(text) || this.#drained !== undefined) return;
    this.#watchSlow();
    this.#drained = new Promise((resolve) => {
      const goOn = () => {
        this.#drained = undefined;
        this.#callOffSlow?.();
        this.#callOffSlow = undefined;
        resolve();
      };
      response.once('drain', goOn);
      void this.over.then(goOn);
    });
  }

  #beEvents(): void {
    const { response, sessionId } = this.#parts;
    if (response.headersSent) return;
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'mcp-session-id': sessionId,
    });
  }

  #watchSlow(): void {
    const { response, slowMs, clock } = this.#parts;
    this.#callOffSlow ??= clock.after(slowMs, () => response.destroy());
  }
}

/** JSON has no line breaks of its own. */
export function eventOf(message: JSONRPCMessage): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}
