// Clients of before 2026 over HTTP: each has a session, until it ends it or has been idle for too long.
import { randomUUID } from 'node:crypto';
import { accessKey, accountOf, type Access } from '../connection.ts';
import type { Connected, Serving } from '../serving.ts';
import { HttpServerLink } from '../../../dialect/mcp/http-server-link.ts';
import { Refusal } from './keys.ts';

export interface Session extends Connected {
  readonly access: Access;
  /** What it is counted by. */
  readonly account: string;
  readonly id: string;
  readonly link: HttpServerLink;
  /** Requests that are being answered, streams included. */
  open: number;
  usedAt: number;
}

export class Sessions {
  readonly #serving: Serving;
  readonly #sessions = new Map<string, Session>();
  #callOff: (() => void) | undefined;

  constructor(serving: Serving) {
    this.#serving = serving;
  }

  get all(): Iterable<Session> {
    return this.#sessions.values();
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** @throws Refusal 503 when there are too many, of all or of this profile */
  begin(access: Access): Session {
    this.#makeRoom(access);
    const id = randomUUID();
    const link = new HttpServerLink();
    const connected = this.#serving.connect(access, id, link);
    const account = accountOf(access);
    const session = { ...connected, access, account, id, link, open: 0, usedAt: this.#serving.clock.now() };
    this.#sessions.set(id, session);
    this.#watch();
    return session;
  }

  /** @throws Refusal 404 when there is none, or it is that of another token or profile */
  get(id: string, access: Access): Session {
    const session = this.find(id, access);
    if (session === undefined)
      throw new Refusal(404, 'Session not found. Begin a new one with initialize.', { code: -32_001 });
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
      session.usedAt = this.#serving.clock.now();
      // Its handshake failed.
      if (!session.server.isInitialized) this.end(session);
    }
  }

  end(session: Session): void {
    this.#sessions.delete(session.id);
    session.close();
  }

  close(): void {
    this.#callOff?.();
    for (const session of this.all) this.end(session);
  }

  /** A client with a token of a profile cannot displace the owner, nor another profile that has fewer sessions. */
  #makeRoom(access: Access): void {
    // Half of all sessions can be those of one profile.
    const { sessions: most } = this.#serving.limits;
    const account = accountOf(access);
    const isOfProfile = access.profile !== undefined && access.isProfileChosen !== true;
    const counts = new Map<string, number>();
    const countOf = (one: Pick<Session, 'account'>) => counts.get(one.account) ?? 0;
    for (const one of this.all) counts.set(one.account, countOf(one) + 1);
    const own = countOf({ account });
    const share = isOfProfile ? Math.max(1, Math.floor(most / 2)) : most;
    if (own < share && this.#sessions.size < most) return;
    // Of the account with most sessions, the one that has been idle for longest is ended.
    const [idle] = [...this.all]
      .filter((one) => one.account === account || (own < share && countOf(one) > own))
      .filter((one) => isIdle(one))
      .sort((one, other) => countOf(other) - countOf(one) || one.usedAt - other.usedAt);
    if (idle !== undefined) return this.end(idle);
    const reason =
      isOfProfile && own >= share
        ? `${share} clients of this profile are connected already.`
        : `${most} clients are connected already.`;
    throw new Refusal(503, reason, { headers: { 'retry-after': '10' } });
  }

  #watch(): void {
    const { clock, limits } = this.#serving;
    const { sessionIdleMs: idleMs } = limits;
    this.#callOff ??= clock.after(idleMs / 2, () => {
      this.#callOff = undefined;
      const now = clock.now();
      for (const session of this.#sessions.values())
        if (isIdle(session) && now - session.usedAt >= idleMs) this.end(session);
      if (this.#sessions.size > 0) this.#watch();
    });
  }
}

function isIdle({ open, connection }: Session): boolean {
  return open === 0 && connection.calls.size === 0;
}
