// How much structure a JSON text may have. It is counted before the text is parsed: parsing, copying and checking cost far more for each key
// and value than for each character.

export interface JsonLimits {
  /** Objects and arrays inside of each other. */
  readonly depth: number;
  /** Names of members, in all objects together; a name that stands there twice counts twice. */
  readonly keys: number;
  /** Values in all objects and arrays together. */
  readonly values: number;
}

/** Which limit the text from `start` to `end` exceeds, as a sentence; undefined: none. What is not JSON is left to the parser. */
export function exceededLimit(
  text: string,
  limits: JsonLimits,
  start = 0,
  end = text.length,
): string | undefined {
  let depth = 0;
  let keys = 0;
  let values = 0;
  for (let at = start; at < end; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at + 1, end);
        break;
      case COLON:
        if ((keys += 1) > limits.keys) return `It has more than ${limits.keys} keys.`;
        break;
      case COMMA:
        if ((values += 1) > limits.values) return `It has more than ${limits.values} values.`;
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        if ((depth += 1) > limits.depth) return `It is nested more than ${limits.depth} levels deep.`;
        // The first value of an object or array has no comma before it.
        if ((values += 1) > limits.values) return `It has more than ${limits.values} values.`;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth -= 1;
        break;
      default:
    }
  }
  return undefined;
}

/** Where the quote is that ends the string which begins at `from`; `end` where there is none. */
function endOfString(text: string, from: number, end: number): number {
  let at = from;
  for (;;) {
    for (const near = Math.min(at + NEAR, end); at < near; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) return at;
      if (code === BACKSLASH) at += 1;
    }
    if (at >= end) return end;
    // A long string without quotes is searched far quicker this way than by character.
    const quote = text.indexOf('"', at);
    if (quote === -1 || quote >= end) return end;
    let escapes = quote;
    while (escapes > at && text.charCodeAt(escapes - 1) === BACKSLASH) escapes -= 1;
    if ((quote - escapes) % 2 === 0) return quote;
    at = quote + 1;
  }
}

const NEAR = 32;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
