// The MCP client 2.x over stdio, host end. A request of our own instead of a tool call: its shortest path, with the
// loosest result schema.
import { EventEmitter } from 'node:events';
import process from 'node:process';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { z } from 'zod';
import { childArguments, endChild, watchOver } from '../contenders/child.mjs';
import { timeStream } from '../contenders/time-stream.mjs';

// It waits for 'drain' once per message and would be slowed by warnings about that.
EventEmitter.defaultMaxListeners = 0;

const anything = z.looseObject({});

export async function start() {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: childArguments('../peers/mcp-2-child.mjs'),
    stderr: 'inherit',
  });
  const client = new Client({ name: 'bench', version: '1.0.0' });
  let onTick = () => {};
  client.setNotificationHandler('tick', { params: anything }, () => onTick());
  const connected = client.connect(transport);
  const pid = watchOver(transport.pid);
  await connected;

  return {
    pid,
    call: (params) => client.request({ method: 'echo', params }, anything),
    stream: (count) =>
      timeStream(
        count,
        (listener) => (onTick = listener),
        () => client.request({ method: 'stream', params: { count } }, anything),
      ),
    close: () => endChild(pid),
  };
}
