// Between the requests of Node and those of the web, which the official package speaks. Who does not read is not waited for.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../../base/clock.ts';

/** The body was read before; the signal fires when nobody waits for the answer any more. */
export function webRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) headers.append(name, one);
  const address = new URL(request.url ?? '/', 'http://localhost');
  return new Request(address, { method: request.method ?? 'GET', headers, signal });
}

/** Resolves when it was sent, or nobody reads it any more. */
export async function sendResponse(
  response: ServerResponse,
  { status, headers, body }: Response,
  slowMs: number,
  clock: Clock,
): Promise<void> {
  response.writeHead(status, Object.fromEntries(headers));
  if (body === null) return void response.end();
  // With the first piece where that comes soon: each write costs more than all that is written.
  const callOff = clock.after(HEAD_MS, () => response.flushHeaders());
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const gone = new Promise<void>((resolve) => response.once('close', resolve));
  void gone.then(() => reader.cancel().catch(() => {}));
  try {
    for (;;) {
      const piece = await reader.read();
      callOff();
      if (piece.done || response.destroyed) break;
      if (!response.write(piece.value)) await drained(response, gone, slowMs, clock);
    }
    response.end();
  } catch {
    callOff();
    response.destroy();
  }
}

/** A client that only listens knows by the head that it does. */
const HEAD_MS = 20;

async function drained(
  response: ServerResponse,
  gone: Promise<void>,
  slowMs: number,
  clock: Clock,
): Promise<void> {
  const callOff = clock.after(slowMs, () => response.destroy());
  const drain = new Promise<void>((resolve) => response.once('drain', resolve));
  await Promise.race([drain, gone]);
  callOff();
}
