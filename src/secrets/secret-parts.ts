// The parts of a value that are secrets by themselves: all of it, the lines of a key, the password in a URL, the values in a JSON file.
import { isJsonArray, isJsonObject, type Json } from '../base/json.ts';
import { isHarmless, isSecret, isSecretName, isSecretValue } from './secret-shapes.ts';

/** Without surrounding blanks. */
export function partsOf(value: string): readonly string[] {
  const whole = value.trim();
  const members = membersOf(whole);
  if (members !== undefined) return [whole, ...linesOf(whole, LINE_MIN), ...members];
  const lines = linesOf(whole);
  return [whole, ...(lines.length > 0 ? lines : new NamedValues().of(whole))];
}

/** Logs show lines. In a variable, a key often has `\\n` between them. */
function linesOf(text: string, shortest = 0): string[] {
  const isKey = text.includes('-----BEGIN');
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  const pieces = lines.map((line) => (isKey ? line.split(/(?:\\r)?\\n/) : [line]));
  if (pieces.flat().length === 1) return [];
  const values = new NamedValues();
  let wholeLines = 0;
  return lines.flatMap((line, index) => {
    const found = (pieces[index] ?? []).map((piece) => piece.trim()).filter(isSecretLine);
    const kept = wholeLines < LINES_MAX ? found.filter((one) => one.length >= shortest) : [];
    wholeLines += kept.length;
    const named = [...values.of(line), ...(membersOf(line.replace(/,$/, '')) ?? [])];
    return [...kept, ...named.filter((one) => one.length >= shortest && !kept.includes(one))];
  });
}

/** Whether it is one as a whole. Short settings, titles and comments may stand anywhere. */
function isSecretLine(line: string): boolean {
  const isShort = line.length < LINE_MIN;
  if (line.startsWith('-----') || (isShort && /^[#;[]/.test(line))) return false;
  return SETTING.test(line) ? !isShort : isSecretValue(line, false);
}

/** `name: value`, `- name:`, `name = value`; base64 may end with `=` too. */
const SETTING = /^(?:-\s+)?[\w.-]+\s*(?::(?:\s.*)?|=\s*[^=\s].*)$/;
/** Shorter settings may occur in any text. */
const LINE_MIN = 16;
/** A file with more is not a key, and would displace the secrets of others. */
const LINES_MAX = 200;

/**
 * What the lines of a file have under names of secrets, and the passwords in their addresses: settings of shells, INI, TOML, YAML, JSON
 * with comments, netrc, XML, headers of HTTP. Rather one too many: a file that configuration refers to is a secret itself.
 */
class NamedValues {
  #left = LINES_MAX;
  /** The secret that a line such as `name: API_TOKEN` announces; its value is in the `value:` that follows. */
  #announced = false;

  of(line: string): string[] {
    if (this.#left <= 0) return [];
    const text = line.slice(0, NAMED_LINE_MAX);
    const found = [
      ...this.#settings(text),
      ...wordsBehindNames(text),
      ...inElements(text),
      ...inColumns(text),
      ...withinAddresses(text),
    ];
    const values = [...new Set(found)].slice(0, this.#left);
    this.#left -= values.length;
    return values;
  }

  #settings(text: string): string[] {
    return [...text.matchAll(ASSIGNMENT)].slice(0, NAMES_MAX).flatMap(({ 0: whole, 1: name = '', index }) => {
      const candidates = valuesAt(text.slice(index + whole.length));
      if (/^(?:name|key)$/i.test(name)) {
        this.#announced = candidates.some((one) => isSecretName(one) && /^[\w.-]+$/.test(one));
        if (this.#announced) return [];
      }
      const isAnnounced = this.#announced && /^value$/i.test(name);
      return isAnnounced || isSecretName(name) ? candidates.flatMap(namedSecrets) : [];
    });
  }
}

const NAMED_LINE_MAX = 4096;
const NAMES_MAX = 32;
/** The beginning of `name=…`, `"name": …`, `name => …`, wherever it stands in a line. */
const ASSIGNMENT = /(?<![\w.-])([\w.-]+)["']?\s{0,20}(?:=>|:=|[=:])\s*/g;

function namedSecrets(value: string): string[] {
  return bareSecrets(value).filter((one) => isSecretValue(one, true));
}

/** The value that a text begins with: what its quotes hold, or all of it, and all before a comment, a separator or the next setting. */
function valuesAt(text: string): string[] {
  const [, quote = '', quoted = ''] = /^(["'`])((?:\\.|(?!\1)[^\\])*)\1/.exec(text) ?? [];
  if (quote !== '') return quoted.includes('\\') ? [quoted, quoted.replaceAll(/\\(.)/g, '$1')] : [quoted];
  const values = [text];
  for (const end of VALUE_ENDS) values.push((values.at(-1) ?? '').replace(end, ''));
  return [...new Set(values.map((value) => value.trim()))];
}

/** What may stand behind a value without quotes, from the least to the most likely part of it. */
const VALUE_ENDS = [/\s(?:#|;|\/\/).*$/, /\s[\w.-]+\s{0,20}[=:].*$/, /["'`;,)\]}>]+$/, /[;&,}].*$/];

/** `machine example.com login ann password …`, `set -x API_TOKEN …`. What looks like a word of prose is left out. */
function wordsBehindNames(text: string): string[] {
  if (/^(?:#|;|\/\/)|-----/.test(text)) return [];
  const words = text.split(/\s+/);
  return words.flatMap((word, index) => {
    const value = words[index + 1] ?? '';
    if (!/^[\w.-]+$/.test(word) || !isSecretName(word) || /^(?:[=:]|[\w.-]+=)/.test(value)) return [];
    return valuesAt(words.slice(index + 1).join(' '))
      .flatMap((one) => (/^["'`]/.test(value) ? one : (one.split(' ')[0] ?? '')))
      .filter((one) => isSecretValue(one, false));
  });
}

/** `<password>…</password>` */
function inElements(text: string): string[] {
  return [...text.matchAll(ELEMENT)].flatMap(([, name = '', value = '']) =>
    isSecretName(name) ? namedSecrets(value.trim()) : [],
  );
}

const ELEMENT = /<([\w:.-]+)(?:\s[^<>]*)?>([^<>]+)</g;

/** The last of `user:password` and of `host:port:database:user:password`. */
function inColumns(text: string): string[] {
  const [, password = ''] = /^[\w.@*-]+:(?:(?:\d+|\*):[^\s:]+:[^\s:]+:)?([^\s:/\\][^\s:]*)$/.exec(text) ?? [];
  return isSecretValue(password, false) ? [password] : [];
}

/** A password also appears without its URL. A common word, such as `postgres`, is left out. */
function withinAddresses(text: string): string[] {
  return [...text.matchAll(ADDRESS)]
    .flatMap(([address]) => secretsInAddress(address))
    .filter((part) => isSecretValue(part, false));
}

const ADDRESS = /(?<=[a-z\d]):\/\/[^\s"'`<>]+/gi;

/** With the lines of each. Undefined if it is not a JSON object. */
function membersOf(text: string): string[] | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const members = secretsInJson(JSON.parse(text) as Json); // JSON.parse returns JSON
    return members.flatMap((one) => [one, ...linesOf(one)]);
  } catch {
    return undefined;
  }
}

/** Values with the name or the shape of a secret. */
export function secretsInJson(value: Json, name = ''): string[] {
  if (typeof value === 'string')
    return isSecret(name, value) ? bareSecrets(value).filter((one) => isSecretValue(one, true)) : [];
  if (isJsonArray(value)) return value.flatMap((item) => secretsInJson(item, name));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => secretsInJson(inner, key));
}

// The secret inside a text, without `Bearer`, the rest of the URL, or other settings.

/** Of a value with the name or the shape of a secret. In linear time for any text. */
export function bareSecrets(value: string): string[] {
  if (value.includes('://')) {
    const found = [...secretsInAddress(value), ...secretSettings(value)];
    // The path can be the secret; the host is in many other texts.
    return found.length > 0 || !isSecretValue(value.trim(), false) ? found : [value];
  }
  const [, scheme = '', rest = value] = /^\s*(bearer|basic|token)\s+(.*)$/is.exec(value) ?? [];
  if (scheme.toLowerCase() !== 'basic') return [rest, ...secretSettings(rest)];
  // `user:password`
  return [
    rest,
    Buffer.from(rest, 'base64')
      .toString()
      .replace(/^[^:]*:/, ''),
  ];
}

/** Passwords before the host, users without a password (these are keys), and query values with the name of a secret. */
export function secretsInAddress(text: string): string[] {
  const found: string[] = [];
  for (const [, login = ''] of text.matchAll(LOGIN)) {
    const [user = '', ...rest] = login.split(':');
    const password = rest.join(':');
    if (password !== '') found.push(password);
    if (password === '' ? isSecretValue(user, false) : isSecret('', user)) found.push(user);
  }
  for (const [, name = '', value = ''] of text.matchAll(QUERY)) if (isSecret(name, value)) found.push(value);
  return [...found, ...found.flatMap(decoded)];
}

/** `AccountName=…;AccountKey=…`, `host=… password=…` */
function secretSettings(text: string): string[] {
  return [...text.matchAll(text.includes(';') ? BARE_SETTING : WORD)].flatMap(([, name = '', value = '']) =>
    isSecret(name.trim(), value) || (/key\s*$/i.test(name) && !isHarmless(value))
      ? [value.trim().replace(/^(["'])(.*)\1$/s, '$2')]
      : [],
  );
}

// Each begins at a character that ends the one before.
const LOGIN = /:\/\/([^/\s]+)@/g;
const QUERY = /[?&]([^=&#?]+)=([^&#]*)/g;
const BARE_SETTING = /(?<![^;])([^=;]+)=([^;]*)/g;
const WORD = /(?<!\S)(\w+)=(\S*)/g;

function decoded(text: string): string[] {
  try {
    const plain = decodeURIComponent(text);
    return plain === text ? [] : [plain];
  } catch {
    return [];
  }
}
