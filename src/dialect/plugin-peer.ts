// The peer of a host end whose plugin speaks plain JSON-RPC: forgiving, since plugins print, and observed where somebody looks.
import type { Pipe } from '../channel/bytes/pipe.ts';
import type { Framing } from '../channel/frame/framing.ts';
import { framedLink } from '../channel/link/framed-link.ts';
import { tolerant } from '../channel/message/tolerances.ts';
import type { PeerTrouble } from '../channel/peer/options.ts';
import { Peer } from '../channel/peer/peer.ts';
import type { HostServices } from './host-dialect.ts';

export function pluginPeer(
  pipe: Pipe,
  framing: Framing,
  pluginName: string,
  services: HostServices,
  onTrouble: (trouble: PeerTrouble) => void = (trouble) => services.trouble(trouble),
): Peer {
  const peer = new Peer(framedLink(pipe, framing, { tolerances: tolerant }), {
    name: `plugin "${pluginName}"`,
    // What is no JSON-RPC is noise; plugins would take an answer for a message of the host.
    answerInvalid: false,
    clock: services.clock,
    onTrouble,
  });
  if (services.observer !== undefined) peer.observe(services.observer);
  return peer;
}

/** How long the last bytes may take on their way out. */
const CLOSE_MS = 500;

/** Fails what is under way with PEER_CLOSED and closes the pipe. */
export function closePeer(peer: Peer): void {
  void peer.close({ pending: 'abort', timeoutMs: CLOSE_MS });
}
