// Waits on this machine for the one answer that a browser brings back from the authorisation server.
import { timingSafeEqual } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { deferred } from '../../../base/deferred.ts';

export interface RedirectListener {
  /** Where the browser is to be sent back to. */
  readonly uri: string;
  /** The first request to that address; undefined when it does not carry our state. */
  readonly answer: Promise<URLSearchParams | undefined>;
  close(): void;
}

export interface RedirectOptions {
  readonly state: string;
  /** @default any that is free */
  readonly port?: number | undefined;
}

const PATH = '/callback';

/** Rejects with the error of the system when the port is taken. */
export async function redirectListener({ state, port = 0 }: RedirectOptions): Promise<RedirectListener> {
  const answer = deferred<URLSearchParams | undefined>();
  let isAnswered = false;
  const server = http.createServer(
    { maxHeaderSize: 16 * 1024, requestTimeout: 10_000, headersTimeout: 10_000, keepAliveTimeout: 1 },
    (request, response) => {
      const address = new URL(URL.canParse(request.url ?? '', host()) ? (request.url ?? '') : '/', host());
      // A page elsewhere could have its own name lead here.
      const isMeant = request.headers.host === new URL(host()).host && address.pathname === PATH;
      if (!isMeant || request.method !== 'GET' || isAnswered)
        return reply(response, isAnswered && isMeant ? 410 : 404, NOTHING);
      isAnswered = true;
      const params = address.searchParams;
      const isOurs = sameText(params.get('state') ?? '', state) && !hasTwice(params);
      reply(response, isOurs ? 200 : 400, isOurs ? TAKEN : NOT_OURS);
      response.once('close', () => answer.resolve(isOurs ? params : undefined));
    },
  );
  server.maxConnections = 16;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  server.removeAllListeners('error');
  server.on('error', () => {});
  const { port: taken } = server.address() as AddressInfo; // it listens on a port
  const host = () => `http://127.0.0.1:${taken}`;
  return {
    uri: `${host()}${PATH}`,
    answer: answer.promise,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Nothing of what came is in the page. */
function reply(response: http.ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    Connection: 'close',
  });
  response.end(`<!doctype html><meta charset="utf-8"><title>pluglot</title><p>${text}</p>\n`);
}

const TAKEN = 'pluglot has your answer. You can close this window and go back to it.';
const NOT_OURS = 'This is no answer to what pluglot has asked for, so it was not used.';
const NOTHING = 'There is nothing here.';

function hasTwice(params: URLSearchParams): boolean {
  return ['state', 'code', 'iss', 'error'].some((name) => params.getAll(name).length > 1);
}

function sameText(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}
