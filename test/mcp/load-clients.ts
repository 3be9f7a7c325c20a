// The kinds of clients that a host is loaded with: official MCP clients of both eras, and the HTTP API, with answers whole and as events.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { sseParser } from '../../src/base/sse.ts';

export interface LoadTarget {
  readonly url: string;
  readonly token: string;
  readonly tools: readonly string[];
}

interface Told {
  /** `ok`, or a stable code. */
  readonly code: string;
  readonly text: string;
}

export interface LoadClient {
  /** Rejects with what is neither an outcome nor a stable code. */
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<Told>;
  /** Begins a call and goes away without a word. */
  leaveDuring(tool: string, afterMs: number): Promise<void>;
  close(saysGoodbye: boolean): Promise<void>;
}

type Connect = (target: LoadTarget) => Promise<LoadClient>;

export const clientKinds: readonly [Connect, ...Connect[]] = [
  (target) => patient(() => mcpClient(target, false)),
  async (target) => apiClient(target, 'application/json'),
  (target) => patient(() => mcpClient(target, true)),
  async (target) => apiClient(target, 'text/event-stream'),
];

/** Later than those who count the calls, so that it is never the client that gives one up. */
const CLIENT_MS = 120_000;

/** A session that was forgotten before its client came to its second word is begun anew, as the host says. */
async function patient(connect: () => Promise<LoadClient>): Promise<LoadClient> {
  for (;;) {
    try {
      return await connect();
    } catch (error) {
      if (!String(error).includes('Begin a new one')) throw error;
    }
  }
}

async function mcpClient({ url, token }: LoadTarget, isModern: boolean): Promise<LoadClient> {
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  const client = new Client(
    { name: 'load', version: '1.0.0' },
    isModern ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {},
  );
  // What fails beside a call, such as a stream that ends with the client, is nobody's.
  client.onerror = () => {};
  await client.connect(transport, { timeout: CLIENT_MS });
  return {
    async call(tool, args) {
      const result = await client.callTool({ name: tool, arguments: args }, { timeout: CLIENT_MS });
      const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      return { code: result.isError === true ? codeIn(result._meta) : 'ok', text };
    },
    async leaveDuring(tool, afterMs) {
      client.callTool({ name: tool }, { timeout: CLIENT_MS }).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      await client.close();
    },
    async close(saysGoodbye) {
      if (saysGoodbye) await transport.terminateSession();
      await client.close();
    },
  };
}

function codeIn(meta: Readonly<Record<string, unknown>> | undefined): string {
  for (const value of Object.values(meta ?? {}))
    if (typeof value === 'object' && value !== null && 'code' in value) return stable(value.code);
  throw new Error(`a failure without a code: ${JSON.stringify(meta)}`);
}

async function apiClient(target: LoadTarget, accept: string): Promise<LoadClient> {
  const leaving = new AbortController();
  const post = (tool: string, args: object) =>
    fetch(new URL(`/api/v1/tools/${encodeURIComponent(tool)}/call`, target.url), {
      method: 'POST',
      headers: {
        accept,
        authorization: `Bearer ${target.token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ args }),
      signal: leaving.signal,
    });
  return {
    async call(tool, args) {
      const response = await post(tool, args);
      const body = await response.text();
      if (!response.ok) return { code: stable((JSON.parse(body) as { code?: unknown }).code), text: '' };
      return toldIn(accept === 'application/json' ? body : lastEvent(body));
    },
    async leaveDuring(tool, afterMs) {
      post(tool, {})
        .then((response) => response.text())
        .catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      leaving.abort();
    },
    close: async () => {},
  };
}

function lastEvent(body: string): string {
  const outcome = sseParser()(body).find(({ name }) => name === 'outcome');
  if (outcome === undefined) throw new Error(`a stream without an outcome: ${body.slice(-200)}`);
  return outcome.data;
}

function toldIn(body: string): Told {
  // As our own host answers.
  const outcome = JSON.parse(body) as { ok: boolean; error?: { code?: unknown } };
  return { code: outcome.ok ? 'ok' : stable(outcome.error?.code), text: body };
}

function stable(code: unknown): string {
  if (typeof code === 'string' && /^[A-Z][A-Z_]+$/.test(code)) return code;
  throw new Error(`no stable code: ${JSON.stringify(code)}`);
}
