// A Streamable HTTP server of MCP, raw on Node's http: a test says what it answers and sees what came.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { helloResult } from './raw-server.ts';

export interface Seen {
  readonly method: string;
  readonly headers: http.IncomingHttpHeaders;
  /** The message of a POST. */
  readonly message?: WireMessage;
}

interface WireMessage {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly error?: { readonly code: number };
}

export interface Reply {
  /** One JSON object. */
  json(value: unknown, headers?: Record<string, string>): void;
  status(code: number, text?: string): void;
  /** A stream of events. */
  stream(): Events;
  /** Resolves when the other end has let go of the connection. */
  readonly closed: Promise<void>;
}

export interface Events {
  /** Sends lines as they are. */
  write(text: string): void;
  message(value: unknown, id?: string): void;
  end(): void;
}

/** False: answered in the usual way. */
type Script = (seen: Seen, reply: Reply) => boolean | void;

export interface McpHttpServer {
  readonly url: string;
  readonly seen: Seen[];
  /** The messages of one method, in the order they came. */
  messages(method: string): Seen[];
  close(): Promise<void>;
}

export const SESSION = 'session-1868a90c';

/** A server on the loopback that is gone when the test is over. Without a script it has a session and one tool, `echo`. */
export async function mcpHttpServer(script: Script = () => false): Promise<McpHttpServer> {
  const seen: Seen[] = [];
  const server = http.createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const one: Seen = {
        method: request.method ?? '',
        headers: request.headers,
        ...(body === '' ? {} : { message: JSON.parse(body) as WireMessage }),
      };
      seen.push(one);
      const reply = replyOn(response);
      if (script(one, reply) === false) usual(one, reply);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  };
  onTestFinished(close);
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    seen,
    messages: (method) => seen.filter(({ message }) => message?.method === method),
    close,
  };
}

function usual({ method, message }: Seen, reply: Reply): void {
  if (method === 'GET') return reply.status(405);
  if (method === 'DELETE') return reply.status(200);
  if (message?.id === undefined || message.method === undefined) return reply.status(202);
  const result = (value: unknown) => ({ jsonrpc: '2.0', id: message.id, result: value });
  if (message.method === 'initialize')
    return reply.json(result(helloResult()), { 'mcp-session-id': SESSION });
  if (message.method === 'tools/list') return reply.json(result({ tools: [{ name: 'echo' }] }));
  if (message.method === 'tools/call')
    return reply.json(
      result({ content: [{ type: 'text', text: JSON.stringify(message.params?.['arguments']) }] }),
    );
  return reply.json(result({}));
}

function replyOn(response: http.ServerResponse): Reply {
  return {
    closed: new Promise((resolve) => response.once('close', resolve)),
    json(value, headers = {}) {
      response.writeHead(200, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(value));
    },
    status(code, text = '') {
      response.writeHead(code);
      response.end(text);
    },
    stream() {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      return {
        write: (text) => void response.write(text),
        message: (value, id) =>
          void response.write(`${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(value)}\n\n`),
        end: () => void response.end(),
      };
    },
  };
}
