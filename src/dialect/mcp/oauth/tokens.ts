// What an authorisation server gave, as it is kept.
import type { OAuthTokens } from '@modelcontextprotocol/client';
import { isScope } from './challenge.ts';
import { isToken, type Tokens } from './record.ts';
import { refused } from './refusal.ts';

/** @throws PluglotError UNAUTHENTICATED when it cannot be sent */
export function tokensOf(pluginName: string, given: OAuthTokens, asked: string | undefined): Tokens {
  if (given.token_type.toLowerCase() !== 'bearer' || !isToken(given.access_token))
    throw refused(pluginName, 'its authorisation server gave a token that is no bearer token.');
  // One that says nothing has given all that was asked for.
  const scope = given.scope !== undefined && isScope(given.scope) ? given.scope : asked;
  return {
    access: given.access_token,
    ...(isToken(given.refresh_token) && { refresh: given.refresh_token }),
    ...(scope !== undefined && { scope }),
  };
}
