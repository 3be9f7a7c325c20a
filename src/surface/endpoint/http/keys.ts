// Which token opens what: that of the endpoint all of it, that of a profile the profile alone.
import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { EndpointProfiles } from '../options.ts';
import { Refusal } from './refusal.ts';

type Tokens = ReadonlyMap<string | undefined, Buffer | undefined>;

export class Keys {
  readonly #own: Buffer | undefined;
  /** Undefined: of the endpoint. */
  #tokens: Tokens;
  #version = 0;

  constructor(token: string | undefined, profiles: EndpointProfiles) {
    this.#own = token === undefined ? undefined : digest(token);
    this.#tokens = tokensOf(this.#own, profiles);
  }

  /** Another one once something else opens. */
  get version(): number {
    return this.#version;
  }

  /** From now on these hold. Those that were opened by what does not open them any more. */
  use(profiles: EndpointProfiles): readonly string[] {
    const before = this.#tokens;
    this.#tokens = tokensOf(this.#own, profiles);
    this.#version += 1;
    return [...before].flatMap(([name, token]) => {
      const now = this.#tokens.get(name);
      const isSame = now === undefined ? token === undefined : token?.equals(now) === true;
      return name === undefined || (this.#tokens.has(name) && isSame) ? [] : [name];
    });
  }

  /** The profile that is asked for. @throws Refusal 401 when the token is not its own, or there is none of that name */
  open({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): string | undefined {
    const profile = profileIn(url);
    const [, given = ''] = /^bearer +(\S{1,1000})$/i.exec(headers.authorization ?? '') ?? [];
    const wanted = this.#tokens.get(profile);
    const isKnown = this.#tokens.has(profile);
    // Compared in any case, so that the time tells nothing of which names there are.
    const own = digest(given);
    const isRight = timingSafeEqual(own, wanted ?? own);
    if (isKnown && isRight) return profile;
    throw new Refusal(
      401,
      'The token is missing or is not the right one. Send it as "Authorization: Bearer TOKEN"; a profile has its own.',
      { 'www-authenticate': 'Bearer realm="pluglot"' },
    );
  }
}

function tokensOf(own: Buffer | undefined, profiles: EndpointProfiles): Tokens {
  const named = Object.entries(profiles).map(
    ([name, { token }]) => [name, token === undefined ? own : digest(token)] as const,
  );
  return new Map<string | undefined, Buffer | undefined>([[undefined, own], ...named]);
}

/** Of one length, whatever was given. */
function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

function profileIn(url: string): string | undefined {
  const query = url.indexOf('?');
  return query === -1 ? undefined : (new URLSearchParams(url.slice(query + 1)).get('profile') ?? undefined);
}
