// The MCP server 2.x over stdio, child end.
import { EventEmitter } from 'node:events';
import process from 'node:process';
import { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { sendInBursts, tick } from '../contenders/burst.mjs';

// It waits for 'drain' once per message and would be slowed by warnings about that.
EventEmitter.defaultMaxListeners = 0;

const server = new Server({ name: 'bench', version: '1.0.0' }, { capabilities: {} });
server.setRequestHandler('echo', { params: z.looseObject({}) }, (params) => params);
server.setRequestHandler('stream', { params: z.object({ count: z.number() }) }, ({ count }) => {
  void sendInBursts(count, () => server.notification({ method: 'tick', params: tick }));
  return {};
});
process.stdin.on('end', () => process.exit());
await server.connect(new StdioServerTransport());
