// Whether a value is what a rule forbids, however it is written: in other letters, as a path from elsewhere, as an address in another form.
import path from 'node:path';
import type { Json, JsonObject } from '../../../base/json.ts';
import { textOf } from '../../../base/shown.ts';
import { literalStart, matchesGlob } from '../glob.ts';

/** Where relative paths start, and what `~` is. */
export interface Folders {
  readonly cwd: string;
  readonly home: string;
}

/** Longer texts are not paths. */
const PLACE_MAX = 8192;

/** About 30 ms: as long as one call may keep the host from others. The costs below are in units of about 25 ns. */
const WORK_MAX = 1_000_000;

/** The values of one call. How each can be written is found out once, and all comparisons together have an end. */
export class ForbiddenTexts {
  readonly #args: JsonObject;
  readonly #folders: Folders;
  readonly #texts = new Map<string, readonly string[]>();
  readonly #patterns = new Map<string, readonly string[]>();
  #members: ReadonlyMap<string, readonly Json[]> | undefined;
  #left = WORK_MAX;

  constructor(args: JsonObject, folders: Folders) {
    this.#args = args;
    this.#folders = folders;
  }

  /** There was more to compare than is done for one call. From then on everything counts as forbidden. */
  get isTooMuch(): boolean {
    return this.#left < 0;
  }

  get argumentCount(): number {
    return Object.keys(this.#args).length;
  }

  /** Whether one of the patterns fits an argument of this name: at any depth, one value of a list or an object is enough. */
  hasArgument(key: string, patterns: readonly string[]): boolean {
    for (const value of this.#valuesOf(key))
      for (const text of this.#textsIn(value))
        if (patterns.some((pattern) => this.isText(pattern, text))) return true;
    return this.isTooMuch;
  }

  isText(pattern: string, text: string): boolean {
    const patterns = this.#patternsOf(pattern);
    const forms = this.#formsOf(text);
    return forms.some((form) => {
      // Only a pattern that begins with a star looks at all of the text.
      for (const one of patterns) this.#left -= one.startsWith('*') ? 4 + form.length / 8 : 1;
      return this.isTooMuch || patterns.some((one) => matchesGlob(one, form));
    });
  }

  #patternsOf(pattern: string): readonly string[] {
    let forms = this.#patterns.get(pattern);
    if (forms === undefined) {
      // What forbids all that is in a folder forbids the folder.
      const written = foldedForms(pattern).flatMap((one) => patternForms(one, this.#folders));
      forms = [...new Set(written.flatMap((one) => (one.endsWith('/*') ? [one, one.slice(0, -2)] : [one])))];
      this.#patterns.set(pattern, forms);
    }
    return forms;
  }

  #formsOf(text: string): readonly string[] {
    let forms = this.#texts.get(text);
    if (forms === undefined) {
      this.#left -= costOf(text);
      forms = this.isTooMuch ? [''] : [...new Set(textForms(text, this.#folders))];
      this.#texts.set(text, forms);
    }
    return forms;
  }

  /** What arguments of this name have. A tool may read names as it reads values: in any case, without what is not seen. */
  *#valuesOf(key: string): Iterable<Json> {
    this.#members ??= membersOf(this.#args, (cost) => (this.#left -= cost));
    for (const form of foldedForms(key)) {
      const { text, isAll } = literalStart(form);
      if (isAll) yield* this.#members.get(text) ?? [];
      else
        for (const [name, values] of this.#members) {
          this.#left -= 8 + name.length / 4;
          if (this.isTooMuch) return;
          if (matchesGlob(form, name)) yield* values;
        }
    }
  }

  /** All of it as one text, and each value in it. */
  *#textsIn(value: Json): Iterable<string> {
    const text = textOf(value);
    this.#left -= 8 + text.length / 4;
    yield text;
    if (typeof value === 'object' && value !== null) yield* this.#leavesOf(value);
  }

  *#leavesOf(value: object): Iterable<string> {
    for (const inner of Object.values(value) as Json[]) {
      if (this.isTooMuch) return;
      this.#left -= 8;
      if (typeof inner === 'object' && inner !== null) yield* this.#leavesOf(inner);
      else yield textOf(inner);
    }
  }
}

/** What all members of each name have, by the forms of the name. One inside of another of its name is left out, since it is part of that. */
function membersOf(args: JsonObject, spend: (cost: number) => void): ReadonlyMap<string, readonly Json[]> {
  const members = new Map<string, Json[]>();
  const formsOf = new Map<string, readonly string[]>();
  const around = new Set<string>();
  const look = (value: Json): void => {
    if (typeof value !== 'object' || value === null) return;
    const isList = Array.isArray(value);
    for (const [name, inner] of Object.entries(value)) {
      spend(8 + name.length / 4);
      if (isList) {
        look(inner);
        continue;
      }
      let forms = formsOf.get(name);
      if (forms === undefined) formsOf.set(name, (forms = foldedForms(name)));
      const added = forms.filter((form) => !around.has(form));
      for (const form of added) {
        const values = members.get(form);
        if (values === undefined) members.set(form, [inner]);
        else values.push(inner);
        around.add(form);
      }
      look(inner);
      for (const form of added) around.delete(form);
    }
  };
  look(args);
  return members;
}

/** What it takes to find out how a text can be written. */
function costOf(text: string): number {
  const isPlain = /^[ -~]*$/.test(text);
  const steps = text.length <= PLACE_MAX ? stepsIn(text) : 0;
  const isAddress = /^[^a-z]{0,50}[a-z][^:/]{0,100}:/i.test(text);
  return 50 + text.length * ((isPlain ? 0.2 : 2.5) + (isAddress ? 2 : 0)) + steps * 25;
}

/** Each step of a path is looked at several times. */
function stepsIn(text: string): number {
  let steps = text.includes('%') ? text.length / 3 : 1;
  for (let at = 0; at < text.length; at += 1) if (text[at] === '/' || text[at] === '\\') steps += 1;
  return steps;
}

function patternForms(pattern: string, { cwd, home }: Folders): string[] {
  const plain = pattern.replace(/^(?:\.\/+)+/, '');
  if (plain.startsWith('~/')) return [plain, folded(home) + plain.slice(1)];
  // Of a file, its path is the address in another form.
  const file = /^file:\/\/(?:localhost|127\.0\.0\.1)?(\/.*)$/s.exec(plain)?.[1];
  if (file !== undefined) return [plain, file];
  const isAnywhere = /^(?:[/*?]|[a-z][a-z\d+.-]*:)/.test(plain);
  return isAnywhere ? [plain] : [plain, `${folded(cwd)}/${plain}`];
}

function* textForms(text: string, folders: Folders): Iterable<string> {
  for (const plain of foldedForms(text)) {
    yield plain;
    yield* pathForms(plain, folders);
    const address = addressOf(plain);
    if (address === undefined) continue;
    yield* [address.href, address.href.replace(/\/$/, '')];
    if (address.protocol === 'file:') yield* pathForms(address.pathname, folders);
  }
}

function* pathForms(text: string, { cwd, home }: Folders): Iterable<string> {
  if (text.length > PLACE_MAX) return;
  // What was encoded may be in other letters, or invisible.
  for (const decoded of text.includes('%') ? foldedForms(decodedText(text)) : [text]) {
    const slashed = decoded.replaceAll('\\', '/');
    const place = slashed.replace(/^~(?=\/|$)/, () => folded(home));
    yield decoded;
    yield path.posix.normalize(slashed).replace(/(?<=.)\/$/, '');
    yield path.posix.resolve(folded(cwd), place);
  }
}

/** As a text may be read: control characters are kept, dropped (by parsers of addresses), or end it (NUL). */
export function foldedForms(text: string): readonly string[] {
  // Most texts are so, and need no look at what characters are.
  if (/^[ -~]*$/.test(text)) return [text.trim().toLowerCase()];
  if (!/[\p{Cc}\p{Cn}\p{Co}\p{Cs}]/u.test(text)) return [folded(text)];
  const end = text.indexOf('\0');
  const cut = end === -1 ? [] : [folded(text.slice(0, end))];
  return [...new Set([folded(text), folded(withoutControls(text)), ...cut])];
}

/** Without what is not seen, in small letters: file systems may take both for the same. */
function folded(text: string): string {
  const whole = text.normalize('NFKC');
  const seen = whole.replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '');
  // What stood apart may be one character now.
  return (seen.length === whole.length ? seen : seen.normalize('NFKC')).trim().toLowerCase();
}

/** As parsers of addresses and paths may read it: without characters that are not seen. */
export function withoutControls(text: string): string {
  return text.replaceAll(/[\p{C}\p{Default_Ignorable_Code_Point}]/gu, '');
}

/** Of three encodings over one another at most. */
export function decodedText(text: string): string {
  let decoded = text;
  for (let times = 0; times < 3 && decoded.includes('%'); times += 1)
    decoded = decoded.replaceAll(/(?:%[\da-f]{2})+/gi, (escapes) => {
      try {
        return decodeURIComponent(escapes);
      } catch {
        // Not UTF-8; decoders still read the rest of it.
        return escapes.replaceAll(/%[0-7][\da-f]/gi, decodeURIComponent);
      }
    });
  return decoded;
}

/** As a browser understands it: numbers as they are usual, no name of a user, no dot behind the host. */
function addressOf(text: string): URL | undefined {
  if (!/^[a-z][a-z\d+.-]*:/.test(text) || !URL.canParse(text)) return undefined;
  const address = new URL(text);
  address.username = '';
  address.password = '';
  const [, high, low] = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/.exec(address.hostname) ?? [];
  if (high !== undefined && low !== undefined)
    address.hostname = String(parseInt(high, 16) * 65_536 + parseInt(low, 16));
  else if (address.hostname.endsWith('.')) address.hostname = address.hostname.slice(0, -1);
  return address;
}
