// Why a server refuses us, for people to read: without secrets, and without the errors of libraries as causes.
import { OAuthError } from '@modelcontextprotocol/client';
import { PluglotError, toError } from '../../../base/error.ts';
import { sentence, shellWord, shortened } from '../../../base/text.ts';

/** The user has to do something about it. */
export function refused(pluginName: string, what: string): PluglotError {
  return new PluglotError('UNAUTHENTICATED', `Plugin "${pluginName}" cannot be authorised: ${what}`);
}

/** Another time it may work. */
export function unreachable(pluginName: string, what: string): PluglotError {
  return new PluglotError('UNAVAILABLE', `Plugin "${pluginName}" cannot be authorised now: ${what}`);
}

export function noPerson(pluginName: string, why: string): PluglotError {
  return refused(
    pluginName,
    `${why}, and no one is here to agree to it. Do it with: pluglot run mcp connect ${shellWord(pluginName)}. Or put a token into "headers".`,
  );
}

/** What an authorisation server answered instead of what was asked for. */
export function explained(
  pluginName: string,
  doing: string,
  thrown: unknown,
  secrets: readonly (string | undefined)[],
): PluglotError {
  if (thrown instanceof PluglotError) return thrown;
  const safe = (text: string) => shortened(withoutSecrets(text, secrets), 300);
  if (thrown instanceof OAuthError && thrown.code !== 'server_error')
    return refused(pluginName, `${doing} was refused: ${safe(`${thrown.code}: ${thrown.message}`)}.`);
  const error = toError(thrown);
  // The client quotes whole answers in its own errors.
  if (thrown instanceof OAuthError)
    return unreachable(pluginName, `${doing} failed at the authorisation server.`);
  const { cause } = error;
  const reason = cause instanceof Error ? cause.message : '';
  if (error instanceof TypeError && reason !== '')
    return unreachable(pluginName, `${doing} failed: ${sentence(safe(reason))}`);
  if (error.name === 'AbortError' || error.name === 'TimeoutError')
    return unreachable(pluginName, `${doing} took too long.`);
  return refused(pluginName, `${doing} was answered with what OAuth does not allow (${safe(error.name)}).`);
}

function withoutSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  return secrets.reduce<string>(
    (rest, secret) => (secret === undefined || secret === '' ? rest : rest.replaceAll(secret, '***')),
    text,
  );
}
