// Why no rule covers a command, in words: the command itself, or the option of it that a rule would have to name.
import { shortened } from '../../base/shown.ts';
import { namedWords } from './shell/named-words.ts';
import type { ShellCommand } from './shell/shell-command.ts';

export function uncoveredText({ assignments, words, inner }: ShellCommand): string {
  const text = shortened([...assignments, ...words].map(({ source }) => source).join(' '), 120);
  if (assignments.length > 0) return `No rule covers \`${text}\`, since it sets variables`;
  const at = namedWords(words).findIndex((one) => one !== undefined);
  if (at > 0) {
    const word = shortened(words[at]?.source ?? '', 40);
    return `No rule covers \`${text}\`: one would have to name "${word}"`;
  }
  const runs = inner.length > 0 ? ' and what it runs' : '';
  return `No rule covers \`${text}\`${runs}`;
}
