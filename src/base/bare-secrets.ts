// What of a text is the secret itself: without the word before it, the address around it, the other settings beside it.
import { isHarmless, isSecret } from './secret-shapes.ts';
import { isSecretValue } from './secret-values.ts';

/** Of a value that has the name or the shape of a secret. In linear time, whatever it is. */
export function bareSecrets(value: string): string[] {
  if (value.includes('://')) {
    const found = [...secretsInAddress(value), ...secretSettings(value)];
    // The way to something can be the secret; where a server is stands in every other text.
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

/** Passwords before hosts, users without one, which are keys then, and what has the name of a secret behind them. */
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
  return [...text.matchAll(text.includes(';') ? SETTING : WORD)].flatMap(([, name = '', value = '']) =>
    isSecret(name.trim(), value) || (/key\s*$/i.test(name) && !isHarmless(value))
      ? [value.trim().replace(/^(["'])(.*)\1$/s, '$2')]
      : [],
  );
}

// Each begins at something that ends the one before.
const LOGIN = /:\/\/([^/\s]+)@/g;
const QUERY = /[?&]([^=&#?]+)=([^&#]*)/g;
const SETTING = /(?<![^;])([^=;]+)=([^;]*)/g;
const WORD = /(?<!\S)(\w+)=(\S*)/g;

function decoded(text: string): string[] {
  try {
    const plain = decodeURIComponent(text);
    return plain === text ? [] : [plain];
  } catch {
    return [];
  }
}
