// A new token for an old one, without a person: one at a time, in whatever process.
import { OAuthError, refreshAuthorization } from '@modelcontextprotocol/client';
import { late, within } from '../../../base/within.ts';
import { knownClient } from './client.ts';
import type { Place } from './place.ts';
import type { OAuthPorts } from './ports.ts';
import { readRecord, recordKey, writeRecord, type AccessRecord } from './record.ts';
import { explained, unreachable } from './refusal.ts';
import { tokensOf } from './tokens.ts';

/** The safe is held meanwhile. */
const REFRESH_MS = 8000;

/**
 * The record with other tokens than those that were used; without any where the old ones are worth nothing any more, and a person is
 * needed.
 * @throws PluglotError UNAVAILABLE when nobody answers: then all is as it was
 */
export async function refresh(
  ports: OAuthPorts,
  place: Place,
  used: string | undefined,
): Promise<AccessRecord | undefined> {
  let result: AccessRecord | undefined;
  await ports.access.safe.change(recordKey(ports.url, ports.settings.clientId), async (text) => {
    const record = readRecord(text, ports.url);
    result = record?.issuer === place.issuer ? record : undefined;
    if (result?.tokens === undefined || result.tokens.access !== used) return undefined;
    result = await refreshed(ports, place, result);
    return writeRecord(result);
  });
  return result;
}

async function refreshed(ports: OAuthPorts, place: Place, record: AccessRecord): Promise<AccessRecord> {
  const { pluginName, settings, clock, send } = ports;
  const { tokens, ...rest } = record;
  const client = knownClient(settings, record);
  if (tokens?.refresh === undefined || client === undefined) return rest;
  const over = new AbortController();
  try {
    const asked = refreshAuthorization(place.issuer, {
      metadata: place.metadata,
      clientInformation: client,
      refreshToken: tokens.refresh,
      resource: place.resource,
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
