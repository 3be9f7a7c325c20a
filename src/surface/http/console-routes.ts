// The page of the console: a fixed set of files, each under its path, and the way in. Nothing of the files is secret.
import { hash, randomBytes } from 'node:crypto';
import { KiB } from '../../base/units.ts';
import type { Tokens } from '../../runtime/tokens/tokens.ts';
import type { ConsoleFile } from '../console/console-files.ts';
import { cookieOf } from './access.ts';
import type { Exchange } from './exchange.ts';
import { HttpProblem } from './problem.ts';
import type { Route } from './router.ts';

/** By path: `/`, `/assets/main-3f2a.js`. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

/** A code is short, and its sender is unknown: it may cost next to nothing. */
const CODE_BODY = { bytes: 4 * KiB, ms: 5000 };
const POSTED_AT_ONCE = 16;

/** Browsers do not send what is behind the mark: opening the link does not use it up. */
const PLACE = '/#/enter/';
const LINK_MS = 10 * 60_000;
const LINKS_MAX = 100;

/** One-time links: each opens the console in one browser. */
export class ConsoleLinks {
  readonly #now: () => number;
  /** By the hash of the code: when it expires, in milliseconds since 1970. */
  readonly #links = new Map<string, number>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** `path` goes on after the address of the host. */
  make(): { readonly path: string; readonly expiresAt: number } {
    const code = randomBytes(24).toString('base64url');
    const expiresAt = this.#now() + LINK_MS;
    this.#links.set(digest(code), expiresAt);
    const [oldest] = this.#links.keys();
    if (this.#links.size > LINKS_MAX && oldest !== undefined) this.#links.delete(oldest);
    return { path: `${PLACE}${code}`, expiresAt };
  }

  /** True once, before the link expires. */
  take(code: string): boolean {
    const key = digest(code);
    const expiresAt = this.#links.get(key) ?? 0;
    this.#links.delete(key);
    return expiresAt > this.#now();
  }
}

/** The code is posted by the page, so that it never stands in an address that is sent; the answer is a cookie that scripts cannot read. */
export function consoleRoutes(files: ConsoleFiles, links: ConsoleLinks, tokens: Tokens): Route[] {
  const paths = new Set(['/', ...files.keys()]);
  let posted = 0;
  return [
    ...[...paths].map((path): Route => ({
      method: 'GET',
      path,
      needs: 'nothing',
      handle(exchange) {
        const file = files.get(path);
        if (file !== undefined) give(exchange, file);
        else throw new HttpProblem(404, 'NOT_FOUND', 'This host has no console. The API is at /api/v1.');
      },
    })),
    {
      method: 'POST',
      path: '/',
      needs: 'nothing',
      async handle(exchange) {
        if (posted >= POSTED_AT_ONCE) throw tooMany();
        posted += 1;
        const { code } = await exchange.body(CODE_BODY).finally(() => (posted -= 1));
        if (typeof code !== 'string' || !links.take(code)) throw refusal();
        const { secret } = await tokens.createConsole();
        exchange.response.setHeader('set-cookie', cookieOf(secret));
        exchange.empty();
      },
    },
  ];
}

function refusal(): HttpProblem {
  return new HttpProblem(
    401,
    'UNAUTHENTICATED',
    'This link was used before, or has expired. `pluglot console` prints a new one.',
  );
}

function tooMany(): HttpProblem {
  return new HttpProblem(
    503,
    'UNAVAILABLE',
    `${POSTED_AT_ONCE} browsers are opening the console at this moment. Try again.`,
    {
      'retry-after': '5',
      connection: 'close',
    },
  );
}

function give(exchange: Exchange, { body, headers }: ConsoleFile): void {
  const { 'content-type': type = 'application/octet-stream', ...rest } = headers;
  for (const [name, value] of Object.entries(rest)) exchange.response.setHeader(name, value);
  exchange.send(200, body, type);
}

function digest(code: string): string {
  return hash('sha256', code);
}
