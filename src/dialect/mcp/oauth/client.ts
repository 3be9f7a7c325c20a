// Who we are for an authorisation server: what is configured, what was registered there before, or newly registered (RFC 7591).
import {
  type OAuthClientInformationMixed,
  registerClient,
  RegistrationRejectedError,
} from '@modelcontextprotocol/client';
import type { Clock } from '../../../base/clock.ts';
import type { OAuthSettings } from '../../../definition/plugin-spec.ts';
import type { Access } from '../../access.ts';
import type { AuthorisationServer } from './authorisation-server.ts';
import type { AccessRecord, RegisteredClient } from './record.ts';
import { explained, refused } from './refusal.ts';

export function knownClient(
  settings: OAuthSettings,
  record: AccessRecord | undefined,
): OAuthClientInformationMixed | undefined {
  if (settings.clientId !== undefined)
    return {
      client_id: settings.clientId,
      ...(settings.clientSecret !== undefined && { client_secret: settings.clientSecret }),
    };
  return record?.client && informationOf(record.client);
}

export function informationOf({ id, secret, method }: RegisteredClient): OAuthClientInformationMixed {
  return {
    client_id: id,
    ...(secret !== undefined && { client_secret: secret }),
    ...(method !== undefined && { token_endpoint_auth_method: method }),
  };
}

/** @throws PluglotError UNAUTHENTICATED or UNAVAILABLE */
export async function register(
  { pluginName, send }: OAuthPorts,
  { issuer, metadata }: AuthorisationServer,
  redirectUri: string,
  scope: string | undefined,
): Promise<RegisteredClient> {
  if (metadata.registration_endpoint === undefined)
    throw refused(
      pluginName,
      `its authorisation server ${issuer} does not register clients by itself. Register pluglot there, with the address http://127.0.0.1/callback, and write the id into "oauth": { "clientId": "…" }.`,
    );
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['none'];
  const method = ['none', 'client_secret_basic', 'client_secret_post'].find((one) => methods.includes(one));
  try {
    const client = await registerClient(issuer, {
      metadata,
      clientMetadata: {
        client_name: 'pluglot',
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        application_type: 'native',
        ...(method !== undefined && { token_endpoint_auth_method: method }),
      },
      ...(scope !== undefined && { scope }),
      fetchFn: send,
    });
    const { client_id: id, client_secret: secret, token_endpoint_auth_method: answered } = client;
    return {
      id,
      redirectUri,
      ...(secret !== undefined && { secret }),
      ...((answered ?? method) !== undefined && { method: answered ?? method ?? '' }),
    };
  } catch (thrown) {
    // What it says may quote what was sent, and is long.
    if (thrown instanceof RegistrationRejectedError)
      throw refused(
        pluginName,
        `its authorisation server ${issuer} refused to register pluglot (HTTP ${thrown.status}).`,
      );
    throw explained(pluginName, 'registering at its authorisation server', thrown, []);
  }
}

/** What every step of an authorisation knows. */
export interface OAuthPorts {
  readonly pluginName: string;
  readonly url: URL;
  readonly settings: OAuthSettings;
  readonly access: Access;
  readonly clock: Clock;
  log(message: string): void;
  /** Gets every token and every secret of a client before it is used. */
  learn(secrets: readonly string[]): void;
  /** To authorisation servers, and for metadata: nothing of what is meant for the plugin goes with it. */
  readonly send: typeof fetch;
}
