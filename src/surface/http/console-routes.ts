// The page of the console: a fixed set of files, each under its path. Nothing of it is secret, so that it needs no token.
import type { Exchange } from './exchange.ts';
import { HttpProblem } from './problem.ts';
import type { Route } from './router.ts';
import type { Keys } from './token.ts';

/** By path: `/`, `/assets/main-3f2a.js`. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

export interface ConsoleFile {
  readonly body: Uint8Array;
  /** With its `content-type`. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The page, and the way in: `/?token=…` hands out the cookie and leads to `/`, so that the token does not stay in the address. */
export function consoleRoutes(files: ConsoleFiles, keys: Keys): Route[] {
  const paths = new Set(['/', ...files.keys()]);
  return [...paths].map((path) => ({
    method: 'GET',
    path,
    isOpen: true,
    handle(exchange) {
      const token = path === '/' ? exchange.text('token') : undefined;
      const file = files.get(path);
      if (token !== undefined) letIn(exchange, token, keys);
      else if (file !== undefined) give(exchange, file);
      else throw new HttpProblem(404, 'NOT_FOUND', 'This host has no console. The API is at /api/v1.');
    },
  }));
}

function letIn({ response }: Exchange, token: string, keys: Keys): void {
  if (!keys.isToken(token))
    throw new HttpProblem(
      401,
      'UNAUTHENTICATED',
      'This token does not let in. Use the address that `pluglot up` prints.',
    );
  response.writeHead(302, {
    location: '/',
    'set-cookie': keys.cookie,
    'cache-control': 'no-store',
    'content-length': 0,
  });
  response.end();
}

function give(exchange: Exchange, { body, headers }: ConsoleFile): void {
  const { 'content-type': type = 'application/octet-stream', ...rest } = headers;
  for (const [name, value] of Object.entries(rest)) exchange.response.setHeader(name, value);
  exchange.send(200, body, type);
}
