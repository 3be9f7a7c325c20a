// Reads JSON and remembers where everything stands, so that a complaint can name its line and an edit can keep the rest as it is.
import type { Json } from '../../base/json.ts';

export interface JsonReaderOptions {
  /** `json` to the letter; `jsonc` also takes comments and a comma after the last item. */
  readonly syntax: 'json' | 'jsonc';
  /**
   * How deep objects and arrays may nest.
   * @default 200
   */
  readonly depthLimit?: number;
}

export type JsonReading =
  | { readonly ok: true; readonly root: JsonNode; readonly duplicates: readonly JsonMember[] }
  | { readonly ok: false; readonly offset: number; readonly reason: string };

/** One value of the text; offsets are in UTF-16 units, `end` is the first one after it. */
export interface JsonNode {
  readonly start: number;
  readonly end: number;
  readonly value: Json;
  /** Of an object. A key that stands there twice is here twice; the last one counts. */
  readonly members?: readonly JsonMember[];
  /** The members that count, by key. */
  readonly byKey?: ReadonlyMap<string, JsonMember>;
  /** Of an array. */
  readonly items?: readonly JsonNode[];
}

export interface JsonMember {
  readonly key: string;
  /** Where the key begins. */
  readonly start: number;
  readonly node: JsonNode;
  /** Where the comma after it stands, if there is one. */
  readonly comma?: number;
}

export function readJson(text: string, options: JsonReaderOptions): JsonReading {
  const reader = new Reader(text, options.syntax === 'jsonc', options.depthLimit ?? 200);
  try {
    return { ok: true, root: reader.document(), duplicates: reader.duplicates };
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    return { ok: false, offset: error.offset, reason: error.message };
  }
}

/** The value a path leads to, or the last one on the way that exists. */
export function nodeAt(root: JsonNode, path: readonly string[]): JsonNode {
  let node = root;
  for (const step of path) {
    const next = memberOf(node, step)?.node ?? node.items?.[Number(step)];
    if (!next) return node;
    node = next;
  }
  return node;
}

/** The member that counts: the last one of its name. */
export function memberOf(node: JsonNode, key: string): JsonMember | undefined {
  return node.byKey?.get(key);
}

/** The members that count, each key once. */
export function countingMembers(node: JsonNode | undefined): JsonMember[] {
  return [...(node?.byKey?.values() ?? [])];
}

class NotJson extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

class Reader {
  readonly duplicates: JsonMember[] = [];
  readonly #text: string;
  readonly #lenient: boolean;
  readonly #depthLimit: number;
  #at = 0;

  constructor(text: string, lenient: boolean, depthLimit: number) {
    this.#text = text;
    this.#lenient = lenient;
    this.#depthLimit = depthLimit;
  }

  document(): JsonNode {
    this.#skip();
    const root = this.#value(0);
    this.#skip();
    if (this.#at < this.#text.length) this.#fail('the end of the file');
    return root;
  }

  #value(depth: number): JsonNode {
    const start = this.#at;
    switch (this.#text[start]) {
      case '{':
        return this.#object(depth + 1);
      case '[':
        return this.#array(depth + 1);
      case '"':
        return { value: this.#string(), start, end: this.#at };
      default:
        return { value: this.#literal(), start, end: this.#at };
    }
  }

  #object(depth: number): JsonNode {
    const start = this.#open(depth);
    const members: JsonMember[] = [];
    const value: Record<string, Json> = {};
    const byKey = new Map<string, JsonMember>();
    while (this.#text[this.#at] !== '}') {
      const keyStart = this.#at;
      if (this.#text[keyStart] !== '"')
        this.#fail(members.length === 0 ? 'a key in quotes or "}"' : 'a key in quotes');
      const key = this.#string();
      this.#skip();
      this.#take(':');
      this.#skip();
      const node = this.#value(depth);
      const comma = this.#separator('}');
      const member: JsonMember = { key, start: keyStart, node, ...(comma !== undefined && { comma }) };
      if (byKey.has(key)) this.duplicates.push(member);
      byKey.set(key, member);
      members.push(member);
      // Plain assignment to `__proto__` would set the prototype.
      Object.defineProperty(value, key, {
        value: node.value,
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
    this.#at += 1;
    return { value, members, byKey, start, end: this.#at };
  }

  #array(depth: number): JsonNode {
    const start = this.#open(depth);
    const items: JsonNode[] = [];
    while (this.#text[this.#at] !== ']') {
      items.push(this.#value(depth));
      this.#separator(']');
    }
    this.#at += 1;
    return { value: items.map((item) => item.value), items, start, end: this.#at };
  }

  #open(depth: number): number {
    const start = this.#at;
    if (depth > this.#depthLimit) throw new NotJson(start, `nested deeper than ${this.#depthLimit} levels`);
    this.#at += 1;
    this.#skip();
    return start;
  }

  /** Goes past the comma after an item, if there is one; else the closing bracket has to follow. */
  #separator(close: '}' | ']'): number | undefined {
    this.#skip();
    const at = this.#at;
    if (this.#text[at] === close) return undefined;
    if (this.#text[at] !== ',') this.#fail(`"," or "${close}"`);
    this.#at += 1;
    this.#skip();
    if (this.#text[this.#at] === close && !this.#lenient) {
      throw new NotJson(at, `a comma before "${close}", which JSON does not allow`);
    }
    return at;
  }

  #take(character: string): void {
    if (this.#text[this.#at] !== character) this.#fail(`"${character}"`);
    this.#at += 1;
  }

  #string(): string {
    const start = this.#at;
    this.#at += 1;
    let result = '';
    for (;;) {
      plain.lastIndex = this.#at;
      // It also matches nothing, so there is always a match.
      const run = plain.exec(this.#text)?.[0] ?? '';
      result += run;
      this.#at += run.length;
      const character = this.#text[this.#at];
      if (character === '"') {
        this.#at += 1;
        return result;
      }
      if (character === '\\') result += this.#escape();
      else if (character === undefined) throw new NotJson(start, 'text in quotes without an end');
      else if (character === '\n' || character === '\r')
        throw new NotJson(start, 'text in quotes that goes over the end of its line');
      else throw new NotJson(this.#at, 'a control character in text; write it as \\u and four digits');
    }
  }

  #escape(): string {
    const at = this.#at;
    escaped.lastIndex = at;
    const [whole, , digits] = escaped.exec(this.#text) ?? [];
    if (whole === undefined)
      throw new NotJson(at, `an escape that JSON does not know: ${shown(this.#text.slice(at, at + 2))}`);
    this.#at += whole.length;
    return digits === undefined
      ? (escapes[whole.slice(1)] ?? '')
      : String.fromCharCode(Number.parseInt(digits, 16));
  }

  #literal(): Json {
    literal.lastIndex = this.#at;
    const word = literal.exec(this.#text)?.[0];
    if (word === undefined) this.#fail('a value');
    this.#at += word.length;
    switch (word) {
      case 'null':
        return null;
      case 'true':
        return true;
      case 'false':
        return false;
      default:
        return Number(word);
    }
  }

  #skip(): void {
    for (;;) {
      blank.lastIndex = this.#at;
      this.#at += blank.exec(this.#text)?.[0].length ?? 0;
      if (!this.#lenient || this.#text[this.#at] !== '/') return;
      comment.lastIndex = this.#at;
      const found = comment.exec(this.#text)?.[0];
      if (found === undefined) {
        if (this.#text[this.#at + 1] === '*') throw new NotJson(this.#at, 'a comment without an end');
        return;
      }
      this.#at += found.length;
    }
  }

  #fail(expected: string): never {
    const rest = /^[^\s,:[\]{}"]{1,24}|^[^]/.exec(this.#text.slice(this.#at, this.#at + 24))?.[0];
    const isComment = rest?.startsWith('//') || rest?.startsWith('/*');
    const found = rest === undefined ? 'the end of the file' : isComment ? 'a comment' : shown(rest);
    throw new NotJson(this.#at, `expected ${expected}, found ${found}`);
  }
}

function shown(text: string): string {
  return text === '"' ? 'text in quotes' : JSON.stringify(text);
}

// Each is linear: no two ways lead over the same characters.
// oxlint-disable-next-line no-control-regex -- these are what JSON does not allow in text
const plain = /[^"\\\u0000-\u001f]*/y;
const escaped = /\\(?:(["\\/bfnrt])|u([0-9a-fA-F]{4}))/y;
const literal = /(?:null|true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y;
const blank = /[ \t\r\n]*/y;
const comment = /\/\/[^\n]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\//y;

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
