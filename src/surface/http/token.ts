// The token that lets in: random, kept in the state folder for the user's eyes alone, so that it is the same after a restart.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import { PluglotError, toError } from '../../base/error.ts';
import { readTextFile } from '../../fleet/trust/regular-file.ts';

const FORM = /^[\w-]{43,200}$/;

/** @throws PluglotError CONFIG_INVALID when it cannot be kept */
export async function keptToken(stateFolder: string): Promise<string> {
  const file = path.join(stateFolder, 'http-token');
  try {
    await mkdir(stateFolder, { recursive: true, mode: 0o700 });
    return (await readToken(file)) ?? (await makeToken(file));
  } catch (thrown) {
    if (thrown instanceof PluglotError) throw thrown;
    throw new PluglotError(
      'CONFIG_INVALID',
      `The token in ${file} cannot be kept: ${toError(thrown).message}.`,
      {
        cause: thrown,
      },
    );
  }
}

async function readToken(file: string): Promise<string | undefined> {
  const read = await readTextFile(file, 1024);
  if (read.kind === 'absent') return undefined;
  const wayOut = 'Remove it; the next start makes a new one.';
  if (read.kind === 'unreadable')
    throw new PluglotError('CONFIG_INVALID', `${file} ${read.reason}. ${wayOut}`);
  if ((read.mode & 0o077) !== 0)
    throw new PluglotError(
      'CONFIG_INVALID',
      `Others can read ${file}, so the token in it is none any more. ${wayOut}`,
    );
  const token = read.text.trim();
  if (!FORM.test(token)) throw new PluglotError('CONFIG_INVALID', `${file} holds no token. ${wayOut}`);
  return token;
}

/** Whole when it is seen; of two who make one at once, one wins for both. */
async function makeToken(file: string): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, `${token}\n`, { mode: 0o600, flag: 'wx' });
  try {
    await link(draft, file);
    return token;
  } catch (thrown) {
    const made = await readToken(file);
    if (made === undefined) throw thrown;
    return made;
  } finally {
    await rm(draft, { force: true });
  }
}

export interface Keys {
  /** Whether the request has the token: in its header, as what a WebSocket offers (`offered`), or as the page's cookie. */
  opens(headers: IncomingHttpHeaders, offered?: string): boolean;
  isToken(given: string): boolean;
  /** For the page: not the token itself, and not to be read by scripts. */
  readonly cookie: string;
}

export function createKeys(token: string): Keys {
  const known = digest(token);
  const cookie = createHmac('sha256', token).update('the cookie of the console').digest('base64url');
  const knownCookie = digest(cookie);
  const isToken = (given: string) => timingSafeEqual(digest(given), known);
  return {
    isToken,
    cookie: `${COOKIE}=${cookie}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000`,
    opens({ authorization, cookie: cookies, 'sec-fetch-site': site }, offered) {
      const [, bearer = offered] = /^bearer +(\S{1,500})$/i.exec(authorization ?? '') ?? [];
      if (bearer !== undefined) return isToken(bearer);
      const value = cookieIn(cookies);
      // Browsers send cookies to every port of a machine, and for pages of every port.
      const isOwnPage = site === undefined || site === 'same-origin' || site === 'none';
      return value !== undefined && isOwnPage && timingSafeEqual(digest(value), knownCookie);
    },
  };
}

/** Where nobody comes in by a token. */
export const noKeys: Keys = { opens: () => false, isToken: () => false, cookie: '' };

const COOKIE = 'pluglot';

function cookieIn(cookies: string | undefined): string | undefined {
  for (const part of cookies?.split(';') ?? []) {
    const [name, value] = part.split('=', 2);
    if (name?.trim() === COOKIE) return value?.trim() ?? '';
  }
  return undefined;
}

/** Of one length, whatever was given, so that comparing tells nothing. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
