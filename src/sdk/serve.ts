// This program's own stdio as a wire to its host. The one file of the SDK that touches the process.
import { Console } from 'node:console';
import { fdPipe } from '../channel/bytes/stream-pipe.ts';
import type { Framing } from '../channel/frame/framing.ts';
import { lines } from '../channel/frame/lines.ts';
import { framedLink, type LinkOptions } from '../channel/link/framed-link.ts';
import type { Link } from '../channel/link/link.ts';
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
 * A peer on stdin and stdout. While it is open, `console` and `process.stdout` print to stderr, since a stray print
 * would be noise between the messages. The program ends by itself when its host is gone.
 */
export function openStdio({ framing = lines(), lingerMs = 10_000, ...options }: StdioOptions = {}): Peer {
  const release = keepPrintsOffTheWire();
  const link = framedLink(fdPipe(0, 1), framing, options);
  const peer = new Peer(
    whenOver(link, () => endWithin(lingerMs)),
    { name: 'the host', ...options },
  );
  void peer.closed.then(release);
  return peer;
}

/** Redirects what prints to stdout, and gives the way back. What writes to file descriptor 1 by itself is not seen. */
function keepPrintsOffTheWire(): () => void {
  const { stdout, stderr } = process;
  const consoleBefore = { ...console };
  const writeBefore = Object.getOwnPropertyDescriptor(stdout, 'write');
  Object.assign(console, new Console(stderr, stderr));
  stdout.write = stderr.write.bind(stderr);
  return () => {
    Object.assign(console, consoleBefore);
    if (writeBefore) Object.defineProperty(stdout, 'write', writeBefore);
    else Reflect.deleteProperty(stdout, 'write');
  };
}

/** The same link, with a word when the other end is gone: unlike the peer's own end, that does not wait for running handlers. */
function whenOver(link: Link, tell: () => void): Link {
  const open: Link['open'] = (listener) =>
    link.open({
      message: (message) => listener.message(message),
      chunkStart: () => listener.chunkStart(),
      trouble: (trouble) => listener.trouble(trouble),
      end(ending) {
        if (ending.kind !== 'closed') tell();
        listener.end(ending);
      },
    });
  // Everything else is the link's own, through the prototype.
  return Object.assign(Object.create(link) as Link, { open });
}

/** Without a host there is nobody to work for: a timer or server of the author's must not keep an orphan alive. */
function endWithin(lingerMs: number): void {
  setTimeout(() => process.exit(), lingerMs).unref();
}
