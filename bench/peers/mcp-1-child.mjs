// The MCP SDK 1.x over stdio, child end.
import { EventEmitter } from 'node:events';
import process from 'node:process';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';
import { sendInBursts, tick } from '../contenders/burst.mjs';

// It waits for 'drain' once per message and would be slowed by warnings about that.
EventEmitter.defaultMaxListeners = 0;

const echoSchema = z.object({ method: z.literal('echo'), params: z.looseObject({}) });
const streamSchema = z.object({ method: z.literal('stream'), params: z.object({ count: z.number() }) });

const server = new Server({ name: 'bench', version: '1.0.0' }, { capabilities: {} });
server.setRequestHandler(echoSchema, ({ params }) => params);
server.setRequestHandler(streamSchema, ({ params }) => {
  void sendInBursts(params.count, () => server.notification({ method: 'tick', params: tick }));
  return {};
});
process.stdin.on('end', () => process.exit());
await server.connect(new StdioServerTransport());
