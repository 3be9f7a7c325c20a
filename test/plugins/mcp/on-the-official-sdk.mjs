// What most people write: a server on the official SDK, of both eras.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

serveStdio(createServer, process.argv[2] === 'modern-only' ? { legacy: 'reject' } : {});

function createServer() {
  const server = new McpServer({ name: 'official', version: '2.4.0' }, { instructions: 'Shout.' });
  server.registerTool('shout', { title: 'Shout', description: 'Says it louder.' }, async (context) => {
    await context.mcpReq.notify({
      method: 'notifications/progress',
      params: { progressToken: context.mcpReq._meta?.progressToken ?? 0, progress: 1, total: 1 },
    });
    return { content: [{ type: 'text', text: 'HELLO' }] };
  });
  server.registerTool('break', { description: 'Throws.' }, async () => {
    throw new Error('broken');
  });
  return server;
}
