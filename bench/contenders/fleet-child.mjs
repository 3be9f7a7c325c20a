// A YAMS plugin on our own peer: what a fleet calls, and what a bare peer calls to compare.
import { fdPipe, framedLink, lines, Peer } from '../../dist/channel/index.js';

const peer = new Peer(framedLink(fdPipe(0, 1), lines()));

const input_schema = {
  type: 'object',
  properties: {
    tool: { type: 'string' },
    query: { type: 'string', minLength: 1 },
    limit: { type: 'integer', minimum: 1, maximum: 100 },
    exact: { type: 'boolean' },
  },
  required: ['query'],
};

peer.handle('handshake.manifest', () => ({
  name: 'bench',
  version: '1.0.0',
  interfaces: [],
  capabilities: { tools: [{ name: 'echo', description: 'Gives back what it gets.', input_schema }] },
}));
peer.handle('plugin.init', () => ({ status: 'initialized' }));
peer.handle('plugin.health', () => ({ status: 'ok' }));
peer.handle('plugin.shutdown', () => null);
peer.handle('echo', (params) => params);
