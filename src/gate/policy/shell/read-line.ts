// A command line as the exact words of programs, or why it is not one. This is an allowlist of syntax: whatever is not listed here
// (expansion, substitution, brace, glob, redirection, function, assignment, control flow, …) is not literal, and no rule allows it.
export type LineReading =
  | { readonly kind: 'literal'; readonly steps: readonly Step[] }
  /** `reason` goes on a sentence that begins with the line. */
  | { readonly kind: 'other'; readonly reason: string };

/** Programs connected by pipes. `after`: when it runs, given how the step before it ended. */
export interface Step {
  readonly after: Connector;
  /** The words of each program; there is at least one, and it is not empty. */
  readonly pipeline: readonly (readonly string[])[];
}

type Connector = ';' | '&&' | '||';

const LENGTH_MAX = 64 * 1024;
const COMMANDS_MAX = 100;

/** `args` are further words of the last command: nothing in them is ever syntax. */
export function readLine(text: string, args: readonly string[] = []): LineReading {
  const length = args.reduce((sum, word) => sum + word.length + 1, text.length);
  if (length > LENGTH_MAX) return other(`is longer than ${LENGTH_MAX} characters`);
  for (const one of [text, ...args]) {
    const hidden = hiddenCharacter(one);
    if (hidden !== undefined) return other(hidden);
  }
  const tokens = tokensOf(withoutTrailingBlanks(text));
  if (typeof tokens === 'string') return other(tokens);
  return stepsOf(tokens, args);
}

/** By hand, since a pattern looks at every run of blanks to its end: quadratic in their number. */
function withoutTrailingBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && ' \t\n'.includes(text[end - 1] ?? 'x')) end -= 1;
  return text.slice(0, end);
}

/** All commands of a line, in their order. */
export function commandsOf(steps: readonly Step[]): readonly (readonly string[])[] {
  return steps.flatMap(({ pipeline }) => pipeline);
}

type Token = { readonly word: string } | { readonly operator: Connector | '|' | '\n' };

function stepsOf(tokens: readonly Token[], args: readonly string[]): LineReading {
  const steps: { after: Connector; pipeline: string[][] }[] = [];
  let words: string[] = [];
  let before: Connector | '|' = ';';
  let count = 0;
  const endCommand = (): string | undefined => {
    count += 1;
    if (count > COMMANDS_MAX) return `has more than ${COMMANDS_MAX} commands`;
    const step = steps.at(-1);
    if (before === '|') step?.pipeline.push(words);
    else steps.push({ after: before, pipeline: [words] });
    const reason = notAProgram(words[0] ?? '');
    words = [];
    return reason;
  };
  for (const token of tokens) {
    if ('word' in token) {
      words.push(token.word);
      continue;
    }
    const { operator } = token;
    if (words.length === 0) {
      // A line may end after an operator, and empty lines mean nothing.
      if (operator === '\n') continue;
      return other(`has no command before "${operator}"`);
    }
    const reason = endCommand();
    if (reason !== undefined) return other(reason);
    before = operator === '\n' ? ';' : operator;
  }
  if (words.length === 0 && (args.length > 0 || before !== ';' || steps.length === 0))
    return other(steps.length === 0 ? 'names no command' : 'has no command at its end');
  words.push(...args);
  const reason = words.length === 0 ? undefined : endCommand();
  return reason === undefined ? { kind: 'literal', steps } : other(reason);
}

/** Each of them means itself, wherever it stands in a word. Letters of all languages, but no other signs: some look like syntax. */
const PLAIN = String.raw`[\p{L}\p{N}\p{M}_@%+=:,.\/^\-]`;

const blanks = /[ \t]+/y;
const operators = /&&|\|\||[;|\n]/y;
// `~` is a home folder at the beginning of a word and after `=` or `:`; `#` begins a comment at the beginning of a word.
const plain = new RegExp(`${PLAIN}(?:${PLAIN}|(?<![=:])~|#)*`, 'uy');
const singleQuoted = /'([^']*)'/y;
const doubleQuoted = /"([^"$`\\!]*)"/y;
const escaped = /\\([ -~])/y;
/** As `find -exec` takes it; any other brace may stand for several words. */
const braces = /\{\}(?=[ \t\n;|&]|$)/y;

/** The tokens of a line, or the reason why it is not literal. */
function tokensOf(text: string): Token[] | string {
  const tokens: Token[] = [];
  let word: string | undefined;
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) return undefined;
    at = pattern.lastIndex;
    return found;
  };
  const endWord = () => {
    if (word !== undefined) tokens.push({ word });
    word = undefined;
  };
  while (at < text.length) {
    if (take(blanks) !== undefined) {
      endWord();
      continue;
    }
    const operator = take(operators)?.[0];
    if (operator !== undefined) {
      endWord();
      // One of those in the pattern.
      tokens.push({ operator: operator as Connector | '|' | '\n' });
      continue;
    }
    const isArgument = word === undefined && 'word' in (tokens.at(-1) ?? {});
    const piece =
      take(plain)?.[0] ??
      (take(singleQuoted) ?? take(doubleQuoted) ?? take(escaped))?.[1] ??
      (isArgument ? take(braces)?.[0] : undefined);
    if (piece === undefined) return `has ${syntaxAt(text, at)}`;
    word = (word ?? '') + piece;
  }
  endWord();
  return tokens;
}

function syntaxAt(text: string, at: number): string {
  const sign = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (sign === '"' || sign === "'")
    return text.includes(sign, at + 1) ? 'double quotes with "$", "`", "\\" or "!" in them' : 'an open quote';
  const name = names.find(([signs]) => signs.includes(sign))?.[1] ?? 'a sign with a meaning of its own';
  return `${name} (${sign})`;
}

const names: readonly (readonly [signs: string, name: string])[] = [
  ['$', 'an expansion'],
  ['`', 'a command substitution'],
  ['*?[]', 'a pattern of file names'],
  ['{}', 'a brace'],
  ['<>', 'a redirection'],
  ['()', 'a parenthesis'],
  ['&', 'a background command'],
  ['~', 'a home folder'],
  ['#', 'a comment'],
  ['!', 'a negation or a reference to the history'],
  ['\\', 'a backslash at the end of a line'],
];

/** Why a first word is not the name of a program. By what it reads as, quoted or not. */
function notAProgram(name: string): string | undefined {
  if (name === '') return 'names no command';
  if (/^[A-Za-z_]\w*\+?=/.test(name)) return `sets a variable (${name.slice(0, 40)})`;
  if (reserved.has(name)) return `has control flow (${name})`;
  if (builtins.has(name) || name.startsWith('%'))
    return `has a command of the shell itself (${name.slice(0, 40)})`;
  return undefined;
}

const reserved = new Set(
  '! [[ ]] { } case coproc do done elif else esac fi for function if in select then time until while'.split(
    ' ',
  ),
);

/** Those of bash that are not programs as well; `echo`, `printf`, `test`, `true`, `false`, `pwd` and `kill` are. */
const builtins = new Set(
  (
    '. : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown enable ' +
    'eval exec exit export fc fg getopts hash help history jobs let local logout mapfile popd pushd read readarray ' +
    'readonly return set shift shopt source suspend times trap type typeset ulimit umask unalias unset wait'
  ).split(' '),
);

function other(reason: string): LineReading {
  return { kind: 'other', reason };
}

/** What is hidden in a text, to go on a sentence; undefined when nothing is. */
function hiddenCharacter(text: string): string | undefined {
  const found = hidden.exec(text.replaceAll(emojiJoiners, ''))?.[0];
  if (found === undefined) return undefined;
  const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `has the invisible or unusual character U+${code}`;
}

// Control, format, unassigned, private and surrogate characters, what fonts leave out, and every space but the plain one.
const hidden = /(?![\n\t])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u;

// Inside of an emoji they are seen: as the emoji.
const emojiJoiners =
  /(?<=\p{Extended_Pictographic}\p{Emoji_Modifier}?)(?:[\u{FE0E}\u{FE0F}]\u{200D}?|\u{200D})/gu;
