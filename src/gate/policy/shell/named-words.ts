// Which words of a command a rule has to name: options by which a program runs another one, and what may turn out to be one.
import { type Escapes, escapesOf } from './escapes.ts';
import { baseName } from './shell-command.ts';
import type { ShellWord } from './words.ts';

/** What a rule must begin a word with to cover it; `never`: no rule with a `*` covers it. Undefined: any rule may. */
export type Named = string | typeof never | undefined;

export const never: unique symbol = Symbol('never');

/** One for each word, the name of the command first. */
export function namedWords(words: readonly ShellWord[]): Named[] {
  const escapes = escapesOf(baseName(words[0]?.text ?? ''));
  if (!escapes) return words.map(() => undefined);
  const values = valuesIn(words, escapes);
  const subcommands = possibleSubcommands(words, values, escapes);
  let isOver = false;
  const named = words.map((word, index): Named => {
    if (index === 0) return undefined;
    if (values.has(index) && !isOver) return undefined;
    const found = namedWord(word, index, escapes, isOver, subcommands.has(index));
    if (word.text === '--') isOver = true;
    return found;
  });
  if (escapes.readsInput && !words.slice(1).some((word) => !word.prefix.startsWith('-'))) named[0] = never;
  return named;
}

function namedWord(
  { text, prefix, splits }: ShellWord,
  index: number,
  escapes: Escapes,
  isOver: boolean,
  isFirst: boolean,
): Named {
  // Of a variable that is set, its name.
  if (escapes.everything) return text === undefined ? never : (/^\w+=/.exec(text)?.[0] ?? text);
  if (isFirst && escapes.isPlainScript && !(text !== undefined && escapes.isPlainScript(text))) {
    return text ?? never;
  }
  if (isFirst && escapes.subcommands.size > 0) {
    if (text === undefined) return never;
    if (escapes.subcommands.has(text) || (escapes.shortens && isShortened(text, escapes))) return text;
  }
  // What follows `--` is no option any more.
  if (isOver && !escapes.start) return undefined;
  if (text === undefined) {
    // Where only the end of an option is unknown, it is known which one it is.
    const mayBeOption = splits || prefix === '' || (prefix.startsWith('-') && !prefix.includes('='));
    if (mayBeOption || (escapes.start && !prefix.includes('/'))) return never;
  }
  if (escapes.start?.test(prefix)) return text ?? never;
  if (isOver) return undefined;
  for (const option of escapes.options) {
    const found = optionIn(prefix, option, index === 1 && escapes.bareLetters === true);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** As much of the word as says that it is this option. */
function optionIn(word: string, option: string, isBare: boolean): string | undefined {
  if (option.startsWith('--')) {
    const [name = ''] = word.split('=', 1);
    // Programs take long options shortened.
    return name.length >= 3 && option.startsWith(name) ? name : undefined;
  }
  // Those that have such an option take it with two dashes as well.
  if (option.length > 2) return [option, `-${option}`].find((one) => word.startsWith(one));
  const letter = option[1] ?? '';
  const letters =
    isBare && /^[A-Za-z]/.test(word) ? /^[A-Za-z]*/.exec(word)?.[0] : /^-[^\s=/.-]*/.exec(word)?.[0];
  const at = letters?.indexOf(letter, isBare ? 0 : 1) ?? -1;
  return at === -1 ? undefined : word.slice(0, at + 1);
}

/** Which words are the values of options: what is one takes none itself, whatever it looks like. */
function valuesIn(words: readonly ShellWord[], { values, valuesOf }: Escapes): ReadonlySet<number> {
  const found = new Set<number>();
  const isOf = valuesOf.subcommands.has(words[1]?.text ?? '');
  for (let index = 1; index < words.length - 1; index += 1) {
    const text = words[index]?.text ?? '';
    if (text === '--') break;
    const takesNext = values.has(text) || (isOf && valuesOf.options.has(text));
    if (!takesNext || words[index + 1]?.splits) continue;
    index += 1;
    found.add(index);
  }
  return found;
}

function isShortened(text: string, { subcommands }: Escapes): boolean {
  return text.length > 1 && [...subcommands].some((one) => one.startsWith(text));
}

/** The first words that are no options, and the next one where the value of an option may have been taken for it. */
function possibleSubcommands(
  words: readonly ShellWord[],
  values: ReadonlySet<number>,
  { flags }: Escapes,
): ReadonlySet<number> {
  const found = new Set<number>();
  for (let index = 1; index < words.length; index += 1) {
    const { prefix = '' } = words[index] ?? {};
    const before = words[index - 1]?.prefix ?? '';
    if (prefix.startsWith('-') || values.has(index)) continue;
    found.add(index);
    if (!before.startsWith('-') || before.includes('=') || flags.has(before)) break;
  }
  return found;
}
