// Notifications to the host that nobody waits for. While it does not read, they are left out and counted: nothing may pile up.
import { PluglotError } from '../base/error.ts';
import type { Peer } from '../channel/peer/peer.ts';

export interface Notice {
  readonly method: string;
  readonly params: unknown;
}

export class Notices {
  readonly #peer: Pick<Peer, 'notify'>;
  readonly #tellOfLost: (count: number) => Notice;
  #lost = 0;

  constructor(peer: Pick<Peer, 'notify'>, tellOfLost: (count: number) => Notice) {
    this.#peer = peer;
    this.#tellOfLost = tellOfLost;
  }

  /** @throws PluglotError FRAME_TOO_LARGE or UNENCODABLE */
  send(notice: Notice): void {
    if (this.#lost > 0 && this.#sent(this.#tellOfLost(this.#lost))) this.#lost = 0;
    if (!this.#sent(notice)) this.#lost += 1;
  }

  #sent({ method, params }: Notice): boolean {
    try {
      this.#peer.notify(method, params);
      return true;
    } catch (error) {
      if (!(error instanceof PluglotError) || !cannotBeHeard.has(error.code)) throw error;
      return false;
    }
  }
}

const cannotBeHeard: ReadonlySet<string> = new Set(['PIPE_FULL', 'PIPE_ENDED']);
