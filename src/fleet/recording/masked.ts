// A message as it may be kept: without what looks like a secret, and without the values that are known to be one.
import { isJsonArray, isJsonObject, type Json } from '../../base/json.ts';
import { maskedEntry } from '../discovery/secrets.ts';

const MASK = '***';

export function masked(message: Json, secrets: readonly string[] = []): Json {
  const known = secrets.filter((secret) => secret.length >= SECRET_MIN);
  const { config } = maskedEntry({ config: { message } });
  const guessed = config?.['message'] ?? null;
  return known.length === 0 ? guessed : withoutValues(guessed, known);
}

/** Shorter ones stand in too many words that mean something else. */
const SECRET_MIN = 6;

function withoutValues(value: Json, secrets: readonly string[]): Json {
  if (typeof value === 'string')
    return secrets.reduce((text, secret) => text.replaceAll(secret, MASK), value);
  if (isJsonArray(value)) return value.map((item) => withoutValues(item, secrets));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withoutValues(inner, secrets)]),
  );
}
