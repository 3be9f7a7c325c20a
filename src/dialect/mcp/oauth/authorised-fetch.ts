// fetch that tells the server who asks, and finds out how when it has to. The token goes to this one server and to nobody else.
import { PluglotError } from '../../../base/error.ts';
import type { Authorisation } from './authorisation.ts';
import { readChallenge, type Challenge } from './challenge.ts';

export interface AuthorisedFetchPorts {
  readonly pluginName: string;
  /** Where the token may go. */
  readonly origin: string;
  readonly authorisation: Authorisation;
}

export function authorisedFetch(
  send: typeof fetch,
  { pluginName, origin, authorisation }: AuthorisedFetchPorts,
): typeof fetch {
  return async (input, init) => {
    const address = new URL(input instanceof Request ? input.url : input);
    if (address.origin !== origin) return send(input, init);
    // Nobody is asked for a goodbye.
    const isGoodbye = init?.method === 'DELETE';
    let token = await unlessAborted(init?.signal, authorisation.token(!isGoodbye));
    const attempt = () => send(input, withToken(init, token));
    let response = await attempt();
    if (isGoodbye) return response;
    if (response.status === 401) {
      const challenge = await taken(response);
      token = await unlessAborted(init?.signal, authorisation.renew(token, challenge));
      response = await attempt();
      if (response.status === 401) throw await stillRefused(response, pluginName);
    }
    const challenge = response.status === 403 ? challengeOf(response) : {};
    if (challenge.error === 'insufficient_scope') {
      const wider = await unlessAborted(init?.signal, authorisation.widen(token, challenge));
      if (wider === undefined) return response;
      await response.body?.cancel();
      token = wider;
      response = await attempt();
    }
    return response;
  };
}

function withToken(init: RequestInit | undefined, token: string | undefined): RequestInit {
  const headers = new Headers(init?.headers);
  if (token !== undefined) headers.set('Authorization', `Bearer ${token}`);
  return { ...init, headers };
}

async function taken(response: Response): Promise<Challenge> {
  const challenge = challengeOf(response);
  await response.body?.cancel();
  return challenge;
}

function challengeOf({ headers }: Response): Challenge {
  return readChallenge(headers.get('www-authenticate'));
}

async function stillRefused(response: Response, pluginName: string): Promise<PluglotError> {
  await response.body?.cancel();
  return new PluglotError(
    'UNAUTHENTICATED',
    `Plugin "${pluginName}" answers with HTTP 401 to a token that was just given for it. Whoever runs it has to look into that.`,
  );
}

/** The person goes on deciding when a call is over its time: the next one gets the answer. */
async function unlessAborted<Value>(
  signal: AbortSignal | null | undefined,
  promise: Promise<Value>,
): Promise<Value> {
  if (signal === null || signal === undefined) return promise;
  promise.catch(() => {});
  signal.throwIfAborted();
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    // What fetch itself would reject with.
    abort = () => reject(signal.reason as Error);
  });
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
