// Why a server does not let us in, in words for people: without a word of what is secret, and without errors of others behind it.
import { OAuthError } from '@modelcontextprotocol/client';
import { PluglotError, toError } from '../../../base/error.ts';
import { shellWord } from '../../../base/shell-word.ts';
import { shortened } from '../../../base/shown.ts';
import { sentence } from '../../../base/sentence.ts';

/** Somebody has to do something about it. */
export function refused(pluginName: string, what: string): PluglotError {
  return new PluglotError('UNAUTHENTICATED', `Plugin "${pluginName}" cannot be authorised: ${what}`);
}

/** Another time it may work. */
export function unreachable(pluginName: string, what: string): PluglotError {
  return new PluglotError('UNAVAILABLE', `Plugin "${pluginName}" cannot be authorised now: ${what}`);
}

export function nobodyThere(pluginName: string, why: string): PluglotError {
  return refused(
    pluginName,
    `${why}, and nobody is here to say yes to it. Do it with: pluglot run mcp connect ${shellWord(pluginName)}. Or put a token into "headers".`,
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
  const said = (text: string) => shortened(withoutSecrets(text, secrets), 300);
  if (thrown instanceof OAuthError && thrown.code !== 'server_error')
    return refused(pluginName, `${doing} was refused: ${said(`${thrown.code}: ${thrown.message}`)}.`);
  const error = toError(thrown);
  // The client quotes whole answers in its own errors.
  if (thrown instanceof OAuthError)
    return unreachable(pluginName, `${doing} failed at the authorisation server.`);
  const { cause } = error;
  const reason = cause instanceof Error ? cause.message : '';
  if (error instanceof TypeError && reason !== '')
    return unreachable(pluginName, `${doing} failed: ${sentence(said(reason))}`);
  if (error.name === 'AbortError' || error.name === 'TimeoutError')
    return unreachable(pluginName, `${doing} took too long.`);
  return refused(pluginName, `${doing} was answered with what OAuth does not allow (${said(error.name)}).`);
}

function withoutSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  return secrets.reduce<string>(
    (rest, secret) => (secret === undefined || secret === '' ? rest : rest.replaceAll(secret, '***')),
    text,
  );
}
