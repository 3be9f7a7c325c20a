// Requests as a test wants them, with any header and any body, on Node alone.
import http from 'node:http';
import net from 'node:net';
import { sseParser, type ServerEvent } from '../../../src/base/sse.ts';
import { COOKIE } from './test-runtime.ts';

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: string | Buffer | object;
  /** @default none: the cookie of tests, which is the user's */
  readonly token?: string | null;
  readonly socketPath?: string;
}

export interface Answered {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body; undefined where it is not JSON. */
  readonly json: unknown;
}

export async function ask(url: string, path: string, asked: Asked = {}): Promise<Answered> {
  return answeredOf(await open(url, path, asked));
}

export async function answeredOf(response: http.IncomingMessage): Promise<Answered> {
  let text = '';
  response.setEncoding('utf8');
  for await (const piece of response as AsyncIterable<string>) text += piece;
  const isJson = /json(;|$)/.test(response.headers['content-type'] ?? '');
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text,
    json: isJson && text !== '' ? (JSON.parse(text) as unknown) : undefined,
  };
}

/** What the page of the console sends by itself; or a token; or nothing, for null. */
export function credentials(token: string | null | undefined): Readonly<Record<string, string>> {
  if (token === undefined) return { cookie: `pluglot=${COOKIE}`, 'sec-fetch-site': 'same-origin' };
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

export function open(url: string, path: string, asked: Asked = {}): Promise<http.IncomingMessage> {
  const { method = 'GET', headers = {}, body, token, socketPath } = asked;
  const isObject = typeof body === 'object' && !Buffer.isBuffer(body);
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const request = http.request({
      ...(socketPath === undefined ? { host: hostname, port } : { socketPath }),
      method,
      path,
      agent: false,
      headers: {
        ...credentials(token),
        ...(isObject ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
    });
    request.once('response', resolve);
    request.once('error', reject);
    request.end(isObject ? JSON.stringify(body) : body);
  });
}

/** All events of a stream that ends. */
export async function eventsIn(url: string, path: string, asked: Asked = {}): Promise<ServerEvent[]> {
  const headers = { accept: 'text/event-stream', ...asked.headers };
  const { text } = await ask(url, path, { ...asked, headers });
  return sseParser()(text);
}

/** All events of one that has begun, until it ends. */
export async function eventsOf(stream: http.IncomingMessage): Promise<ServerEvent[]> {
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (piece: string) => (text += piece));
  stream.on('error', () => {});
  await new Promise<void>((resolve) => stream.once('close', () => resolve()));
  return sseParser()(text);
}

/** What is sent as it is, and all that comes until the end. */
export async function raw(port: number, ...pieces: readonly string[]): Promise<string> {
  const socket = net.connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8');
  for (const piece of pieces) socket.write(piece);
  socket.on('error', () => {});
  socket.on('data', (piece: string) => (text += piece));
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return text;
}
