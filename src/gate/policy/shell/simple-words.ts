// Cuts a command into words where every shell would cut it the same way and expand nothing. Everything else needs a shell.

/** Undefined where the text has anything that a shell would act on. Quotes and backslashes are taken off as a shell does. */
export function simpleWords(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let isQuoted = false;
  let firstIsQuoted = false;
  let at = 0;
  const end = () => {
    if (word === undefined) return;
    if (words.length === 0) firstIsQuoted = isQuoted;
    words.push(word);
    word = undefined;
    isQuoted = false;
  };
  while (at < text.length) {
    const character = text[at] ?? '';
    if (character === ' ' || character === '\t') {
      end();
      at += 1;
    } else if (character === '\n') {
      end();
      // Before the first word and after the last one a line's end means nothing.
      if (words.length > 0 && text.slice(at).trim() !== '') return undefined;
      at += 1;
    } else if (character === "'") {
      const close = text.indexOf("'", at + 1);
      if (close === -1) return undefined;
      word = (word ?? '') + text.slice(at + 1, close);
      isQuoted = true;
      at = close + 1;
    } else if (character === '"') {
      const quoted = doubleQuoted(text, at + 1);
      if (quoted === undefined) return undefined;
      word = (word ?? '') + quoted.value;
      isQuoted = true;
      at = quoted.end;
    } else if (character === '\\') {
      const next = text[at + 1];
      if (next === undefined) return undefined;
      if (next !== '\n') {
        const escaped = String.fromCodePoint(text.codePointAt(at + 1) ?? 0);
        word = (word ?? '') + escaped;
        isQuoted = true;
        at += escaped.length - 1;
      }
      at += 2;
    } else {
      const length = plainLength(text, at, word === undefined);
      if (length === 0) return undefined;
      word = (word ?? '') + text.slice(at, at + length);
      at += length;
    }
  }
  end();
  const [first] = words;
  // Quotes make a reserved word an ordinary one, but not an assignment whose value they are around.
  if (first !== undefined && ((!firstIsQuoted && reserved.has(first)) || notAName.test(first)))
    return undefined;
  return words;
}

function doubleQuoted(text: string, start: number): { value: string; end: number } | undefined {
  let value = '';
  let at = start;
  while (at < text.length) {
    const character = text[at] ?? '';
    if (character === '"') return { value, end: at + 1 };
    if (character === '$' || character === '`') return undefined;
    if (character === '\\') {
      const next = text[at + 1] ?? '';
      if (next === '"' || next === '\\' || next === '$' || next === '`') value += next;
      else if (next !== '\n') value += `\\${next}`;
      at += 2;
    } else {
      const stop = /["$`\\]/g;
      stop.lastIndex = at;
      const run = stop.exec(text)?.index ?? text.length;
      value += text.slice(at, run);
      at = run;
    }
  }
  return undefined;
}

/** How many of the characters from here mean themselves. */
function plainLength(text: string, at: number, isStart: boolean): number {
  plain.lastIndex = at;
  const run = plain.exec(text)?.[0].length ?? 0;
  if (run > 0) return run;
  const character = text[at] ?? '';
  const before = text[at - 1] ?? '';
  // A home folder stands at the beginning of a word, or of a part of what looks like an assignment.
  if (character === '~') return isStart || before === '=' || before === ':' ? 0 : 1;
  // A comment begins with a word.
  if (character === '#') return isStart ? 0 : 1;
  // As `find -exec` wants it; any other brace may stand for several words.
  if (character === '{' && isStart && /^\{\}(?:[ \t]|$)/.test(text.slice(at, at + 3))) return 2;
  return 0;
}

// Letters of all languages, but no signs beyond these: some of them look like what a shell acts on.
const plain = /[\p{L}\p{N}\p{M}_@%+=:,./^!-]+/uy;

// `%1` is a job of the shell's.
const notAName = /^[A-Za-z_]\w*\+?=|^%/;

/** Words that mean something to a shell where a command begins. */
export const reserved: ReadonlySet<string> = new Set(
  '! case coproc do done elif else esac fi for function if in select then time until while'.split(' '),
);
