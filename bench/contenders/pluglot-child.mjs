// Our own peer, child end, from the built package.
import process from 'node:process';
import { fdPipe, framedLink, lengthPrefix, lines, Peer } from '../../dist/channel/index.js';
import { tick } from './burst.mjs';

const peer = new Peer(framedLink(fdPipe(0, 1), process.argv[2] === 'lines' ? lines() : lengthPrefix()));

peer.handle('echo', (params) => params);
peer.handle('stream', (params) => {
  const { count } = /** @type {{ count: number }} */ (params);
  void stream(count);
  return null;
});

/** @param {number} count */
async function stream(count) {
  for (let sent = 0; sent < count; sent++) {
    if (!peer.notify('tick', tick)) await peer.drained();
  }
}
