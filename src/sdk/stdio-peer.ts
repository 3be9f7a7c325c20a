// A peer on this program's own stdio, for those who speak JSON-RPC by themselves. Loaded when it is opened, since most authors serve a definition.
import { fdPipe } from '../channel/bytes/stream-pipe.ts';
import type { Framing } from '../channel/frame/framing.ts';
import { lines } from '../channel/frame/lines.ts';
import { framedLink, type LinkOptions } from '../channel/link/framed-link.ts';
import type { PeerOptions } from '../channel/peer/options.ts';
import { Peer } from '../channel/peer/peer.ts';

export interface StdioPeerOptions extends PeerOptions, LinkOptions {
  /**
   * How messages are cut out of the bytes: `lines()` or `lengthPrefix()` of `pluglot/channel`.
   * @default lines()
   */
  readonly framing?: Framing;
}

export function stdioPeer({ framing = lines(), ...options }: StdioPeerOptions): Peer {
  return new Peer(framedLink(fdPipe(0, 1), framing, options), { name: 'the host', ...options });
}
