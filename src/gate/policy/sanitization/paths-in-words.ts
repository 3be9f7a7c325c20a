// Which words of commands may be paths: all that are no options, and what options have after `=`.
import { flattened, type ShellReading } from '../shell/shell-command.ts';
import type { ShellWord } from '../shell/words.ts';

export interface NamedPaths {
  readonly paths: readonly string[];
  /** Why there may be others; undefined when these are all. */
  readonly unclear?: string;
}

/** More paths than a command line names. */
const PATHS_LIMIT = 1000;

export function pathsIn(reading: ShellReading): NamedPaths {
  const paths = new Set<string>();
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
    }
  }
  if (paths.size > PATHS_LIMIT) return { paths: [], unclear: `it names more than ${PATHS_LIMIT} paths` };
  return { paths: [...paths], ...(unclear !== undefined && { unclear }) };
}

const movers = new Set(['cd', 'pushd', 'popd', 'chdir']);

/** Empty where it is none, undefined where that is not known. */
function pathIn(word: ShellWord): string | undefined {
  const text = word.text ?? (word.home ? word.prefix : undefined);
  if (text === undefined) return undefined;
  if (text.startsWith('file:')) return text.replace(/^file:(?:\/\/[^/]*)?/, '');
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return '';
  const value = /^[-\w]+=(?=[^=])/.exec(text)?.[0];
  if (value !== undefined) return text.slice(value.length);
  // -I/usr/include
  if (/^-\w[~/.]/.test(text)) return text.slice(2);
  return text.startsWith('-') ? '' : text;
}
