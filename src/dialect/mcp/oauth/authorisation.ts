// How requests to one server are authorised: by the token that is kept, a new one for it, or the consent of a person.
import { OAuthError, refreshAuthorization } from '@modelcontextprotocol/client';
import { toError } from '../../../base/error.ts';
import { shortened } from '../../../base/text.ts';
import { late, within } from '../../../base/async.ts';
import { askPerson, NoAnswer, tokensOf } from './ask-person.ts';
import { joinedScope, type Challenge } from './challenge.ts';
import { knownClient, type OAuthPorts } from './client.ts';
import { findAuthorisationServer, type AuthorisationServer } from './authorisation-server.ts';
import { readRecord, recordKey, writeRecord, type AccessRecord } from './record.ts';
import { noPerson, explained, unreachable } from './refusal.ts';

export interface Authorisation {
  /** What to send; undefined while there is nothing. A person may be asked for more that was wanted before, where that is allowed. */
  token(mayAsk: boolean): Promise<string | undefined>;
  /**
   * Another one than the one that was refused.
   * @throws PluglotError UNAUTHENTICATED when a person is needed who is absent or refuses, UNAVAILABLE when no server answers
   */
  renew(used: string | undefined, challenge: Challenge): Promise<string>;
  /**
   * One that may do more; undefined where all that is asked for was asked for before.
   * @throws as `renew`
   */
  widen(used: string | undefined, challenge: Challenge): Promise<string | undefined>;
  /** The server has to wait for what becomes of it. */
  readonly waitsForPerson: boolean;
}

interface Waiting {
  /** Fires when the connection that needs it ends. */
  readonly signal: AbortSignal;
  /** While it holds, the time limit of a start does not run; the returned function ends that. */
  readonly personDecides: () => () => void;
}

export function authorisation(ports: OAuthPorts, { signal, personDecides }: Waiting): Authorisation {
  let waiting = 0;
  const { access, url, settings, pluginName } = ports;
  const key = recordKey(url, settings.clientId);
  let record: Promise<AccessRecord | undefined> | undefined;
  const kept = async () => {
    const known = readRecord(await access.safe.read(key), url);
    if (known !== undefined) ports.learn(secretsOf(known));
    return known;
  };
  /** As it is by then: another process may have renewed it, which makes the earlier one invalid. */
  const update = (change: (known: AccessRecord) => AccessRecord) =>
    access.safe.change(key, (text) => {
      const known = readRecord(text, url);
      return Promise.resolve(known && writeRecord(change(known)));
    });
  const use = (next: AccessRecord): string => {
    record = Promise.resolve(next);
    ports.learn(secretsOf(next));
    if (next.tokens === undefined) throw noPerson(pluginName, WANTS_TO_KNOW);
    return next.tokens.access;
  };
  const ask = async (
    server: AuthorisationServer,
    scope: string | undefined,
    why: string,
    over: AbortSignal,
  ) => {
    const known = await kept();
    // What one authorisation server gave is never shown to another.
    const own = known?.issuer === server.issuer ? known : undefined;
    const asked = joinedScope(scope, withOffline(server, scope));
    try {
      const next = await askPerson(ports, { server, record: own, scope: asked, why }, over);
      await access.safe.change(key, () => Promise.resolve(writeRecord(next)));
      return next;
    } catch (thrown) {
      if (thrown instanceof NoAnswer) await update(withoutClient);
      throw thrown;
    }
  };
  const findServer = (challenge: Challenge) =>
    findAuthorisationServer({ pluginName, url, issuer: settings.issuer, send: ports.send }, challenge);
  const widened = async (scope: string, challenge: Challenge, over: AbortSignal) =>
    ask(await findServer(challenge), scope, wantsMore(scope), over);
  /** A caller that waits for what another has begun waits for a person as well. */
  const once = async (what: string, work: (over: AbortSignal) => Promise<AccessRecord>) => {
    const decided = personDecides();
    waiting += 1;
    try {
      return await access.once(`${key} ${what}`, signal, work);
    } finally {
      waiting -= 1;
      decided();
    }
  };
  /** What was wanted while no person was present is asked for once: after a refusal the token stays as it is. */
  const catchUp = async (before: AccessRecord, wanted: string): Promise<void> => {
    record = Promise.resolve(withoutWanted(before));
    await update(withoutWanted);
    try {
      use(await once(`scope ${wanted}`, (over) => widened(wanted, {}, over)));
    } catch (thrown) {
      ports.log(toError(thrown).message);
    }
  };

  return {
    get waitsForPerson() {
      return waiting > 0;
    },
    async token(mayAsk) {
      record ??= kept();
      const known = await record;
      if (mayAsk && known?.wanted !== undefined && access.person(pluginName) !== undefined)
        await catchUp(known, known.wanted);
      return (await record)?.tokens?.access;
    },
    async renew(used, challenge) {
      return use(
        await once('renew', async (over) => {
          const known = await kept();
          // Another process was quicker.
          if (known?.tokens !== undefined && known.tokens.access !== used) return known;
          const server = await findServer(challenge);
          const next = await refresh(ports, server, used);
          if (next?.tokens !== undefined) return next;
          const scope =
            settings.scope ?? joinedScope(known?.wanted, challenge.scope ?? server.scopes.join(' '));
          return ask(server, scope, WANTS_TO_KNOW, over);
        }),
      );
    },
    async widen(used, challenge) {
      const known = await kept();
      if (known?.tokens !== undefined && known.tokens.access !== used) return use(known);
      const before = joinedScope(known?.scope, known?.tokens?.scope);
      const scope = joinedScope(before, challenge.scope);
      if (known === undefined || scope === undefined || scope === before) return undefined;
      if (access.person(pluginName) === undefined) {
        await update((now) => ({ ...now, wanted: scope }));
        throw noPerson(pluginName, wantsMore(challenge.scope ?? ''));
      }
      return use(await once(`scope ${scope}`, (over) => widened(scope, challenge, over)));
    },
  };
}

function secretsOf({ tokens, client }: AccessRecord): string[] {
  return [tokens?.access, tokens?.refresh, client?.secret].filter((secret) => secret !== undefined);
}

const WANTS_TO_KNOW = 'it wants to know who asks (HTTP 401)';

function wantsMore(scope: string): string {
  return `it wants more rights than it has (${shortened(scope, 200)})`;
}

function withoutClient(record: AccessRecord): AccessRecord {
  const { client: _, ...rest } = record;
  return rest;
}

function withoutWanted(record: AccessRecord): AccessRecord {
  const { wanted: _, ...rest } = record;
  return rest;
}

/** What makes some servers give a token that outlives the hour. */
function withOffline({ metadata }: AuthorisationServer, scope: string | undefined): string | undefined {
  return scope !== undefined && metadata.scopes_supported?.includes('offline_access') === true
    ? 'offline_access'
    : undefined;
}

/** The safe is held meanwhile. */
const REFRESH_MS = 8000;

/**
 * The record with other tokens than those that were used; without any where the old ones are worth nothing any more, and a person is
 * needed.
 * @throws PluglotError UNAVAILABLE when no server answers: then nothing has changed
 */
async function refresh(
  ports: OAuthPorts,
  server: AuthorisationServer,
  used: string | undefined,
): Promise<AccessRecord | undefined> {
  let result: AccessRecord | undefined;
  await ports.access.safe.change(recordKey(ports.url, ports.settings.clientId), async (text) => {
    const record = readRecord(text, ports.url);
    result = record?.issuer === server.issuer ? record : undefined;
    if (result?.tokens === undefined || result.tokens.access !== used) return undefined;
    result = await refreshed(ports, server, result);
    return writeRecord(result);
  });
  return result;
}

async function refreshed(
  ports: OAuthPorts,
  server: AuthorisationServer,
  record: AccessRecord,
): Promise<AccessRecord> {
  const { pluginName, settings, clock, send } = ports;
  const { tokens, ...rest } = record;
  const client = knownClient(settings, record);
  if (tokens?.refresh === undefined || client === undefined) return rest;
  const over = new AbortController();
  try {
    const asked = refreshAuthorization(server.issuer, {
      metadata: server.metadata,
      clientInformation: client,
      refreshToken: tokens.refresh,
      resource: server.resource,
      fetchFn: (input, init) => send(input, { ...init, signal: over.signal }),
    });
    asked.catch(() => {});
    const given = await within(asked, REFRESH_MS, clock);
    if (given === late) throw unreachable(pluginName, 'its authorisation server does not answer.');
    ports.log('has a new token');
    return { ...rest, tokens: tokensOf(pluginName, given, tokens.scope) };
  } catch (thrown) {
    const code = thrown instanceof OAuthError ? thrown.code : undefined;
    if (code === 'invalid_grant') return rest;
    if (code === 'invalid_client' || code === 'unauthorized_client') {
      const { client: _, ...withoutClient } = rest;
      return withoutClient;
    }
    const secrets = [tokens.access, tokens.refresh, client.client_secret];
    throw explained(pluginName, 'asking for a new token', thrown, secrets);
  } finally {
    over.abort();
  }
}
