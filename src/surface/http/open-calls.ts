// Calls that clients wait for, by their ids. A client that goes away takes its call with it.
import { isOwner, type Caller } from '../../definition/caller.ts';
import type { Call } from '../../fleet/plugin/call.ts';
import type { Exchange } from './exchange.ts';
import { HttpProblem } from './problem.ts';

/** A call that takes longer is named to its client before its end, so that it can be cancelled. */
const NAME_MS = 50;

export class OpenCalls {
  readonly #max: number;
  readonly #open = new Map<string, { readonly call: Call; readonly caller: Caller }>();

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#open.size;
  }

  /** @throws HttpProblem 429 */
  checkRoom(): void {
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
    const open = this.#open.get(id);
    if (open === undefined || !isTheirs(caller, open.caller)) return false;
    open.call.cancel('The client cancelled the call.');
    return true;
  }

  cancelAll(reason: string): void {
    for (const { call } of this.#open.values()) call.cancel(reason);
  }

  /** Resolves when none is under way. */
  async settled(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ call }) => call.outcome));
  }

  /** What the call says and how it ends, in the form that the client asked for. `more` goes with the outcome. */
  async answer(exchange: Exchange, call: Call, opening?: { readonly talk: string }): Promise<void> {
    const { response, clock } = exchange;
    const { id } = call;
    this.#open.set(id, { call, caller: exchange.caller });
    const leave = () => call.cancel('The client went away.');
    response.once('close', leave);
    response.setHeader('x-pluglot-call', id);
    try {
      if (response.destroyed) leave();
      if (exchange.wantsEvents) await stream(exchange, call, opening);
      else {
        const callOff = clock.after(NAME_MS, () => {
          response.writeHead(200, {
            'content-type': 'application/json; charset=utf-8',
            'cache-control': 'no-store',
          });
          response.flushHeaders();
        });
        const outcome = { ...(await call.outcome), id };
        callOff();
        if (!response.destroyed) exchange.json(opening === undefined ? outcome : { ...opening, outcome });
      }
    } finally {
      response.off('close', leave);
      this.#open.delete(id);
    }
  }
}

/** Clients have what their own token began. */
export function isTheirs(caller: Caller, owner: Caller): boolean {
  return isOwner(caller) || (caller.kind === owner.kind && caller.access === owner.access);
}

async function stream(
  exchange: Exchange,
  call: Call,
  opening: { readonly talk: string } | undefined,
): Promise<void> {
  const events = exchange.events();
  if (opening !== undefined) await events.send('talk', opening);
  for await (const event of call) await events.send(event.kind, event);
  await events.send('outcome', { ...(await call.outcome), id: call.id });
  events.end();
}
