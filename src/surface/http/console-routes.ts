// The page of the console: a fixed set of files, each under its path. Nothing of it is secret, so that it needs no token.
import { KiB } from '../../base/limits.ts';
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

/** Where the page says that the token was wrong; nothing behind the mark is sent to the host. */
const REFUSED = '/#/refused';

/** A token is short. Who posts one is nobody yet, so that it may cost next to nothing. */
const TOKEN_BODY = { bytes: 4 * KiB, ms: 5000 };
const POSTED_AT_ONCE = 16;

/**
 * The page, and the ways in: `/?token=…` hands out the cookie and leads to `/`, so that the token does not stay in the address; what
 * is typed into the page is posted, so that it never stands in one.
 */
export function consoleRoutes(files: ConsoleFiles, keys: Keys): Route[] {
  const paths = new Set(['/', ...files.keys()]);
  let posted = 0;
  return [
    ...[...paths].map((path): Route => ({
      method: 'GET',
      path,
      isOpen: true,
      handle(exchange) {
        const token = path === '/' ? exchange.text('token') : undefined;
        const file = files.get(path);
        if (token !== undefined) letIn(exchange, token, keys, file !== undefined);
        else if (file !== undefined) give(exchange, file);
        else throw new HttpProblem(404, 'NOT_FOUND', 'This host has no console. The API is at /api/v1.');
      },
    })),
    {
      method: 'POST',
      path: '/',
      isOpen: true,
      async handle(exchange) {
        if (posted >= POSTED_AT_ONCE) throw tooMany();
        posted += 1;
        const { token } = await exchange.body(TOKEN_BODY).finally(() => (posted -= 1));
        if (typeof token !== 'string' || !keys.isToken(token)) throw refusal();
        exchange.response.setHeader('set-cookie', keys.cookie);
        exchange.empty();
      },
    },
  ];
}

function letIn({ request, response }: Exchange, token: string, keys: Keys, hasPage: boolean): void {
  const isRight = keys.isToken(token);
  // A person is told by the page, a program by the problem.
  const isPerson = hasPage && /\btext\/html\b/i.test(request.headers.accept ?? '');
  if (!isRight && !isPerson) throw refusal();
  response.writeHead(302, {
    location: isRight ? '/' : REFUSED,
    ...(isRight && { 'set-cookie': keys.cookie }),
    'cache-control': 'no-store',
    'content-length': 0,
  });
  response.end();
}

function refusal(): HttpProblem {
  return new HttpProblem(
    401,
    'UNAUTHENTICATED',
    'This token does not let in. Use the address that `pluglot up` prints.',
  );
}

function tooMany(): HttpProblem {
  return new HttpProblem(503, 'UNAVAILABLE', `${POSTED_AT_ONCE} clients are showing their token already.`, {
    'retry-after': '5',
    connection: 'close',
  });
}

function give(exchange: Exchange, { body, headers }: ConsoleFile): void {
  const { 'content-type': type = 'application/octet-stream', ...rest } = headers;
  for (const [name, value] of Object.entries(rest)) exchange.response.setHeader(name, value);
  exchange.send(200, body, type);
}
