// The author's end of YAMS external plugins: what a plugin of ours is under the YAMS host, and under any other that speaks like it.
import { MiB } from '../../base/limits.ts';
import type { Pipe } from '../../channel/bytes/pipe.ts';
import { lines } from '../../channel/frame/lines.ts';
import type { Backend } from '../../definition/backend.ts';
import type { AuthorDialect, AuthorServices, Served } from '../author-dialect.ts';
import { AuthorLife } from '../author-life.ts';
import { facetCollision } from '../facet-tools.ts';
import { hostPeer } from '../host-peer.ts';
import { notServed } from '../not-served.ts';
import { AuthorEnd } from './author-end.ts';
import { printedLog } from './printed-log.ts';
import { wordlessFacets } from './tools.ts';

/** The real host sends whole files as base64, however large they are. */
const MESSAGE_LIMIT = 256 * MiB;

export const yamsAuthor: AuthorDialect = { name: 'yams', serve };

function serve(pipe: Pipe, backend: Backend, services: AuthorServices): Served {
  const collision = facetCollision(backend, wordlessFacets);
  if (collision !== undefined) return notServed(collision, backend, services);
  const framing = lines({ receiveLimit: MESSAGE_LIMIT, sendLimit: MESSAGE_LIMIT });
  const peer = hostPeer(pipe, framing, services, { tolerances: { nullParams: true } });
  const end = new AuthorEnd(backend, services, {
    lastWords: () => void peer.close(),
    takeDown: () => life.takeDown(),
  });
  const life = new AuthorLife(peer, { teardown: () => end.takeDown() });
  peer.handleOthers((params, context) => end.answer(params, context));
  peer.onOtherNotifications((method, params) => end.hear(method, params));
  return {
    log: (entry) => services.print(printedLog(entry)),
    over: life.over,
    close() {
      end.giveUp();
      void life.close();
    },
  };
}
