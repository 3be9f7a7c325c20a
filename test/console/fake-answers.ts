// How the fake API answers: streams, JSON, problems.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject } from '../../src/base/json.ts';

export function open(response: ServerResponse, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', ...headers });
  response.flushHeaders();
}

export function say(response: ServerResponse, event: string, data: unknown): void {
  response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

export function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

export function problem(response: ServerResponse, status: number, code: string, detail: string): void {
  response
    .writeHead(status, { 'content-type': 'application/problem+json' })
    .end(JSON.stringify({ status, code, detail }));
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export async function bodyOf(request: IncomingMessage): Promise<JsonObject | undefined> {
  let text = '';
  for await (const piece of request) text += String(piece);
  return text === '' ? undefined : (JSON.parse(text) as JsonObject);
}
