// Which token opens what of the endpoint: all that clients are offered, or a profile alone.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Json } from '../../../base/json.ts';
import type { Tokens } from '../../../runtime/tokens/tokens.ts';
import type { Access } from '../connection.ts';
import type { EndpointProfiles } from '../options.ts';

export class Keys {
  /** Undefined: no token is needed. */
  readonly #tokens: Tokens | undefined;
  #profiles: EndpointProfiles;
  #version = 0;

  constructor(tokens: Tokens | undefined, profiles: EndpointProfiles) {
    this.#tokens = tokens;
    this.#profiles = profiles;
    tokens?.onRevoked(() => (this.#version += 1));
  }

  /** Another one once something else may open. */
  get version(): number {
    return this.#version;
  }

  /** From now on these hold. Those that were there and are not, or that another token opens. */
  use(profiles: EndpointProfiles): readonly string[] {
    const before = this.#profiles;
    this.#profiles = profiles;
    this.#version += 1;
    return Object.keys(before).filter((name) => {
      const now = profileOf(profiles, name);
      return now === undefined || now.token !== profileOf(before, name)?.token;
    });
  }

  /** @throws Refusal 401, or 403 where the token is for something else */
  open({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): Access {
    const wanted = profileIn(url);
    if (this.#tokens === undefined) return this.#granted({ token: 'none' }, wanted);
    const [, given = ''] = /^bearer +(\S{1,1000})$/i.exec(headers.authorization ?? '') ?? [];
    const token = this.#tokens.find(given);
    if (token === undefined || token.purpose === 'console') throw unauthenticated();
    const { id, name, purpose, profile } = token;
    if (purpose !== 'mcp')
      throw new Refusal(
        403,
        `The token "${name}" is for ${purpose}. \`pluglot tokens new NAME --for mcp\` makes one for this address.`,
      );
    return this.#granted({ token: name, tokenId: id, ...(profile !== undefined && { profile }) }, wanted);
  }

  #granted({ profile: own, ...token }: Access, wanted: string | undefined): Access {
    const profile = own ?? wanted;
    if (profile === undefined) return token;
    const known = profileOf(this.#profiles, profile);
    // A token without a profile opens any profile that has no token of its own.
    const isMeant = own === undefined ? known?.token === undefined : wanted === undefined || wanted === own;
    if (known === undefined || !isMeant) throw unauthenticated();
    return own === undefined ? { ...token, profile, isProfileChosen: true } : { ...token, profile };
  }
}

function profileOf(profiles: EndpointProfiles, name: string) {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

function unauthenticated(): Refusal {
  return new Refusal(
    401,
    'The token is missing or does not open this. Send it as "Authorization: Bearer TOKEN"; a profile may have its own.',
    { headers: { 'www-authenticate': 'Bearer realm="pluglot"' } },
  );
}

function profileIn(url: string): string | undefined {
  const query = url.indexOf('?');
  return query === -1 ? undefined : (new URLSearchParams(url.slice(query + 1)).get('profile') ?? undefined);
}

interface RefusalOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Of JSON-RPC. @default -32000 */
  readonly code?: number | undefined;
  /** Of the request, where it is about one. */
  readonly id?: Json;
  readonly data?: unknown;
}

export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly options: RefusalOptions;

  constructor(status: number, message: string, options: RefusalOptions = {}) {
    super(message);
    this.status = status;
    this.options = options;
  }
}

export function sendRefusal(response: ServerResponse, { status, message, options }: Refusal): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const { headers, code = -32_000, id = null, data } = options;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code, message, data }, id }));
}
