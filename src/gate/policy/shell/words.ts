// One word of a command: what it is, or as much of that as can be known before a shell expands it.
import type { Assignment, DoubleQuotedChild, Word, WordPart } from 'unbash';

export interface ShellWord {
  /** As it was written. */
  readonly source: string;
  /** Without quotes; undefined where only the shell will know. */
  readonly text: string | undefined;
  /** What it begins with in any case. */
  readonly prefix: string;
  /** Whether it can become several words, or none. */
  readonly splits: boolean;
  /** Of a file: as it was named, where `text` has no `..` any more. A link may lead `a/..` anywhere. */
  readonly named?: string;
  /** Begins with `~`, which stands for a home folder. */
  readonly home?: true;
}

export function plainWord(text: string): ShellWord {
  return { source: text, text, prefix: text, splits: false };
}

/** A word that somebody else puts there: a name that `find` found, a line that `xargs` read. */
export function unknownWord(source: string, prefix = '', splits = false): ShellWord {
  return { source, text: undefined, prefix, splits };
}

export function wordOf(word: Word): ShellWord {
  if (word.parts !== undefined) return joined(word.text, word.parts);
  if (hasHome(word.text)) return { ...unknownWord(word.text, word.text), home: true };
  return { ...plainWord(word.value), source: word.text };
}

/** `NAME=value`, as rules name it. */
export function assignmentWord({ text, name, value, append, index }: Assignment): ShellWord {
  if (value.type === 'ArrayValue' || index !== undefined) return unknownWord(text, name);
  const { text: known, prefix } = wordOf(value);
  const start = `${name}${append ? '+' : ''}=`;
  return known === undefined
    ? unknownWord(text, start + prefix)
    : { ...plainWord(start + known), source: text };
}

function joined(source: string, parts: readonly WordPart[]): ShellWord {
  let prefix = '';
  let isKnown = true;
  let splits = false;
  for (const [index, part] of parts.entries()) {
    const piece = pieceOf(part, index === 0);
    if (isKnown) prefix += piece.prefix;
    isKnown &&= piece.isKnown;
    splits ||= piece.splits;
  }
  return { source, text: isKnown ? prefix : undefined, prefix, splits };
}

interface Piece {
  readonly prefix: string;
  readonly isKnown: boolean;
  readonly splits: boolean;
}

function pieceOf(part: WordPart, isFirst: boolean): Piece {
  switch (part.type) {
    case 'Literal':
      return hasHome(part.text, isFirst)
        ? { prefix: part.value, isKnown: false, splits: false }
        : known(part.value);
    case 'SingleQuoted':
      return known(part.value);
    case 'AnsiCQuoted':
      // Escapes can make bytes that are no text, and a zero that ends the word.
      return isPlainText(part.value) || !/\\[0-7cuUx]/.test(part.text)
        ? known(part.value)
        : { prefix: '', isKnown: false, splits: false };
    case 'DoubleQuoted':
      return quoted(part.parts);
    // Each of the words begins with what stands before it.
    case 'Glob':
    // May be translated.
    case 'LocaleString':
      return { prefix: '', isKnown: false, splits: false };
    case 'ProcessSubstitution':
      return { prefix: '/dev/fd/', isKnown: false, splits: false };
    case 'SimpleExpansion':
    case 'ParameterExpansion':
    case 'CommandExpansion':
    case 'ArithmeticExpansion':
    case 'ExtendedGlob':
    case 'BraceExpansion':
      return { prefix: '', isKnown: false, splits: true };
  }
}

function quoted(parts: readonly DoubleQuotedChild[]): Piece {
  let prefix = '';
  let isKnown = true;
  for (const part of parts) {
    if (part.type !== 'Literal') isKnown = false;
    else if (isKnown) prefix += part.value;
  }
  // Those of a list stay several words in quotes too.
  return {
    prefix,
    isKnown,
    splits: parts.some((part) => part.type !== 'Literal' && part.text.includes('@')),
  };
}

function known(prefix: string): Piece {
  return { prefix, isKnown: true, splits: false };
}

/** As it is written: a backslash before the tilde makes it one. */
function hasHome(source: string, isFirst = true): boolean {
  return (isFirst && source.startsWith('~')) || /[=:]~/.test(source);
}

function isPlainText(value: string): boolean {
  return /^[\x20-\x7E\n\t]*$/.test(value);
}
