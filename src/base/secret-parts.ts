// What of a value is a secret by itself: all of it, the lines of a key, the password in an address, those in a file of JSON.
import { bareSecrets, secretsInAddress } from './bare-secrets.ts';
import { isJsonArray, isJsonObject, type Json } from './json.ts';
import { isSecret, isSecretName } from './secret-shapes.ts';
import { isSecretValue } from './secret-values.ts';

/** Blanks around it are no part of it. */
export function partsOf(value: string): readonly string[] {
  const whole = value.trim();
  const members = membersOf(whole);
  if (members !== undefined) return [whole, ...linesOf(whole, LINE_MIN), ...members];
  const lines = linesOf(whole);
  if (lines.length > 0) return [whole, ...lines];
  return whole.includes('://') ? [whole, ...withinAddress(whole)] : [whole];
}

/** A password is told without its address too. Nobody says that it is a good one: `postgres` is in every other text. */
function withinAddress(text: string): string[] {
  return secretsInAddress(text).filter((part) => isSecretValue(part, false));
}

/** Logs are made of lines. In a variable, a key often has `\\n` instead of their ends. */
function linesOf(text: string, shortest = 0): string[] {
  const isKey = text.includes('-----BEGIN');
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  const pieces = lines.map((line) => (isKey ? line.split(/(?:\\r)?\\n/) : [line]));
  if (pieces.flat().length === 1) return [];
  return lines
    .flatMap((line, index) => [
      ...(pieces[index] ?? []).flatMap((piece) => secretsInLine(piece.trim())),
      ...(membersOf(line.replace(/,$/, '')) ?? []),
    ])
    .filter((line) => line.length >= shortest)
    .slice(0, LINES_MAX);
}

/** All of it; of a setting, and of a short one alone, what a name of secrets stands before. */
function secretsInLine(line: string): string[] {
  const isShort = line.length < LINE_MIN;
  if (line.startsWith('-----') || (isShort && /^[#;[]/.test(line))) return [];
  const [, name, yaml, value = yaml ?? ''] = SETTING.exec(line) ?? [];
  if (name === undefined) return isSecretValue(line, false) ? [line] : [];
  const whole = isShort ? [] : [line];
  return isSecretName(name) && isSecretValue(value, true) ? [...whole, value] : whole;
}

/** `name: value`, `- name:`, `name = value`; base64 ends with such signs too. */
const SETTING = /^(?:-\s+)?([\w.-]+)\s*(?::(?:\s+(.*))?|=\s*([^=\s].*))$/;
/** Shorter settings may stand anywhere. */
const LINE_MIN = 16;
/** A file with more is no key, and would push out what others have. */
const LINES_MAX = 200;

/** With the lines of each. Undefined where it is not an object of JSON. */
function membersOf(text: string): string[] | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const members = secretsInJson(JSON.parse(text) as Json); // what JSON.parse gives is JSON
    return members.flatMap((one) => [one, ...linesOf(one)]);
  } catch {
    return undefined;
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
