// A WebSocket by hand, for what no library would do: to break the rules, to say nothing, to speak too early.
import net from 'node:net';
import { onTestFinished } from 'vitest';
import type { HttpServer } from '../../src/surface/http/server.ts';
import { credentials } from './http-client.ts';

export interface Wish {
  readonly method?: string;
  readonly path?: string;
  /** Undefined: without it. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

export function upgrade({ method = 'GET', path = '/api/v1/events', headers = {} }: Wish = {}): string {
  const all = {
    host: '127.0.0.1',
    ...credentials(undefined),
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-version': '13',
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  return [`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n');
}

export function callOf(
  tool: string,
  args: object,
  headers: Wish['headers'] = { upgrade: undefined },
): string {
  const body = JSON.stringify({ args });
  const length = String(Buffer.byteLength(body));
  const content = { 'content-type': 'application/json', 'content-length': length };
  const head = upgrade({
    method: 'POST',
    path: `/api/v1/tools/${tool}/call`,
    headers: { connection: 'keep-alive', ...headers, ...content },
  });
  return `${head}${body}`;
}

export interface RawClient {
  readonly socket: net.Socket;
  send(bytes: Buffer | string): void;
  /** What the next frame of this kind says. */
  next(opcode: number): Promise<Buffer>;
  /** The server has hung up. */
  readonly isLeft: boolean;
  readonly left: Promise<void>;
}

/** One that does nothing by itself: it neither answers pings nor takes leave, nor hangs up when the server does. It was greeted. */
export async function rawClient(server: HttpServer, early: Buffer = Buffer.alloc(0)): Promise<RawClient> {
  const socket = net.connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  const came: { readonly opcode: number; readonly payload: Buffer }[] = [];
  const waiting: (() => void)[] = [];
  let bytes: Buffer = Buffer.alloc(0);
  let isUpgraded = false;
  socket.on('data', (piece: Buffer) => {
    bytes = Buffer.concat([bytes, piece]);
    if (!isUpgraded) {
      const end = bytes.indexOf('\r\n\r\n');
      if (end === -1) return;
      bytes = bytes.subarray(end + 4);
      isUpgraded = true;
    }
    for (
      let size = sizeOf(bytes);
      size !== undefined && bytes.length >= size.head + size.payload;
      size = sizeOf(bytes)
    ) {
      const all = size.head + size.payload;
      came.push({ opcode: (bytes[0] ?? 0) & 0x0f, payload: bytes.subarray(size.head, all) });
      bytes = bytes.subarray(all);
    }
    for (const wake of waiting.splice(0)) wake();
  });
  const state = { isLeft: false };
  const left = new Promise<void>((resolve) => {
    socket.once('end', () => {
      state.isLeft = true;
      resolve();
    });
  });
  const next = async (opcode: number): Promise<Buffer> => {
    const at = came.findIndex((one) => one.opcode === opcode);
    const [found] = at === -1 ? [] : came.splice(at, 1);
    if (found !== undefined) return found.payload;
    await new Promise<void>((resolve) => waiting.push(resolve));
    return next(opcode);
  };
  socket.write(Buffer.concat([Buffer.from(upgrade()), early]));
  await next(1);
  return {
    socket,
    send: (bytes) => void socket.write(bytes),
    next,
    get isLeft() {
      return state.isLeft;
    },
    left,
  };
}

/** Of a frame of the server, which masks nothing. */
function sizeOf(bytes: Buffer): { readonly head: number; readonly payload: number } | undefined {
  const length = (bytes[1] ?? 0) & 0x7f;
  const head = length === 127 ? 10 : length === 126 ? 4 : 2;
  if (bytes.length < head) return undefined;
  const payload =
    length === 127 ? Number(bytes.readBigUInt64BE(2)) : length === 126 ? bytes.readUInt16BE(2) : length;
  return { head, payload };
}

interface FrameOptions {
  readonly isFinal?: boolean;
  readonly isMasked?: boolean;
  /** As it says itself. */
  readonly length?: number;
}

export function frame(
  opcode: number,
  content: string | Buffer,
  { isFinal = true, isMasked = true, length }: FrameOptions = {},
): Buffer {
  const payload = Buffer.from(content);
  const size = length ?? payload.length;
  const mask = isMasked ? 0x80 : 0;
  const head = Buffer.alloc(size > 65_535 ? 10 : size > 125 ? 4 : 2);
  head[0] = (isFinal ? 0x80 : 0) | opcode;
  head[1] = mask | (size > 65_535 ? 127 : size > 125 ? 126 : size);
  if (size > 65_535) head.writeBigUInt64BE(BigInt(size), 2);
  else if (size > 125) head.writeUInt16BE(size, 2);
  // A mask of zeros leaves it as it is.
  return Buffer.concat([head, Buffer.alloc(isMasked ? 4 : 0), payload]);
}

export function many(count: number, one: Buffer): Buffer {
  return Buffer.concat(Array.from({ length: count }, () => one));
}
