// The head of a request once more, without its wish for another protocol (RFC 9110, section 7.8).
import type { IncomingMessage } from 'node:http';

/** Node leaves out what is beyond 2000, and a head that lacks its length must not be read again. */
const HEADERS_MAX = 1000;
const wishes: ReadonlySet<string> = new Set(['upgrade', 'http2-settings']);

/** Undefined for one with so many headers that Node may not have kept all. */
export function withoutUpgrade({
  method,
  url,
  httpVersion,
  rawHeaders,
}: IncomingMessage): Buffer | undefined {
  if (rawHeaders.length > 2 * HEADERS_MAX) return undefined;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    const lowerName = name.toLowerCase();
    if (wishes.has(lowerName)) continue;
    const kept = lowerName === 'connection' ? withoutWishes(value) : value;
    lines.push(`${name}: ${kept}`);
  }
  // As Node has read it: one character for each byte.
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

function withoutWishes(connection: string): string {
  const options = connection.split(',').map((option) => option.trim());
  return options.filter((option) => !wishes.has(option.toLowerCase())).join(', ') || 'keep-alive';
}
