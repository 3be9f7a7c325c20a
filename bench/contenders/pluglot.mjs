// Our own peer, host end, from the built package.
import { childPipe, framedLink, lengthPrefix, lines, Peer } from '../../dist/channel/index.js';
import { endChild, spawnChild, watchOver } from './child.mjs';
import { timeStream } from './time-stream.mjs';

/** @param {string} framing */
export function start(framing) {
  const child = spawnChild('pluglot-child.mjs', [framing]);
  const peer = new Peer(framedLink(childPipe(child), framing === 'lines' ? lines() : lengthPrefix()));
  let onTick = () => {};
  peer.onNotification('tick', () => onTick());

  const pid = watchOver(child.pid);
  return {
    pid,
    call: (/** @type {unknown} */ params) => peer.request('echo', params),
    stream: (/** @type {number} */ count) =>
      timeStream(
        count,
        (listener) => (onTick = listener),
        () => peer.request('stream', { count }),
      ),
    close: () => endChild(pid),
  };
}
