// Which words of commands may be paths: all that are no options, what options have after `=`, and what they may have in the same word.
import { flattened, type ShellReading } from '../shell/shell-command.ts';
import type { ShellWord } from '../shell/words.ts';

export interface NamedPaths {
  readonly paths: readonly string[];
  /** They are paths only when there is something that is called so: `-fout` may be `-f out`. */
  readonly perhaps: readonly string[];
  /** Why there may be others; undefined when these are all. */
  readonly unclear?: string;
}

/** More paths than a command line names. */
const PATHS_LIMIT = 1000;

export function pathsIn(reading: ShellReading): NamedPaths {
  const paths = new Set<string>();
  const perhaps = new Set<string>();
  let unclear: string | undefined;
  for (const { words, kind } of flattened(reading.commands)) {
    const [name, ...rest] = words;
    if (name?.text !== undefined && kind === 'command') {
      if (name.text.includes('/')) paths.add(name.text);
      // The other words are looked at from where it runs now.
      if (movers.has(name.text)) unclear ??= `"${name.text}" changes the folder that later paths start from`;
    }
    for (const word of rest) {
      const path = pathIn(word);
      if (path === undefined)
        unclear ??= `where "${word.source.slice(0, 60)}" leads is only known to the shell`;
      else if (path !== '') paths.add(path);
      for (const one of otherPaths(word)) perhaps.add(one);
    }
  }
  if (paths.size + perhaps.size > PATHS_LIMIT)
    return { paths: [], perhaps: [], unclear: `it names more than ${PATHS_LIMIT} paths` };
  return {
    paths: [...paths],
    perhaps: [...perhaps].filter((one) => !paths.has(one)),
    ...(unclear !== undefined && { unclear }),
  };
}

const movers = new Set(['cd', 'pushd', 'popd', 'chdir']);

/** Empty where it is none, undefined where that is not known. */
function pathIn(word: ShellWord): string | undefined {
  const text = textOf(word);
  if (text === undefined) return undefined;
  if (text.startsWith('file:')) return text.replace(/^file:(?:\/\/[^/]*)?/, '');
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return '';
  const value = /^[-\w]+=(?=[^=])/.exec(text)?.[0];
  if (value !== undefined) return text.slice(value.length);
  // -I/usr/include
  if (/^-\w[~/.]/.test(text)) return text.slice(2);
  return text.startsWith('-') ? '' : text;
}

/** Letters of options in one word before a value. */
const LETTERS_MAX = 12;

/** A folder may be called `x=y`, `http:` or `-x`, and an option may have its value in the same word, or take it from a file by `@`. */
function otherPaths(word: ShellWord): string[] {
  const text = textOf(word);
  if (text === undefined) return [];
  const ends = [text];
  const value = text.indexOf('=') + 1;
  if (value > 0) ends.push(text.slice(value));
  if (/^-[^-]/.test(text))
    for (let at = 2; at < Math.min(text.length, LETTERS_MAX); at += 1) ends.push(text.slice(at));
  return ends
    .flatMap((one) => (one.startsWith('@') ? [one, one.slice(1)] : [one]))
    .filter((one) => one !== '');
}

function textOf(word: ShellWord): string | undefined {
  return word.named ?? word.text ?? (word.home ? word.prefix : undefined);
}
