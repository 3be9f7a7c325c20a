// Which token opens what: that of the endpoint all of it, that of a profile the profile alone.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { EndpointProfile } from '../options.ts';
import { Refusal } from './refusal.ts';

export class Keys {
  /** Undefined: of the endpoint. */
  readonly #tokens = new Map<string | undefined, Buffer | undefined>();

  constructor(token: string | undefined, profiles: Readonly<Record<string, EndpointProfile>>) {
    const own = token === undefined ? undefined : digest(token);
    this.#tokens.set(undefined, own);
    for (const [name, profile] of Object.entries(profiles))
      this.#tokens.set(name, profile.token === undefined ? own : digest(profile.token));
  }

  /** The profile that is asked for. @throws Refusal 401 when the token is not its own, or there is none of that name */
  open({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): string | undefined {
    const profile = profileIn(url);
    const [, given = ''] = /^bearer +(\S{1,1000})$/i.exec(headers.authorization ?? '') ?? [];
    const wanted = this.#tokens.get(profile);
    const isKnown = this.#tokens.has(profile);
    // Compared in any case, so that the time tells nothing of which names there are.
    const isRight = timingSafeEqual(digest(given), wanted ?? digest(given));
    if (isKnown && isRight) return profile;
    throw new Refusal(
      401,
      'The token is missing or is not the right one. Send it as "Authorization: Bearer TOKEN"; a profile has its own.',
      { 'www-authenticate': 'Bearer realm="pluglot"' },
    );
  }
}

/** Of one length, whatever was given. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function profileIn(url: string): string | undefined {
  const query = url.indexOf('?');
  return query === -1 ? undefined : (new URLSearchParams(url.slice(query + 1)).get('profile') ?? undefined);
}
