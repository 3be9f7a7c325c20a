// `find … -exec COMMAND {} ;`: the commands that it runs, with the names it finds as words nobody knows.
import type { Outer } from '../shell-command.ts';
import { type ShellWord, unknownWord } from '../words.ts';

export function findExec(words: readonly ShellWord[]): Outer[] | { readonly reason: string } {
  const found: Outer[] = [];
  for (let at = 1; at < words.length; at += 1) {
    if (!actions.has(words[at]?.text ?? '')) continue;
    const end = endOf(words, at + 1);
    if (end === -1) return { reason: 'a command of "find" has no end' };
    const given = words.slice(at + 1, end);
    // What follows it would be more of find's own words.
    if (given.some(mayBeEnd)) return { reason: 'where a command of "find" ends is only known to the shell' };
    const inner = given.map(named);
    if (inner.length === 0) return { reason: 'a command of "find" is empty' };
    found.push({ words: inner, assignments: [] });
    at = end;
  }
  return found;
}

const actions = new Set(['-exec', '-execdir', '-ok', '-okdir']);

function endOf(words: readonly ShellWord[], from: number): number {
  return words.findIndex(
    ({ text }, index) =>
      index >= from && (text === ';' || (text === '+' && words[index - 1]?.text === '{}' && index > from)),
  );
}

function mayBeEnd({ text, prefix, splits }: ShellWord): boolean {
  return text === undefined && (splits || prefix === '' || prefix === ';' || prefix === '+');
}

/** It stands for a name also inside of a word. */
function named(word: ShellWord): ShellWord {
  const place = word.text?.indexOf('{}') ?? -1;
  return place === -1 ? word : unknownWord(word.source, word.text?.slice(0, place));
}
