// Clients of before 2026 over HTTP: each has a session with a server of its own, until it says goodbye or is not heard of any more.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import { accessKey, accountOf, type Access } from '../connection.ts';
import type { Connected } from '../serving-room.ts';
import { Refusal } from './refusal.ts';
import { SessionTransport } from './session-transport.ts';

export interface SessionsOptions {
  readonly clock: Clock;
  /** Of all; half of it with tokens of one profile. */
  readonly most: number;
  readonly idleMs: number;
  /** A server for the client of this session. */
  connect(access: Access, id: string): Connected;
  failed(error: Error): void;
}

export class Session implements Connected {
  readonly access: Access;
  /** What it is counted by. */
  readonly account: string;
  readonly transport: SessionTransport;
  readonly server: Connected['server'];
  readonly connection: Connected['connection'];
  readonly desk: Connected['desk'];
  /** Requests that are being answered, streams included. */
  open = 0;
  usedAt: number;

  constructor(
    access: Access,
    transport: SessionTransport,
    { server, connection, desk }: Connected,
    now: number,
  ) {
    this.access = access;
    this.account = accountOf(access);
    this.transport = transport;
    this.server = server;
    this.connection = connection;
    this.desk = desk;
    this.usedAt = now;
  }
}

export class Sessions {
  readonly #options: SessionsOptions;
  readonly #sessions = new Map<string, Session>();
  #callOff: (() => void) | undefined;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  get all(): Iterable<Session> {
    return this.#sessions.values();
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** @throws Refusal 503 when there are too many, of all or of this profile */
  async begin(access: Access): Promise<Session> {
    const { clock } = this.#options;
    this.#makeRoom(access);
    const id = randomUUID();
    const transport = new SessionTransport(id, clock);
    const session = new Session(access, transport, this.#options.connect(access, id), clock.now());
    this.#sessions.set(id, session);
    transport.onclose = () => this.#forget(id, session);
    transport.onerror = (error) => this.#options.failed(error);
    await session.server.connect(transport);
    this.#watch();
    return session;
  }

  /** @throws Refusal 404 when there is none, or it is that of another token or profile */
  get(id: string, access: Access): Session {
    const session = this.find(id, access);
    if (session === undefined)
      throw new Refusal(404, 'Session not found. Say hello again: initialize.', {}, -32_001);
    return session;
  }

  find(id: string, access: Access): Session | undefined {
    const session = this.#sessions.get(id);
    return session !== undefined && accessKey(session.access) === accessKey(access) ? session : undefined;
  }

  async use(session: Session, work: () => Promise<void>): Promise<void> {
    session.open += 1;
    try {
      await work();
    } finally {
      session.open -= 1;
      session.usedAt = this.#options.clock.now();
      // Its hello was none.
      if (session.transport.sessionId === undefined) await this.end(session);
    }
  }

  async end(session: Session): Promise<void> {
    session.connection.close();
    await session.server.close();
  }

  async close(): Promise<void> {
    this.#callOff?.();
    await Promise.all([...this.#sessions.values()].map((session) => this.end(session)));
    this.#sessions.clear();
  }

  #forget(id: string, session: Session): void {
    session.connection.close();
    this.#sessions.delete(id);
  }

  /** Who has a token of a profile alone cannot push out the owner, nor another profile that has fewer. */
  #makeRoom(access: Access): void {
    const { most } = this.#options;
    const account = accountOf(access);
    const isOfProfile = access.profile !== undefined && access.isProfileChosen !== true;
    const counts = new Map<string, number>();
    const countOf = (one: Pick<Session, 'account'>) => counts.get(one.account) ?? 0;
    for (const one of this.all) counts.set(one.account, countOf(one) + 1);
    const own = countOf({ account });
    const share = isOfProfile ? Math.max(1, Math.floor(most / 2)) : most;
    if (own < share && this.#sessions.size < most) return;
    // Of whoever has most, who was not heard of for longest, and waits for nothing, goes.
    const [idle] = [...this.all]
      .filter((one) => one.account === account || (own < share && countOf(one) > own))
      .filter((one) => isIdle(one))
      .sort((one, other) => countOf(other) - countOf(one) || one.usedAt - other.usedAt);
    if (idle !== undefined) return this.#endLater(idle);
    const reason =
      isOfProfile && own >= share
        ? `${share} clients of this profile are connected already.`
        : `${most} clients are connected already.`;
    throw new Refusal(503, reason, { 'retry-after': '10' });
  }

  #watch(): void {
    const { clock, idleMs } = this.#options;
    this.#callOff ??= clock.after(idleMs / 2, () => {
      this.#callOff = undefined;
      const now = clock.now();
      for (const session of this.#sessions.values())
        if (isIdle(session) && now - session.usedAt >= idleMs) this.#endLater(session);
      if (this.#sessions.size > 0) this.#watch();
    });
  }

  #endLater(session: Session): void {
    this.end(session).catch((error: unknown) =>
      this.#options.failed(error instanceof Error ? error : new Error(String(error))),
    );
  }
}

function isIdle({ open, connection }: Session): boolean {
  return open === 0 && connection.calls.size === 0;
}
