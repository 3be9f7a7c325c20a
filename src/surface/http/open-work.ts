// What is under way for clients: calls, streams, and connections that end with their token.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isOwner, type Caller } from '../../definition/caller.ts';
import type { KeptRecord } from '../../fleet/plugin/logs/log-book.ts';
import type { ApiCall } from '../../runtime/api.ts';
import type { EventStream } from './event-stream.ts';
import type { Exchange } from './exchange.ts';
import { HttpProblem } from './problem.ts';

/** A call that takes longer is named to its client before its end, so that it can be cancelled. */
const NAME_MS = 50;

/** Calls that clients wait for. A client that goes away takes its call with it. */
export class OpenCalls {
  readonly #max: number;
  readonly #open = new Set<{ readonly call: ApiCall; readonly caller: Caller }>();

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#open.size;
  }

  /** @throws HttpProblem 429 */
  checkCapacity(): void {
    if (this.#open.size >= this.#max)
      throw new HttpProblem(
        429,
        'TOO_MANY_CALLS',
        `${this.#max} calls are under way already. Try again later.`,
        {
          'retry-after': '1',
        },
      );
  }

  /** Whether there was one of this caller; the user has all of them. */
  cancel(id: string, caller: Caller): boolean {
    for (const open of this.#open) {
      if (id === '' || open.call.id !== id || !isTheirs(caller, open.caller)) continue;
      open.call.cancel('The client cancelled the call.');
      return true;
    }
    return false;
  }

  cancelAll(reason: string): void {
    for (const { call } of this.#open) call.cancel(reason);
  }

  /** Resolves when none is under way. */
  async settled(): Promise<void> {
    await Promise.all([...this.#open].map(({ call }) => call.outcome));
  }

  /** Makes a call and answers with its events and outcome, in the form that the client asked for. */
  async answer(
    exchange: Exchange,
    make: (onLog: (entry: KeptRecord) => void) => ApiCall,
    opening?: { readonly talk: string },
  ): Promise<void> {
    const { response, clock } = exchange;
    let onLog: (entry: KeptRecord) => void = () => {};
    const call = make((entry) => onLog(entry));
    const open = { call, caller: exchange.caller };
    this.#open.add(open);
    const leave = () => call.cancel('The client went away.');
    response.once('close', leave);
    if (call.id !== '') response.setHeader('x-pluglot-call', call.id);
    try {
      if (response.destroyed) leave();
      if (exchange.wantsEvents) {
        const events = exchange.events();
        onLog = (entry) => void events.offer('plugin-log', entry);
        await stream(events, call, opening);
      } else {
        const callOff = clock.after(NAME_MS, () => {
          if (call.id !== '') response.setHeader('x-pluglot-call', call.id);
          response.writeHead(200, {
            'content-type': 'application/json; charset=utf-8',
            'cache-control': 'no-store',
          });
          response.flushHeaders();
        });
        const outcome = { ...(await call.outcome), id: call.id };
        callOff();
        if (!response.destroyed) exchange.json(opening === undefined ? outcome : { ...opening, outcome });
      }
    } finally {
      response.off('close', leave);
      this.#open.delete(open);
    }
  }
}

/** Clients that follow something without an end; their number is limited, since each holds a connection and memory. */
export class OpenStreams {
  readonly #max: number;
  readonly #open = new Map<ServerResponse, Promise<void>>();

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#open.size;
  }

  /** @throws HttpProblem 503 */
  async run(stream: ServerResponse, follow: () => Promise<void>): Promise<void> {
    if (this.#open.size >= this.#max)
      throw new HttpProblem(503, 'UNAVAILABLE', `${this.#max} clients follow events already.`, {
        'retry-after': '5',
      });
    const following = follow();
    this.#open.set(stream, following);
    try {
      await following;
    } finally {
      this.#open.delete(stream);
    }
  }

  endAll(): void {
    for (const stream of this.#open.keys()) stream.end();
  }

  /** Resolves when those that are open now are over. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#open.values());
  }
}

/** Connections by the token or cookie of their requests: they end when it is revoked. */
export class RevocableRequests {
  readonly #sockets = new Map<string, Set<Socket>>();

  /** Until its connection ends. */
  add(token: string, socket: Socket): void {
    const sockets = this.#sockets.get(token) ?? new Set<Socket>();
    if (sockets.has(socket)) return;
    this.#sockets.set(token, sockets.add(socket));
    socket.once('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0 && this.#sockets.get(token) === sockets) this.#sockets.delete(token);
    });
  }

  /** Without a message: the next request of the client gets the reason. */
  end(token: string): void {
    for (const socket of this.#sockets.get(token) ?? []) socket.destroy();
  }
}

/** A client has what its own token began; another token of the same name has another id. The user has all. */
export function isTheirs(caller: Caller, owner: Caller): boolean {
  return (
    isOwner(caller) ||
    (caller.kind === owner.kind && caller.access === owner.access && caller.accessId === owner.accessId)
  );
}

async function stream(
  events: EventStream,
  call: ApiCall,
  opening: { readonly talk: string } | undefined,
): Promise<void> {
  if (opening !== undefined) await events.send('talk', opening);
  const target = await call.target;
  if (target !== undefined) await events.send('target', { id: call.id, ...target });
  for await (const event of call) await events.send(event.kind, event);
  await events.send('outcome', { ...(await call.outcome), id: call.id });
  events.end();
}
