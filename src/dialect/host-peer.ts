// The peer of an author end: JSON-RPC to the letter unless its dialect is known for other ways, so that a host that says something else hears of it.
import type { Pipe } from '../channel/bytes/pipe.ts';
import type { Framing } from '../channel/frame/framing.ts';
import { framedLink, type LinkOptions } from '../channel/link/framed-link.ts';
import type { PeerOptions } from '../channel/peer/options.ts';
import { Peer } from '../channel/peer/peer.ts';
import type { AuthorServices } from './author-dialect.ts';

export function hostPeer(
  pipe: Pipe,
  framing: Framing,
  services: AuthorServices,
  options: Pick<PeerOptions, 'handling' | 'cancel' | 'onTrouble'> & LinkOptions = {},
): Peer {
  const peer = new Peer(framedLink(pipe, framing, options), {
    name: 'the host',
    clock: services.clock,
    ...options,
  });
  if (services.observer !== undefined) peer.observe(services.observer);
  return peer;
}
