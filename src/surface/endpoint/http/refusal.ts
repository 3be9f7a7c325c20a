// A request that is not let in, told as MCP clients read it.
import type { ServerResponse } from 'node:http';
import type { Json } from '../../../base/json.ts';

export class Refusal extends Error {
  readonly status: number;
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Of the request, where it is about one. */
  readonly id: Json;

  constructor(
    status: number,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    code = -32_000,
    id: Json = null,
  ) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.code = code;
    this.headers = headers;
    this.id = id;
  }
}

export function sendRefusal(response: ServerResponse, { status, message, headers, code, id }: Refusal): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id });
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body);
}
