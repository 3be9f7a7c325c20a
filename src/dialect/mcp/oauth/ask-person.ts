// A person says yes in a browser: authorisation code with PKCE (OAuth 2.1), with the answer taken on this machine.
import { randomBytes } from 'node:crypto';
import {
  exchangeAuthorization,
  IssuerMismatchError,
  startAuthorization,
  validateAuthorizationResponseIssuer,
  type OAuthClientInformationMixed,
} from '@modelcontextprotocol/client';
import { PluglotError } from '../../../base/error.ts';
import { shortened, shown } from '../../../base/shown.ts';
import { late, within } from '../../../base/within.ts';
import { informationOf, knownClient, register } from './client.ts';
import type { Place } from './place.ts';
import type { OAuthPorts } from './ports.ts';
import { addressOf, type AccessRecord } from './record.ts';
import { redirectListener, type RedirectListener } from './redirect-listener.ts';
import { explained, nobodyThere, refused } from './refusal.ts';
import { tokensOf } from './tokens.ts';

/** How long a person may take. */
const PERSON_MS = 5 * 60_000;

export interface Question {
  readonly place: Place;
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
  if (send === undefined) throw nobodyThere(ports.pluginName, question.why);
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
  { place, record, scope }: Question,
  signal: AbortSignal,
  state: string,
  listener: RedirectListener,
  sendPerson: (url: string, signal: AbortSignal) => void | Promise<void>,
): Promise<AccessRecord> {
  const { pluginName, url, settings } = ports;
  const { metadata, issuer, resource } = place;
  const isKnown = settings.clientId !== undefined || record?.client?.redirectUri === listener.uri;
  const registered = isKnown ? record?.client : await register(ports, place, listener.uri, scope);
  const client = knownClient(settings, undefined) ?? (registered && informationOf(registered));
  if (client === undefined) throw refused(pluginName, 'nobody has told who we are.');
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
    const code = codeIn(pluginName, place, await answerOf(ports, listener, signal));
    const tokens = await redeem(ports, place, client, { code, codeVerifier, redirectUri: listener.uri });
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
        'the browser came back with an answer to another question (wrong state); somebody may have sent it. Try again.',
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
      `Plugin "${pluginName}" cannot be authorised: nobody said yes within ${PERSON_MS / 60_000} minutes. Try again.`,
    );
  }
}

/** Who answers is looked at before anything of the answer is believed (RFC 9207). */
function codeIn(pluginName: string, { issuer, metadata }: Place, answer: URLSearchParams): string {
  try {
    validateAuthorizationResponseIssuer({
      iss: answer.get('iss') ?? undefined,
      expectedIssuer: issuer,
      issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
    });
  } catch (thrown) {
    const who = thrown instanceof IssuerMismatchError ? shown(thrown.received) : 'nobody';
    throw refused(
      pluginName,
      `the answer came from ${who}; expected ${shown(issuer)}. Somebody may stand between.`,
    );
  }
  const error = answer.get('error');
  if (error !== null) {
    const words = answer.get('error_description');
    const said = shortened(words === null ? error : `${error}: ${words}`, 300);
    throw refused(pluginName, error === 'access_denied' ? `the answer was no (${said}).` : `${said}.`);
  }
  const code = answer.get('code');
  if (code === null || code === '')
    throw refused(pluginName, 'the browser came back without a code. Try again.');
  return code;
}

async function redeem(
  { pluginName, send, settings }: OAuthPorts,
  { issuer, metadata, resource }: Place,
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
