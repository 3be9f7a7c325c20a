// Reads JSON and keeps the place of every value, so that an error can name its line and an edit can leave the rest of the text alone.
import { type JSONVisitor, visit } from 'jsonc-parser';
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
  /** Line and column count from 1. */
  | { readonly ok: false; readonly line: number; readonly column: number; readonly reason: string };

/** One value of the text. Offsets are in UTF-16 units, `end` is the first one after it; lines count from 1. */
export interface JsonNode {
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly value: Json;
  /** Of an object. A duplicate key is here twice; the last one counts. */
  readonly members?: readonly JsonMember[];
  /** The members that count, by key. */
  readonly byKey?: ReadonlyMap<string, JsonMember>;
  /** Of an array. */
  readonly items?: readonly JsonNode[];
  /** The offset of the comma after the value, if it has one. */
  comma?: number;
}

export interface JsonMember {
  readonly key: string;
  /** Where the key begins. */
  readonly start: number;
  readonly line: number;
  readonly node: JsonNode;
}

export function readJson(text: string, { syntax, depthLimit = 200 }: JsonReaderOptions): JsonReading {
  const isStrict = syntax === 'json';
  const builder = new TreeBuilder(text, isStrict, depthLimit);
  try {
    visit(text, builder.visitor, { disallowComments: isStrict, allowTrailingComma: !isStrict });
  } catch (error) {
    if (!(error instanceof SyntaxFailure)) throw error;
    return { ok: false, line: error.line, column: error.column, reason: error.message };
  }
  return { ok: true, root: builder.root, duplicates: builder.duplicates };
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

class SyntaxFailure extends Error {
  readonly line: number;
  readonly column: number;

  /** @param place line and column as the parser counts them: from 0 */
  constructor(message: string, { line, column }: Place) {
    super(message);
    this.line = line + 1;
    this.column = column + 1;
  }
}

interface Place {
  readonly line: number;
  readonly column: number;
}

/** An object or array whose end has not been reached. */
interface OpenNode {
  readonly start: number;
  readonly line: number;
  readonly items: JsonNode[];
  /** Of an object. */
  readonly members?: JsonMember[];
  readonly byKey?: Map<string, JsonMember>;
  key?: Omit<JsonMember, 'node'>;
}

class TreeBuilder {
  readonly duplicates: JsonMember[] = [];
  readonly #text: string;
  readonly #isStrict: boolean;
  readonly #depthLimit: number;
  readonly #document: OpenNode = { start: 0, line: 1, items: [] };
  readonly #open: OpenNode[] = [this.#document];
  /** What may come next, for errors. */
  #expected = 'a value';
  /** Set while the last token is a comma. */
  #comma: Place | undefined;

  constructor(text: string, isStrict: boolean, depthLimit: number) {
    this.#text = text;
    this.#isStrict = isStrict;
    this.#depthLimit = depthLimit;
  }

  get root(): JsonNode {
    // Without a value the parser reports an error.
    return this.#document.items[0] as JsonNode;
  }

  /** Each callback sets what is expected before the parser looks at the next token. */
  readonly visitor: JSONVisitor = {
    onObjectBegin: (offset, _length, line, column) => {
      this.#begin(
        { start: offset, line: line + 1, items: [], members: [], byKey: new Map() },
        { line, column },
      );
      this.#expected = 'a key in quotes or "}"';
    },
    onObjectProperty: (key, offset, _length, line) => {
      this.#comma = undefined;
      this.#current.key = { key, start: offset, line: line + 1 };
      this.#expected = '":"';
    },
    onObjectEnd: (offset, _length, line, column) => this.#end('}', offset, { line, column }),
    onArrayBegin: (offset, _length, line, column) => {
      this.#begin({ start: offset, line: line + 1, items: [] }, { line, column });
      this.#expected = 'a value';
    },
    onArrayEnd: (offset, _length, line, column) => this.#end(']', offset, { line, column }),
    onLiteralValue: (value: Json, offset, length, line) =>
      this.#add({ value, start: offset, end: offset + length, line: line + 1 }),
    onSeparator: (character, offset, _length, line, column) => {
      const { items, members } = this.#current;
      const last = items.at(-1);
      if (character === ',' && last) {
        last.comma = offset;
        this.#comma = { line, column };
      }
      this.#expected = character === ',' && members ? 'a key in quotes' : 'a value';
    },
    onError: (_code, offset, _length, line, column) => this.#fail(offset, { line, column }),
  };

  get #current(): OpenNode {
    return this.#open.at(-1) ?? this.#document;
  }

  #begin(node: OpenNode, place: Place): void {
    if (this.#open.length > this.#depthLimit)
      throw new SyntaxFailure(`nested deeper than ${this.#depthLimit} levels`, place);
    this.#open.push(node);
    this.#comma = undefined;
  }

  #end(close: '}' | ']', offset: number, place: Place): void {
    // The parser also reports an end where the text ends.
    if (this.#text[offset] !== close) this.#fail(offset, place);
    const { start, line, items, members, byKey } = this.#current;
    this.#open.pop();
    const range = { start, end: offset + 1, line };
    if (!members || !byKey) return this.#add({ ...range, items, value: items.map(({ value }) => value) });
    // Assigning to `__proto__` would set the prototype; fromEntries does not.
    const value = Object.fromEntries([...byKey].map(([key, { node }]) => [key, node.value]));
    this.#add({ ...range, members, byKey, value });
  }

  #add(node: JsonNode): void {
    const { key, items, members, byKey } = this.#current;
    items.push(node);
    if (key && members && byKey) {
      const member = { ...key, node };
      if (byKey.has(key.key)) this.duplicates.push(member);
      byKey.set(key.key, member);
      members.push(member);
    }
    this.#comma = undefined;
    this.#expected = this.#open.length === 1 ? 'the end of the file' : `"," or "${members ? '}' : ']'}"`;
  }

  #fail(offset: number, place: Place): never {
    const rest = this.#text.slice(offset, offset + 24);
    if (this.#comma && this.#open.length > 1 && rest[0] === (this.#current.members ? '}' : ']'))
      throw new SyntaxFailure(`a comma before "${rest[0]}", which JSON does not allow`, this.#comma);
    const inString = rest.startsWith('"') ? errorInString(this.#text, offset) : undefined;
    if (inString)
      throw new SyntaxFailure(inString.reason, { ...place, column: place.column + inString.at - offset });
    // In `jsonc` no other comment is an error.
    if (!this.#isStrict && rest.startsWith('/*')) throw new SyntaxFailure('a comment without an end', place);
    const [token] = /^[^\s,:[\]{}"]{1,24}|^[^]/.exec(rest) ?? [];
    throw new SyntaxFailure(`expected ${this.#expected}, found ${tokenName(token)}`, place);
  }
}

/** What is wrong inside of the text in quotes that begins at `start`. */
function errorInString(text: string, start: number): { at: number; reason: string } | undefined {
  validString.lastIndex = start;
  const at = start + (validString.exec(text)?.[0].length ?? 0);
  const character = text[at];
  switch (character) {
    case '"':
      return undefined;
    case undefined:
      return { at: start, reason: 'text in quotes without an end' };
    case '\n':
    case '\r':
      return { at: start, reason: 'text in quotes that goes over the end of its line' };
    case '\\':
      return { at, reason: `an escape that JSON does not know: ${JSON.stringify(text.slice(at, at + 2))}` };
    default:
      return { at, reason: 'a control character in text; write it as \\u and four digits' };
  }
}

// Up to the closing quote or the first error. Linear: no two ways lead over the same characters.
// oxlint-disable-next-line no-control-regex -- these are what JSON does not allow in text
const validString = /"(?:[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;

function tokenName(token: string | undefined): string {
  if (token === undefined) return 'the end of the file';
  if (token.startsWith('//') || token.startsWith('/*')) return 'a comment';
  return token === '"' ? 'text in quotes' : JSON.stringify(token);
}
