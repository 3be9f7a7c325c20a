// Whether a value is what a rule forbids, however it is written: in other letters, as a path from elsewhere, as an address in another form.
import path from 'node:path';
import { isSameJson, type Json, type JsonObject } from '../../../base/json.ts';
import { textOf } from '../../../base/text.ts';
import {
  decodedText,
  folded,
  hasManyMarks,
  withoutControls,
  withoutIgnorables,
} from '../../../base/unescaped.ts';
import { free, literalStart, matchesGlob, type Spend } from '../glob.ts';

/** Where relative paths start, and what `~` is. */
export interface Folders {
  readonly cwd: string;
  readonly home: string;
}

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
  hasArgument(key: string, patterns: readonly string[], whole?: Json): boolean {
    for (const value of this.valuesOf(key)) {
      if (whole !== undefined && this.#has(value, whole)) return true;
      for (const text of this.#textsIn(value))
        if (patterns.some((pattern) => this.isText(pattern, text))) return true;
    }
    return this.isTooMuch;
  }

  #has(value: Json, whole: Json): boolean {
    if (typeof value !== 'object' || value === null || !this.#spend(8)) return false;
    return isSameJson(whole, value) || Object.values(value).some((inner) => this.#has(inner, whole));
  }

  isText(pattern: string, text: string): boolean {
    // What a text becomes in another form may depend on what follows, which in a pattern is a star.
    if (this.isGlob(pattern, text)) return true;
    const patterns = this.#patternsOf(pattern);
    const forms = this.#formsOf(text);
    return forms.some((form) => {
      this.#left -= patterns.length;
      return this.isTooMuch || patterns.some((one) => this.isGlob(one, form));
    });
  }

  /** As it is written. */
  isGlob(pattern: string, text: string): boolean {
    return matchesGlob(pattern, text, this.#spend);
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
      this.#left -= 50;
      forms = this.isTooMuch ? [''] : [...new Set(textForms(text, this.#folders, this.#spend))];
      this.#texts.set(text, forms);
    }
    return forms;
  }

  /** False where there is not enough left: then nothing is done, and all counts as forbidden. */
  readonly #spend: Spend = (cost) => {
    this.#left -= cost;
    return !this.isTooMuch;
  };

  /** What arguments of this name have. A tool may read names as it reads values: in any case, without what is not seen. */
  *valuesOf(key: string): Iterable<Json> {
    this.#members ??= membersOf(this.#args, this.#spend);
    for (const form of new Set([key, ...foldedForms(key)])) {
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
    const isList = Array.isArray(value);
    for (const [name, inner] of Object.entries(value) as [string, Json][]) {
      if (this.isTooMuch) return;
      this.#left -= 8;
      if (!isList) yield name;
      if (typeof inner === 'object' && inner !== null) yield* this.#leavesOf(inner);
      else yield textOf(inner);
    }
  }
}

/** What all members of each name have, by the forms of the name. One inside of another of its name is left out, since it is part of that. */
function membersOf(args: JsonObject, spend: Spend): ReadonlyMap<string, readonly Json[]> {
  const members = new Map<string, Json[]>();
  const formsOf = new Map<string, readonly string[]>();
  const enclosing = new Set<string>();
  const look = (value: Json): void => {
    if (typeof value !== 'object' || value === null) return;
    const isList = Array.isArray(value);
    for (const [name, inner] of Object.entries(value)) {
      if (!spend(8 + name.length / 4)) return;
      if (isList) {
        look(inner);
        continue;
      }
      let forms = formsOf.get(name);
      if (forms === undefined) formsOf.set(name, (forms = [...new Set([name, ...foldedForms(name, spend)])]));
      const added = forms.filter((form) => !enclosing.has(form));
      for (const form of added) {
        const values = members.get(form);
        if (values === undefined) members.set(form, [inner]);
        else values.push(inner);
        enclosing.add(form);
      }
      look(inner);
      for (const form of added) enclosing.delete(form);
    }
  };
  look(args);
  return members;
}

function patternForms(pattern: string, { cwd, home }: Folders): string[] {
  const plain = normalPattern(pattern);
  if (plain === '~' || plain.startsWith('~/')) return [plain, normalPath(folded(home) + plain.slice(1))];
  // Of a file, its path is the address in another form.
  const file = /^file:\/\/(?:localhost|127\.0\.0\.1)?(\/.*)$/s.exec(plain)?.[1];
  if (file !== undefined) return [plain, file];
  const host = /[.。:x]/.test(plain) ? hostForm(plain) : undefined;
  if (host !== undefined) return [plain, host];
  const isAnywhere = /^(?:[/*?]|[a-z][a-z\d+.-]*:)/.test(plain);
  return isAnywhere ? [plain] : [plain, path.posix.join(folded(cwd), plain)];
}

/** A path or address as values are compared with it: without `..`, `//`, a user, or a port that is the usual one. */
function normalPattern(pattern: string): string {
  // Brackets escape: nothing in such a pattern is what it looks like.
  if (pattern.includes('[')) return pattern.replace(/^(?:\.\/+)+/, '');
  const start = literalStart(pattern).text;
  const rest = pattern.slice(start.length);
  if (/^[a-z][a-z\d+.-]*:/.test(start)) {
    // A host that is not all there cannot be read as one.
    const address = /^[^:]+:\/\/[^/]+\//.test(start) || rest === '' ? addressOf(start) : undefined;
    return address === undefined
      ? pattern
      : address.href.replace(/(?<=[^/])\/$/, start.endsWith('/') ? '/' : '') + rest;
  }
  // Behind a star, `..` may lead anywhere.
  if (start === '' || rest.includes('..')) return pattern.replace(/^(?:\.\/+)+/, '');
  const normal = path.posix.normalize(start);
  // A star that follows a name is a part of it; the folder itself is meant as well as what is in it.
  return rest === '' ? normal.replace(/(?<=.)\/$/, '') : (normal === './' ? '' : normal) + rest;
}

function* textForms(text: string, folders: Folders, spend: Spend): Iterable<string> {
  for (const plain of foldedForms(text, spend)) {
    yield plain;
    yield* pathForms(plain, folders, spend);
    if (plain.startsWith('file:')) yield* pathForms(plain.replace(/^file:(?:\/\/)?/, ''), folders, spend);
    const host = hostForm(plain) ?? plain;
    yield* [host, host.replace(/:\d{1,5}$/, '')];
    for (const written of addressReadings(plain, spend)) {
      const address = addressOf(written);
      if (address === undefined) continue;
      yield* [address.href, address.href.replace(/\/$/, '')];
      if (address.protocol === 'file:') yield* pathForms(address.pathname, folders, spend);
    }
  }
}

function* pathForms(text: string, { cwd, home }: Folders, spend: Spend): Iterable<string> {
  const escapes = countOf(text, '%');
  if (escapes > 0 && !spend(text.length / 5 + escapes * 6)) return;
  // What was encoded may be in other letters, or invisible.
  for (const decoded of escapes > 0 ? foldedForms(decodedText(text), spend) : [text]) {
    const steps = countOf(decoded, '/') + countOf(decoded, '\\');
    if (!spend(decoded.length / 5 + steps * 8)) return;
    const slashed = decoded.replaceAll('\\', '/');
    const place = slashed.replace(/^~(?=\/|$)/, () => folded(home));
    yield decoded;
    yield normalPath(slashed);
    yield normalPath(place.startsWith('/') ? place : `${folded(cwd)}/${place}`);
  }
}

function countOf(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}

/** As a text may be read: control characters are kept, dropped (by parsers of addresses), or end it (NUL). */
function foldedForms(text: string, spend = free): readonly string[] {
  // Most texts are so, and need no look at what characters are.
  if (/^[ -~]*$/.test(text)) return spend(text.length / 5) ? [text.trim().toLowerCase()] : [];
  // Some characters are a whole sentence in another form.
  if (!spend(text.length * (/[\u3300-\u33FF\uFDF0-\uFDFF]/.test(text) ? 15 : 2.5))) return [];
  const isPlain = !/[\p{Cc}\p{Cn}\p{Co}\p{Cs}]/u.test(text);
  const end = text.indexOf('\0');
  const readings = [
    text,
    ...(isPlain ? [] : [withoutControls(text)]),
    ...(end === -1 ? [] : [text.slice(0, end)]),
  ];
  // To put marks into order is quadratic in their number.
  if (readings.some((one) => hasManyMarks(withoutIgnorables(one))) && !spend(Infinity)) return [];
  return [...new Set(readings.map(folded))];
}

/** A bare host that is a number, as it is usual: `127.1`, `0x7f000001` and `[::ffff:7f00:1]` are `127.0.0.1`. */
function hostForm(text: string): string | undefined {
  const [, written, rest = ''] = HOST.exec(text) ?? [];
  if (written === undefined) return undefined;
  // The zone of an address is where it is sent from.
  const host = written.replace(/%[^\]]*/, '');
  const address = addressOf(`http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}/`);
  return address && address.hostname.replace(/^\[|\]$/g, '') + rest;
}

const HOST =
  /^(\[[\da-f:.]{2,45}(?:%[^\]/]*)?\]|(?=\d)[\da-fx.。]{1,60}|(?=.*:.*:)[\da-f:.]{2,45}(?:%[^\]/:]*)?)((?::\d{1,5})?(?:\/.*)?)$/s;

/** Parsers differ in where the host begins, and in what they leave out of it and of the port. */
function addressReadings(text: string, spend: Spend): readonly string[] {
  const [, scheme, authority = ''] = /^([a-z][a-z\d+.-]*:[/\\]*)([^/\\?#]*)/.exec(text) ?? [];
  if (scheme === undefined) return [];
  // To write a host in ASCII is quadratic in its length.
  const isPlain = /^[ -~]*$/.test(authority);
  if (!spend(text.length * 2 + (isPlain ? 0 : authority.length ** 2 / 20))) return [];
  const strict =
    /^([a-z][a-z\d+.-]*:\/\/)(?:[^/?#]*@)?(\[[\da-f:.]+(?:%[^\]/?#]*)?\]|[^:/?#]*)(?::\+?(\d*))?(.*)$/s.exec(
      text,
    );
  if (strict === null) return [text];
  const [, start = '', host = '', port, rest = ''] = strict;
  const other = `${start}${host.replace(/%.*\]$/s, ']')}${port ? `:${port}` : ''}${rest}`;
  return other === text ? [text] : [text, other];
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
  // Of schemes that browsers do not know, the host stays as it is written.
  const host = /^(?:https?|wss?|ftp|file):/.test(text) ? undefined : hostForm(decodedText(address.hostname));
  if (host !== undefined && !host.includes(':')) address.hostname = host;
  return address;
}

// Paths without steps that lead nowhere, in linear time.

/** As `path.posix.normalize` has it, without a slash at the end. That one is quadratic in the number of `..`. */
export function normalPath(text: string): string {
  const isAbsolute = text.startsWith('/');
  const steps: string[] = [];
  for (const step of text.split('/')) {
    if (step === '' || step === '.') continue;
    if (step !== '..') steps.push(step);
    else if (steps.length > 0 && steps.at(-1) !== '..') steps.pop();
    else if (!isAbsolute) steps.push(step);
  }
  return isAbsolute ? `/${steps.join('/')}` : steps.join('/') || '.';
}
