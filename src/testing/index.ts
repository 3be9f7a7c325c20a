// pluglot/testing: what authors and this project's own tests build on.
export { fakeClock, type FakeClock } from './fake-clock.ts';
export { linkedPeers, type LinkedPeers, type LinkedPeersOptions } from './linked-peers.ts';
