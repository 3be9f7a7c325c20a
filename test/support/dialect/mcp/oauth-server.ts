// An authorisation server and an MCP server that requires its tokens, both raw on Node's http, on two ports of the loopback.
import { createHash, randomUUID } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { helloResult } from './raw-server.ts';
import { fleetAccess, type FleetAccess } from '../../../../src/fleet/access/fleet-access.ts';

export interface OAuthScript {
  /** Instead of what they would say. */
  readonly resourceMetadata?: (usual: Record<string, unknown>) => object | undefined;
  readonly serverMetadata?: (usual: Record<string, unknown>) => object | undefined;
  readonly registration?: (usual: Record<string, unknown>) => object | undefined;
  readonly token?: (asked: URLSearchParams, usual: TokenAnswer) => TokenAnswer;
  /** What stands in WWW-Authenticate; undefined: no such header. */
  readonly challenge?: (usual: string) => string | undefined;
  /** Where the browser is sent back to. */
  readonly redirect?: (usual: URL) => URL;
  /** What the tool `secret` needs beyond `tools`. */
  readonly scopeOfSecret?: string;
  /** The MCP server has no metadata of its own, and gives the tokens itself. */
  readonly isOwnIssuer?: boolean;
  /** Metadata of OpenID alone. */
  readonly isOpenId?: boolean;
  /** A client that is known from the start. */
  readonly client?: { readonly id: string; readonly secret: string };
}

interface TokenAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface OAuthWorld {
  /** Of the MCP server. */
  readonly url: string;
  readonly issuer: string;
  readonly asked: {
    readonly path: string;
    readonly method: string;
    readonly params: URLSearchParams;
    readonly headers: http.IncomingHttpHeaders;
  }[];
  /** Bodies of registrations. */
  readonly registrations: Record<string, unknown>[];
  /** Headers of requests to the MCP server. */
  readonly seen: http.IncomingHttpHeaders[];
  /** Every secret that was ever given out. */
  readonly secrets: string[];
  /** From now on access tokens are worth nothing. */
  expireAccess(): void;
  expireRefresh(): void;
  forgetClients(): void;
  /** How often this path of the authorisation server was asked. */
  count(path: string): number;
}

interface Grant {
  readonly client: string;
  readonly challenge: string;
  readonly redirectUri: string;
  readonly scope: string;
  readonly resource: string;
}

export async function oauthWorld(script: OAuthScript = {}): Promise<OAuthWorld> {
  const asked: OAuthWorld['asked'] = [];
  const registrations: Record<string, unknown>[] = [];
  const seen: http.IncomingHttpHeaders[] = [];
  const secrets: string[] = [];
  const clients = new Map<string, { redirectUris: readonly string[] | undefined; secret?: string }>();
  if (script.client !== undefined)
    clients.set(script.client.id, { redirectUris: undefined, secret: script.client.secret });
  const codes = new Map<string, Grant>();
  const access = new Map<string, { scope: string; resource: string }>();
  const refresh = new Map<string, Grant>();
  const secret = (kind: string) => {
    const made = `${kind}-${randomUUID()}`;
    secrets.push(made);
    return made;
  };

  const authorise: Answer = (request, body, reply) => {
    const address = new URL(request.url ?? '/', issuer());
    const params = request.method === 'POST' ? new URLSearchParams(body) : address.searchParams;
    asked.push({ path: address.pathname, method: request.method ?? '', params, headers: request.headers });
    switch (address.pathname) {
      case script.isOpenId === true
        ? '/.well-known/openid-configuration'
        : '/.well-known/oauth-authorization-server': {
        const usual = {
          issuer: issuer(),
          authorization_endpoint: `${issuer()}/authorize`,
          token_endpoint: `${issuer()}/token`,
          registration_endpoint: `${issuer()}/register`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
          authorization_response_iss_parameter_supported: true,
          ...(script.isOpenId === true && {
            jwks_uri: `${issuer()}/jwks`,
            subject_types_supported: ['public'],
            id_token_signing_alg_values_supported: ['RS256'],
          }),
        };
        const made = script.serverMetadata === undefined ? usual : script.serverMetadata(usual);
        return made === undefined ? reply(404) : reply(200, made);
      }
      case '/register': {
        const registration = JSON.parse(body) as Record<string, unknown>;
        registrations.push(registration);
        const id = `client-${registrations.length}`;
        const answer = { ...registration, client_id: id };
        const made = script.registration === undefined ? answer : script.registration(answer);
        if (made === undefined) return reply(400, { error: 'invalid_client_metadata' });
        clients.set(id, { redirectUris: registration['redirect_uris'] as string[] });
        return reply(201, made);
      }
      case '/authorize': {
        const client = clients.get(params.get('client_id') ?? '');
        const redirectUri = params.get('redirect_uri') ?? '';
        const isKnown =
          client !== undefined &&
          (client.redirectUris?.includes(redirectUri) ?? redirectUri.startsWith('http://127.0.0.1:'));
        if (!isKnown || params.get('code_challenge_method') !== 'S256') return reply(400);
        const code = secret('code');
        codes.set(code, {
          client: params.get('client_id') ?? '',
          challenge: params.get('code_challenge') ?? '',
          redirectUri,
          scope: params.get('scope') ?? '',
          resource: params.get('resource') ?? '',
        });
        const back = new URL(redirectUri);
        back.searchParams.set('code', code);
        back.searchParams.set('state', params.get('state') ?? '');
        back.searchParams.set('iss', issuer());
        return reply(302, undefined, { location: (script.redirect?.(back) ?? back).href });
      }
      case '/token': {
        const usual = tokenFor(params, request.headers.authorization);
        const { status, body: answer } = script.token?.(params, usual) ?? usual;
        return reply(status, answer);
      }
      default:
        return reply(404);
    }
  };
  const authorisation = await serve(authorise);
  const issuer = () => (script.isOwnIssuer === true ? mcp : authorisation).origin;

  function tokenFor(params: URLSearchParams, basic: string | undefined): TokenAnswer {
    const bad = (error: string) => ({ status: 400, body: { error, error_description: 'no' } });
    const [basicId, basicSecret] = Buffer.from(basic?.slice(6) ?? '', 'base64')
      .toString()
      .split(':');
    const id = params.get('client_id') ?? basicId ?? '';
    const client = clients.get(id);
    if (client === undefined || client.secret !== (basic === undefined ? undefined : basicSecret))
      return { status: 401, body: { error: 'invalid_client' } };
    let grant: Grant | undefined;
    if (params.get('grant_type') === 'authorization_code') {
      grant = codes.get(params.get('code') ?? '');
      codes.delete(params.get('code') ?? '');
      const verifier = createHash('sha256')
        .update(params.get('code_verifier') ?? '')
        .digest('base64url');
      if (grant?.challenge !== verifier || grant.redirectUri !== params.get('redirect_uri'))
        return bad('invalid_grant');
    } else {
      grant = refresh.get(params.get('refresh_token') ?? '');
      // Each is good for one time.
      refresh.delete(params.get('refresh_token') ?? '');
    }
    if (grant?.client !== id || grant.resource !== params.get('resource')) return bad('invalid_grant');
    const given = { access_token: secret('access'), refresh_token: secret('refresh') };
    access.set(given.access_token, grant);
    refresh.set(given.refresh_token, grant);
    return { status: 200, body: { ...given, token_type: 'Bearer', expires_in: 3600, scope: grant.scope } };
  }

  const mcp = await serve((request, body, reply) => {
    const path = new URL(request.url ?? '/', url()).pathname;
    if (script.isOwnIssuer === true && path !== '/mcp') return authorise(request, body, reply);
    if (path === '/.well-known/oauth-protected-resource/mcp') {
      const usual = { resource: url(), authorization_servers: [issuer()], scopes_supported: ['tools'] };
      const made = script.resourceMetadata === undefined ? usual : script.resourceMetadata(usual);
      return made === undefined ? reply(404) : reply(200, made);
    }
    if (path !== '/mcp') return reply(404);
    seen.push(request.headers);
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    const granted = token === undefined ? undefined : access.get(token);
    const challenge = (more = '') => {
      const usual = `Bearer resource_metadata="${mcp.origin}/.well-known/oauth-protected-resource/mcp"${more}`;
      const isSilent = script.isOwnIssuer === true;
      const made = isSilent ? undefined : script.challenge === undefined ? usual : script.challenge(usual);
      return made === undefined ? {} : { 'www-authenticate': made };
    };
    if (granted?.resource !== url() && granted?.resource !== `${mcp.origin}/mcp`)
      return reply(401, { error: 'invalid_token' }, challenge());
    if (request.method !== 'POST') return reply(request.method === 'GET' ? 405 : 200);
    const message = JSON.parse(body) as { id?: number; method: string; params?: { name?: string } };
    const result = (value: unknown) => ({ jsonrpc: '2.0', id: message.id, result: value });
    if (message.id === undefined) return reply(202);
    if (message.method === 'initialize') return reply(200, result(helloResult()));
    if (message.method === 'tools/list')
      return reply(200, result({ tools: [{ name: 'open' }, { name: 'secret' }] }));
    const { scopeOfSecret } = script;
    const needs = message.params?.name === 'secret' ? scopeOfSecret : undefined;
    if (needs !== undefined && !granted?.scope.split(' ').includes(needs))
      return reply(403, {}, challenge(`, error="insufficient_scope", scope="${needs}"`));
    return reply(200, result({ content: [{ type: 'text', text: granted?.scope ?? '' }] }));
  });
  const url = () => `${mcp.origin}/mcp`;

  return {
    url: url(),
    issuer: issuer(),
    asked,
    registrations,
    seen,
    secrets,
    expireAccess: () => access.clear(),
    expireRefresh: () => refresh.clear(),
    forgetClients: () => clients.clear(),
    count: (path) => asked.filter((one) => one.path === path).length,
  };
}

/** A person who says yes: the browser goes where it is sent, and comes back. */
export async function sayYes(url: string): Promise<Response> {
  const sent = await fetch(url, { redirect: 'manual' });
  const back = sent.headers.get('location');
  if (back === null) throw new Error(`The authorisation server answered with HTTP ${sent.status}.`);
  return fetch(back);
}

type Reply = (status: number, body?: unknown, headers?: Record<string, string>) => void;

type Answer = (request: http.IncomingMessage, body: string, reply: Reply) => void;

async function serve(answer: Answer): Promise<{ readonly origin: string }> {
  const server = http.createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      answer(request, body, (status, value, headers = {}) => {
        response.writeHead(status, {
          ...(value !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        });
        response.end(value === undefined ? '' : JSON.stringify(value));
      });
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  });
  const { port } = server.address() as AddressInfo; // it listens on a port
  return { origin: `http://127.0.0.1:${port}` };
}

// Access of a fleet with its tokens in a folder of the test.

export function accessFor(folder: string, openUrl?: (url: string) => void | Promise<void>): FleetAccess {
  return fleetAccess({ folder, ...(openUrl === undefined ? {} : { openUrl }) });
}
