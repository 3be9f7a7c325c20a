// Rules for commands, word by word: `git *` is git with any words, `npm run test:*` has one word more, `git` is git alone.
import { coversText } from '../covers-text.ts';
import { matchesGlob } from '../glob.ts';
import { type Named, namedWords, never } from './named-words.ts';
import { baseName, type ShellCommand } from './shell-command.ts';
import type { ShellWord } from './words.ts';

export interface CommandPattern {
  readonly source: string;
  /** `*` alone stands for any number of words. */
  readonly words: readonly string[];
  readonly isLiteral: boolean;
}

export function commandPattern(source: string): CommandPattern {
  const words = source.split(/\s+/).filter((word) => word !== '');
  return { source, words, isLiteral: !/[*?]/.test(source) };
}

/** Whether some rule covers it, and what it runs in its turn. Gives the rules that were needed, or undefined. */
export function coveredBy(
  command: ShellCommand,
  patterns: readonly CommandPattern[],
): readonly CommandPattern[] | undefined {
  if (command.kind === 'read') return [];
  const words = nameableWords(command);
  const whole = patterns.find((pattern) => pattern.isLiteral && isSame(pattern, words));
  // Somebody has written down exactly this.
  if (whole) return [whole];
  const own = patterns.find((pattern) => covers(pattern, words));
  if (!own) return undefined;
  const needed = [own];
  for (const inner of command.inner) {
    const rules = coveredBy(inner, patterns);
    if (!rules) return undefined;
    needed.push(...rules);
  }
  return needed;
}

/** Whether a rule that forbids holds for it: surely, perhaps (words are not known yet), or not. */
export function forbids(pattern: CommandPattern, command: ShellCommand): 'yes' | 'perhaps' | 'no' {
  const plain = command.words.map((word, index) => (index === 0 ? withoutFolder(word) : word));
  const lists = [plain, command.words, [...command.assignments, ...plain], command.assignments];
  const results = lists.map((words) => mayMatch(pattern.words, words));
  return results.includes('yes') ? 'yes' : results.includes('perhaps') ? 'perhaps' : 'no';
}

interface NameableWord {
  readonly text: string | undefined;
  readonly named: Named;
  /** Names with a folder are covered by rules with one. */
  readonly isName: boolean;
}

function nameableWords({ kind, assignments, words }: ShellCommand): NameableWord[] {
  const named: readonly Named[] = kind === 'write' ? ['>'] : namedWords(words);
  return [
    ...assignments.map(({ text, prefix }): NameableWord => ({
      text: text ?? prefix,
      named: upToEquals(prefix),
      isName: false,
    })),
    ...words.map(({ text }, index): NameableWord => ({ text, named: named[index], isName: index === 0 })),
  ];
}

function upToEquals(prefix: string): Named {
  const end = prefix.indexOf('=');
  return end === -1 ? never : prefix.slice(0, end + 1);
}

function isSame({ words }: CommandPattern, command: readonly NameableWord[]): boolean {
  return words.length === command.length && words.every((word, index) => word === command[index]?.text);
}

/** All ways to lay the rule over the words are tried at once: which words of the rule may come next, for each word of the command. */
function covers({ words }: CommandPattern, command: readonly NameableWord[]): boolean {
  return lay(words, command.length, (pattern, index) => {
    const word = command[index];
    if (!word || word.named === never) return false;
    if (pattern === '*') return word.named === undefined;
    if (word.text === undefined || !coversText(pattern, word.text)) return false;
    if (word.isName && word.text.includes('/') && !pattern.includes('/')) return false;
    return word.named === undefined || literalStart(pattern).startsWith(word.named);
  }).isWhole;
}

function mayMatch(pattern: readonly string[], words: readonly ShellWord[]): 'yes' | 'perhaps' | 'no' {
  if (words.length === 0) return 'no';
  const known = words.findIndex((word) => word.text === undefined);
  const { isWhole, isPossible } = lay(pattern, known === -1 ? words.length : known, (one, index) => {
    const text = words[index]?.text ?? '';
    return (
      one === '*' ||
      matchesGlob(one, text) ||
      (index === 0 && matchesGlob(one.toLowerCase(), text.toLowerCase()))
    );
  });
  if (known === -1) return isWhole ? 'yes' : 'no';
  // A rule that has nothing left to ask for but "any words" holds whatever the rest is.
  if (isWhole && pattern.at(-1) === '*') return 'yes';
  return isPossible ? 'perhaps' : 'no';
}

/** At most as many steps as words times words of the rule. */
function lay(
  pattern: readonly string[],
  length: number,
  fits: (pattern: string, index: number) => boolean,
): { readonly isWhole: boolean; readonly isPossible: boolean } {
  let reached = pastStars(pattern, new Set([0]));
  for (let index = 0; index < length && reached.size > 0; index += 1) {
    const next = new Set<number>();
    for (const at of reached) {
      const one = pattern[at];
      if (one === undefined || !fits(one, index)) continue;
      next.add(one === '*' ? at : at + 1);
    }
    reached = pastStars(pattern, next);
  }
  return { isWhole: reached.has(pattern.length), isPossible: reached.size > 0 };
}

/** A `*` may stand for no word. */
function pastStars(pattern: readonly string[], reached: Set<number>): Set<number> {
  for (const at of reached) if (pattern[at] === '*') reached.add(at + 1);
  return reached;
}

function literalStart(pattern: string): string {
  return pattern.slice(0, /[*?]|$/.exec(pattern)?.index);
}

function withoutFolder(word: ShellWord): ShellWord {
  return word.text === undefined ? word : { ...word, text: baseName(word.text) };
}
