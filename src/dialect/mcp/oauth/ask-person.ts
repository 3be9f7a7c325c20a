// A person says yes in a browser: authorisation code with PKCE (OAuth 2.1), with the answer taken on this machine.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  exchangeAuthorization,
  IssuerMismatchError,
  type OAuthClientInformationMixed,
  type OAuthTokens,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client';
import { deferred, late, within } from '../../../base/async.ts';
import { PluglotError } from '../../../base/error.ts';
import { sentence, shortened, shown } from '../../../base/text.ts';
import { isScope } from './challenge.ts';
import { informationOf, knownClient, type OAuthPorts, register } from './client.ts';
import type { AuthorisationServer } from './authorisation-server.ts';
import { type AccessRecord, addressOf, isToken, type Tokens } from './record.ts';
import { explained, noPerson, refused } from './refusal.ts';

/** How long a person may take. */
const PERSON_MS = 5 * 60_000;

interface Question {
  readonly server: AuthorisationServer;
  /** What is known of the same authorisation server. */
  readonly record: AccessRecord | undefined;
  readonly scope: string | undefined;
  /** For a sentence: "it wants …". */
  readonly why: string;
}

/**
 * Resolves with what is to be kept.
 * @throws PluglotError UNAUTHENTICATED or UNAVAILABLE, or the reason of the signal
 */
export async function askPerson(
  ports: OAuthPorts,
  question: Question,
  signal: AbortSignal,
): Promise<AccessRecord> {
  const send = ports.access.person(ports.pluginName);
  if (send === undefined) throw noPerson(ports.pluginName, question.why);
  const state = randomBytes(32).toString('base64url');
  const listener = await listen(ports, question.record, state);
  try {
    return await converse(ports, question, signal, state, listener, send);
  } finally {
    listener.close();
  }
}

async function converse(
  ports: OAuthPorts,
  { server, record, scope }: Question,
  signal: AbortSignal,
  state: string,
  listener: RedirectListener,
  sendPerson: (url: string, signal: AbortSignal) => void | Promise<void>,
): Promise<AccessRecord> {
  const { pluginName, url, settings } = ports;
  const { metadata, issuer, resource } = server;
  const isKnown = settings.clientId !== undefined || record?.client?.redirectUri === listener.uri;
  const registered = isKnown ? record?.client : await register(ports, server, listener.uri, scope);
  const client = knownClient(settings, undefined) ?? (registered && informationOf(registered));
  if (client === undefined) throw refused(pluginName, 'no client is registered for it.');
  const fresh: AccessRecord = {
    url: addressOf(url),
    issuer,
    ...(settings.clientId === undefined && registered !== undefined && { client: registered }),
    ...(scope !== undefined && { scope }),
  };
  const { authorizationUrl, codeVerifier } = await startAuthorization(issuer, {
    metadata,
    clientInformation: client,
    redirectUrl: listener.uri,
    state,
    resource,
    ...(scope !== undefined && { scope }),
  });
  ports.log(`waits for a person to say yes at ${authorizationUrl.origin}`);
  const done = new AbortController();
  try {
    await sendPerson(authorizationUrl.href, AbortSignal.any([signal, done.signal]));
    const code = codeIn(pluginName, server, await answerOf(ports, listener, signal));
    const tokens = await redeem(ports, server, client, { code, codeVerifier, redirectUri: listener.uri });
    ports.log('is authorised');
    return { ...fresh, tokens: tokensOf(pluginName, tokens, scope) };
  } finally {
    done.abort();
  }
}

/** On the port that was registered, where that is free; else on another, which is registered anew. */
async function listen(
  { pluginName, settings }: OAuthPorts,
  record: AccessRecord | undefined,
  state: string,
): Promise<RedirectListener> {
  const { callbackPort } = settings;
  const registered = settings.clientId === undefined ? record?.client?.redirectUri : undefined;
  const port = callbackPort ?? (registered === undefined ? undefined : Number(new URL(registered).port));
  try {
    return await redirectListener({ state, port });
  } catch {
    if (callbackPort !== undefined)
      throw refused(
        pluginName,
        `the port ${callbackPort} (oauth.callbackPort) cannot be listened on. End what uses it.`,
      );
    return redirectListener({ state });
  }
}

async function answerOf(
  { pluginName, clock }: OAuthPorts,
  listener: RedirectListener,
  signal: AbortSignal,
): Promise<URLSearchParams> {
  signal.throwIfAborted();
  let giveUp = () => {};
  const givenUp = new Promise<never>((_, reject) => {
    // What it fires with is an Error in this program.
    giveUp = () => reject(signal.reason as Error);
  });
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    const answer = await within(Promise.race([listener.answer, givenUp]), PERSON_MS, clock);
    if (answer === late) throw new NoAnswer(pluginName);
    if (answer === undefined)
      throw refused(
        pluginName,
        'the browser came back with an answer to another question (wrong state), which another program may have sent. Try again.',
      );
    return answer;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/** An authorisation server that has forgotten our registration never sends anybody back, so it is not used again. */
export class NoAnswer extends PluglotError {
  constructor(pluginName: string) {
    super(
      'UNAUTHENTICATED',
      `Plugin "${pluginName}" cannot be authorised: no one agreed within ${PERSON_MS / 60_000} minutes. Try again.`,
    );
  }
}

/** Who answers is looked at before anything of the answer is believed (RFC 9207). */
function codeIn(
  pluginName: string,
  { issuer, metadata }: AuthorisationServer,
  answer: URLSearchParams,
): string {
  try {
    validateAuthorizationResponseIssuer({
      iss: answer.get('iss') ?? undefined,
      expectedIssuer: issuer,
      issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
    });
  } catch (thrown) {
    const who = thrown instanceof IssuerMismatchError ? shown(thrown.received) : 'an unnamed server';
    throw refused(
      pluginName,
      `the answer came from ${who}; expected ${shown(issuer)}. Another server may intercept the connection.`,
    );
  }
  const error = answer.get('error');
  if (error !== null) {
    const words = answer.get('error_description');
    const reason = shortened(words === null ? error : `${error}: ${words}`, 300);
    throw refused(
      pluginName,
      error === 'access_denied' ? `access was denied (${reason}).` : sentence(reason),
    );
  }
  const code = answer.get('code');
  if (code === null || code === '')
    throw refused(pluginName, 'the browser came back without a code. Try again.');
  return code;
}

async function redeem(
  { pluginName, send, settings }: OAuthPorts,
  { issuer, metadata, resource }: AuthorisationServer,
  client: OAuthClientInformationMixed,
  { code, codeVerifier, redirectUri }: { code: string; codeVerifier: string; redirectUri: string },
) {
  try {
    return await exchangeAuthorization(issuer, {
      metadata,
      clientInformation: client,
      authorizationCode: code,
      // It was looked at before.
      iss: issuer,
      codeVerifier,
      redirectUri,
      resource,
      fetchFn: send,
    });
  } catch (thrown) {
    const secrets = [code, codeVerifier, client.client_secret, settings.clientSecret];
    throw explained(pluginName, 'asking for a token', thrown, secrets);
  }
}

interface RedirectListener {
  /** Where the browser is to be sent back to. */
  readonly uri: string;
  /** The first request to that address; undefined when it does not carry our state. */
  readonly answer: Promise<URLSearchParams | undefined>;
  close(): void;
}

interface RedirectOptions {
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
const NOT_OURS = 'This does not answer a request of pluglot, so it was not used.';
const NOTHING = 'There is nothing here.';

function hasTwice(params: URLSearchParams): boolean {
  return ['state', 'code', 'iss', 'error'].some((name) => params.getAll(name).length > 1);
}

function sameText(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}

/** @throws PluglotError UNAUTHENTICATED when it cannot be sent */
export function tokensOf(pluginName: string, given: OAuthTokens, asked: string | undefined): Tokens {
  if (given.token_type.toLowerCase() !== 'bearer' || !isToken(given.access_token))
    throw refused(pluginName, 'its authorisation server gave a token that is not a bearer token.');
  // One that says nothing has given all that was asked for.
  const scope = given.scope !== undefined && isScope(given.scope) ? given.scope : asked;
  return {
    access: given.access_token,
    ...(isToken(given.refresh_token) && { refresh: given.refresh_token }),
    ...(scope !== undefined && { scope }),
  };
}
