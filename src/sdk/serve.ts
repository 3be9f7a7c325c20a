// This program's own stdio as a wire to its host. The one file of the SDK that touches the process.
import { Console } from 'node:console';
import { fdPipe } from '../channel/bytes/stream-pipe.ts';
import type { Framing } from '../channel/frame/framing.ts';
import { lines } from '../channel/frame/lines.ts';
import { framedLink, type LinkOptions } from '../channel/link/framed-link.ts';
import type { PeerOptions } from '../channel/peer/options.ts';
import { Peer } from '../channel/peer/peer.ts';

export interface StdioOptions extends PeerOptions, LinkOptions {
  /**
   * How messages are cut out of the bytes.
   * @default lines()
   */
  readonly framing?: Framing;
  /**
   * How long this program may go on after its host is gone, to finish what it does. It ends earlier when nothing is left to do.
   * @default 10,000
   */
  readonly lingerMs?: number;
}

/**
 * A peer on stdin and stdout. From now on `console` and `process.stdout` print to stderr, since a stray print would be
 * noise between the messages. The program ends by itself when its host is gone.
 */
export function openStdio({ framing = lines(), lingerMs = 10_000, ...options }: StdioOptions = {}): Peer {
  keepPrintsOffTheWire();
  const peer = new Peer(framedLink(fdPipe(0, 1), framing, options), { name: 'the host', ...options });
  void peer.ended.then((ending) => {
    if (ending.kind !== 'closed') endWithin(lingerMs);
  });
  return peer;
}

/** For good: after the wire, file descriptor 1 is closed. What writes to it by itself is not seen. */
function keepPrintsOffTheWire(): void {
  const { stdout, stderr } = process;
  Object.assign(console, new Console(stderr, stderr));
  stdout.write = stderr.write.bind(stderr);
}

/** Without a host there is nobody to work for: a timer or server of the author's must not keep an orphan alive. */
function endWithin(lingerMs: number): void {
  setTimeout(() => process.exit(), lingerMs).unref();
}
