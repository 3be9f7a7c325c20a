// A request that is not let in, told as MCP clients read it.
import type { ServerResponse } from 'node:http';

export class Refusal extends Error {
  readonly status: number;
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    code = -32_000,
  ) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

export function sendRefusal(response: ServerResponse, { status, message, headers, code }: Refusal): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null });
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body);
}
