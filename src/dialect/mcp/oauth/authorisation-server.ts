// Where a server sends those it does not know: its own metadata (RFC 9728), then those of the authorisation server (RFC 8414, OpenID).
import {
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  IssuerMismatchError,
  type AuthorizationServerMetadata,
} from '@modelcontextprotocol/client';
import { isJsonObject, textsIn } from '../../../base/json.ts';
import { shown } from '../../../base/text.ts';
import type { Challenge } from './challenge.ts';
import { addressOf } from './record.ts';
import { explained, refused, unreachable } from './refusal.ts';

export interface AuthorisationServer {
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  /** What tokens are for, as the server names itself. */
  readonly resource: string;
  /** All that the server knows, where it says so. */
  readonly scopes: readonly string[];
}

export interface DiscoveryPorts {
  readonly pluginName: string;
  readonly url: URL;
  /** The authorisation server that it has to be, where that is configured. */
  readonly issuer?: string | undefined;
  readonly send: typeof fetch;
}

/** @throws PluglotError UNAUTHENTICATED when what is found cannot be relied on, UNAVAILABLE when no server answers */
export async function findAuthorisationServer(
  ports: DiscoveryPorts,
  challenge: Challenge,
): Promise<AuthorisationServer> {
  const { pluginName, url } = ports;
  if (!isSafe(url, url))
    throw refused(pluginName, 'tokens are not sent over plain http. Use its https address.');
  const resource = await resourceMetadata(ports, challenge);
  const [named = `${url.origin}/`] = resource?.servers ?? [];
  const server = URL.canParse(named) ? new URL(named) : undefined;
  if (server === undefined || !isSafe(server, url))
    throw refused(
      pluginName,
      `it names the authorisation server ${shown(named)}, which is not an https address.`,
    );
  const metadata = await serverMetadata(ports, named);
  if (metadata === undefined)
    throw refused(
      pluginName,
      resource === undefined
        ? 'it answers with HTTP 401 and does not say who gives tokens for it. Put one into "headers".'
        : `the authorisation server ${server.origin} that it names says nothing of itself. Put a token into "headers".`,
    );
  check(ports, metadata);
  return {
    issuer: metadata.issuer,
    metadata,
    resource: resource?.resource ?? addressOf(url),
    scopes: resource?.scopes ?? [],
  };
}

async function serverMetadata({ pluginName, send }: DiscoveryPorts, address: string) {
  try {
    return await discoverAuthorizationServerMetadata(address, { fetchFn: send });
  } catch (thrown) {
    if (thrown instanceof IssuerMismatchError)
      throw refused(
        pluginName,
        `the authorisation server at ${shown(address)} says that it is ${shown(thrown.received)}: another server may intercept the connection.`,
      );
    throw explained(pluginName, 'asking who the authorisation server is', thrown, []);
  }
}

interface ResourceMetadata {
  readonly resource: string;
  readonly servers: readonly string[];
  readonly scopes: readonly string[];
}

/** Undefined where the server has none, as those of 2025-03-26. */
async function resourceMetadata(
  ports: DiscoveryPorts,
  { resourceMetadata: named }: Challenge,
): Promise<ResourceMetadata | undefined> {
  const { pluginName, url } = ports;
  for (const address of metadataAddresses(pluginName, url, named)) {
    const value = await readJson(ports, address);
    if (value === undefined) continue;
    const resource = isJsonObject(value) ? value['resource'] : undefined;
    if (!isJsonObject(value) || typeof resource !== 'string' || !URL.canParse(resource))
      throw refused(pluginName, `${address.href} does not say what it is about ("resource").`);
    if (!checkResourceAllowed({ requestedResource: url, configuredResource: resource }))
      throw refused(
        pluginName,
        `its metadata are about ${shown(resource)}, which is another server. Correct "url".`,
      );
    return {
      resource,
      servers: textsIn(value['authorization_servers']),
      scopes: textsIn(value['scopes_supported']),
    };
  }
  return undefined;
}

async function readJson({ pluginName, send }: DiscoveryPorts, address: URL): Promise<unknown> {
  const doing = 'asking who gives tokens for it';
  try {
    const response = await send(address, { headers: { Accept: 'application/json' } });
    if (response.ok) return await response.json();
    await response.body?.cancel();
    if (response.status < 500) return undefined;
    throw unreachable(pluginName, `${doing} was answered with HTTP ${response.status}.`);
  } catch (thrown) {
    throw explained(pluginName, doing, thrown, []);
  }
}

function metadataAddresses(pluginName: string, url: URL, named: string | undefined): URL[] {
  if (named !== undefined) {
    const address = URL.canParse(named, url.href) ? new URL(named, url) : undefined;
    if (address?.origin !== url.origin)
      throw refused(
        pluginName,
        `it says that ${shown(named)} knows who gives tokens for it: another server.`,
      );
    return [address];
  }
  const path = url.pathname.replace(/\/$/, '');
  const root = new URL('/.well-known/oauth-protected-resource', url.origin);
  return path === '' ? [root] : [new URL(`${root.pathname}${path}${url.search}`, url.origin), root];
}

function check({ pluginName, url, issuer }: DiscoveryPorts, metadata: AuthorizationServerMetadata): void {
  if (issuer !== undefined && issuer !== metadata.issuer)
    throw refused(
      pluginName,
      `it names the authorisation server ${shown(metadata.issuer)}; expected "${issuer}", as its settings say (oauth.issuer).`,
    );
  const endpoints = [
    metadata.authorization_endpoint,
    metadata.token_endpoint,
    metadata.registration_endpoint,
  ];
  for (const endpoint of endpoints)
    if (endpoint !== undefined && !(URL.canParse(endpoint) && isSafe(new URL(endpoint), url)))
      throw refused(
        pluginName,
        `the authorisation server ${shown(metadata.issuer)} names ${shown(endpoint)}, which is not an https address.`,
      );
  if (metadata.code_challenge_methods_supported?.includes('S256') !== true)
    throw refused(
      pluginName,
      `the authorisation server ${shown(metadata.issuer)} does not say that it knows PKCE (S256), without which a code could be stolen.`,
    );
}

/** Only a server of this machine may speak of others on it, and only on this machine goes plain http. */
function isSafe(address: URL, server: URL): boolean {
  return address.protocol === 'https:' || (address.protocol === 'http:' && isOwn(address) && isOwn(server));
}

function isOwn({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
