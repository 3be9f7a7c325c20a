// Which words of commands may be paths: all that are no options, what options have after `=`, and what they may have in the same word.
import { isJsonArray, isJsonObject, type Json } from '../../../base/json.ts';
import { textOf } from '../../../base/shown.ts';
import { decodedText, withoutControls } from '../rules/forbidden-text.ts';

export interface NamedPaths {
  readonly paths: readonly string[];
  /** They are paths only when there is something that is called so: `-fout` may be `-f out`. */
  readonly perhaps: readonly string[];
  /** Why there may be others; undefined when these are all. */
  readonly unclear?: string;
  /** Why it cannot be known what they are, so that the call is denied. */
  readonly wrong?: string;
}

/** More paths than a command line names. */
const PATHS_LIMIT = 1000;

export function pathsIn(commands: readonly (readonly string[])[]): NamedPaths {
  const paths = new Set<string>();
  const perhaps = new Set<string>();
  for (const [name = '', ...rest] of commands) {
    if (name.includes('/')) paths.add(name);
    for (const word of rest) {
      for (const path of isFileAddress(word) ? filePaths(word) : [pathIn(word)])
        if (path !== '') paths.add(path);
      for (const one of otherPaths(word)) if (!paths.has(one)) perhaps.add(one);
      if (paths.size + perhaps.size > PATHS_LIMIT)
        return { paths: [], perhaps: [], unclear: `it names more than ${PATHS_LIMIT} paths` };
    }
  }
  return { paths: [...paths], perhaps: [...perhaps] };
}

/** Of arguments that are paths: each as it is written, without what parsers drop, decoded, and as an address. */
export function pathsOfValues(values: readonly Json[]): NamedPaths {
  const paths = new Set<string>();
  const rest = [...values];
  for (const value of rest) {
    if (rest.length > PATHS_LIMIT) return wrong(`it names more than ${PATHS_LIMIT} paths`);
    if (isJsonArray(value)) rest.push(...value.slice(0, PATHS_LIMIT + 1));
    else if (isJsonObject(value)) return wrong('a path is an object, and what it names is not known');
    else for (const one of pathsInText(textOf(value))) paths.add(one);
  }
  return { paths: [...paths], perhaps: [] };
}

function wrong(reason: string): NamedPaths {
  return { paths: [], perhaps: [], wrong: reason };
}

function pathsInText(text: string): string[] {
  const plain = withoutControls(text).trim();
  return [text, plain, decodedText(plain), ...(isFileAddress(plain) ? filePaths(plain) : [])];
}

function isFileAddress(text: string): boolean {
  return /^file:/i.test(text);
}

/** With and without its end after `?` or `#`, which may be part of a name. */
function filePaths(address: string): string[] {
  const whole = address.replaceAll('\\', '/').replace(/^file:(?:\/\/[^/]*)?/i, '');
  return [whole, whole.replace(/[?#].*/s, '')].flatMap((one) => [one, decodedText(one)]);
}

/** Empty where it is none. */
function pathIn(word: string): string {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(word)) return '';
  const value = /^[-\w]+=(?=[^=])/.exec(word)?.[0];
  if (value !== undefined) return word.slice(value.length);
  // -I/usr/include, -zcf/etc/x
  const attached = /^-\w+?(?=[~/]|\.\.)/.exec(word)?.[0];
  if (attached !== undefined) return word.slice(attached.length);
  return word.startsWith('-') ? '' : word;
}

/** A folder may be called `x=y`, `http:` or `-x`, and an option may have its value in the same word, or take it from a file by `@`. */
function otherPaths(word: string): string[] {
  const ends = [word];
  const value = word.indexOf('=') + 1;
  if (value > 0) ends.push(word.slice(value));
  if (/^-[^-]/.test(word)) for (let at = 2; at < word.length; at += 1) ends.push(word.slice(at));
  return ends
    .flatMap((one) => (one.startsWith('@') ? [one, one.slice(1)] : [one]))
    .filter((one) => one !== '');
}
