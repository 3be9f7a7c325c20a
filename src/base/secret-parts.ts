// What of a value is a secret by itself: all of it, the lines of a key, the password in an address, those in a file of JSON.
import { bareSecrets, secretsInAddress } from './bare-secrets.ts';
import { isJsonArray, isJsonObject, type Json } from './json.ts';
import { isSecret } from './secret-shapes.ts';
import { isSecretValue } from './secret-values.ts';

/** Blanks around it are no part of it. */
export function partsOf(value: string): readonly string[] {
  const whole = value.trim();
  if (whole.includes('\n') || whole.startsWith('{')) return [whole, ...linesOf(whole), ...membersOf(whole)];
  return whole.includes('://') ? [whole, ...withinAddress(whole)] : [whole];
}

/** A password is told without its address too. Nobody says that it is a good one: `postgres` is in every other text. */
function withinAddress(text: string): string[] {
  return secretsInAddress(text).filter((part) => isSecretValue(part, false));
}

/** Logs are made of lines. */
function linesOf(text: string): string[] {
  if (!text.includes('\n')) return [];
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.length >= LINE_MIN && !line.startsWith('-----'))
    .slice(0, LINES_MAX);
}

/** Shorter lines may stand anywhere. */
const LINE_MIN = 16;
/** A file with more is no key, and would push out what others have. */
const LINES_MAX = 200;

function membersOf(text: string): string[] {
  if (!text.startsWith('{')) return [];
  try {
    return secretsInJson(JSON.parse(text) as Json); // what JSON.parse gives is JSON
  } catch {
    return [];
  }
}

/** What has the name or the shape of a secret. */
export function secretsInJson(value: Json, name = ''): string[] {
  if (typeof value === 'string')
    return isSecret(name, value) ? bareSecrets(value).filter((one) => isSecretValue(one, true)) : [];
  if (isJsonArray(value)) return value.flatMap((item) => secretsInJson(item, name));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => secretsInJson(inner, key));
}
