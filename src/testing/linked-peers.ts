// Two peers in one process, over real bytes and a real framing.
import { linkedPipes } from '../channel/bytes/stream-pipe.ts';
import type { Framing } from '../channel/frame/framing.ts';
import { lines } from '../channel/frame/lines.ts';
import { framedLink, type LinkOptions } from '../channel/link/framed-link.ts';
import type { PeerOptions } from '../channel/peer/options.ts';
import { Peer } from '../channel/peer/peer.ts';

export interface LinkedPeersOptions extends LinkOptions {
  /**
   * How messages are cut out of the bytes.
   * @default lines()
   */
  readonly framing?: Framing;
  readonly host?: PeerOptions;
  readonly plugin?: PeerOptions;
}

export interface LinkedPeers {
  readonly host: Peer;
  readonly plugin: Peer;
  /** Closes both ends; what is under way is aborted. */
  readonly close: () => Promise<void>;
}

export function linkedPeers({ framing = lines(), ...options }: LinkedPeersOptions = {}): LinkedPeers {
  const [hostPipe, pluginPipe] = linkedPipes();
  const host = new Peer(framedLink(hostPipe, framing, options), { name: 'the plugin', ...options.host });
  const plugin = new Peer(framedLink(pluginPipe, framing, options), { name: 'the host', ...options.plugin });
  return {
    host,
    plugin,
    close: async () => {
      await Promise.all([host.close({ pending: 'abort' }), plugin.close({ pending: 'abort' })]);
    },
  };
}
