// Commands that run another one: what that is, by the way each of them takes it. What cannot be followed is unreadable.
import {
  baseName,
  type Outer,
  type ReadText,
  type ShellCommand,
  type ShellReading,
  unread,
} from '../shell-command.ts';
import { reserved } from '../simple-words.ts';
import { unknownWord, type ShellWord } from '../words.ts';
import { findExec } from './find-exec.ts';
import { skipOptions } from './options.ts';
import { shellText } from './shells.ts';
import { opaqueWrappers, runningOptions, type Wrapper, wrappers } from './table.ts';

const nothing: ShellReading = { commands: [], unreadable: [] };

/** What it runs in its turn; nothing for most commands. */
export function unwrap(outer: Outer, readText: ReadText, depth: number): ShellReading {
  const name = baseName(outer.words[0]?.text ?? '');
  if (opaqueWrappers.has(name) || isLoader(name) || runsByOption(name, outer.words))
    return unread(`what "${name}" runs cannot be read`);
  if (name === 'find') return innerCommands(findExec(outer.words), readText, depth);
  const asShell = shellText(name, outer.words);
  if (asShell === 'none') return nothing;
  if (asShell)
    return 'reason' in asShell ? unread(asShell.reason) : readText(asShell.text, asShell.shell, depth + 1);
  const wrapper = wrappers.get(name);
  return wrapper ? behind(name, wrapper, outer, readText, depth) : nothing;
}

/** The system's own way to start a program: `/lib64/ld-linux-x86-64.so.2 /bin/rm`. */
function isLoader(name: string): boolean {
  return /^ld(?:64)?[-.](?:.*\.)?so\b/.test(name);
}

function runsByOption(name: string, words: readonly ShellWord[]): boolean {
  const option = runningOptions.get(name);
  return (
    option !== undefined &&
    words.slice(1).some(({ prefix, text }) => text === undefined || option.test(prefix))
  );
}

function behind(
  name: string,
  wrapper: Wrapper,
  { words }: Outer,
  readText: ReadText,
  depth: number,
): ShellReading {
  const skipped = skipOptions(words, wrapper);
  if ('reason' in skipped) return unread(`"${name}": ${skipped.reason}`);
  const { options, at } = skipped;
  if (wrapper.unless?.some((option) => options.has(option))) return nothing;

  let from = at;
  const assignments: ShellWord[] = [];
  while (wrapper.assigns && words[from]?.prefix.includes('=')) {
    const word = words[from];
    if (!word || word.splits) return unread(`"${name}" is given a word that only the shell will know`);
    assignments.push(word);
    from += 1;
  }
  const positional = words.slice(from, from + (wrapper.skip ?? 0));
  if (positional.some((word) => word.text === undefined)) {
    return unread(`"${name}" is given a word that only the shell will know`);
  }
  const rest = words.slice(from + (wrapper.skip ?? 0));
  if (rest.length === 0) return nothing;
  // Behind `time`, these are words of the shell to some, and a mistake to others. `time` itself is a program too.
  const first = rest[0]?.text ?? '';
  if (reserved.has(first) && first !== 'time')
    return unread(`it is no complete shell command ("${first}" behind "${name}")`);
  if (wrapper.text === 'all') return joinedText(name, rest, wrapper.shell ?? 'sh', readText, depth);
  if (wrapper.text === 'first') return joinedText(name, rest.slice(0, 1), 'bash', readText, depth);

  const replaced = wrapper.replaces === undefined ? undefined : options.get(wrapper.replaces);
  const appended = unknownWord('…', '', true);
  const isUndone = wrapper.replacesNot?.some((option) => options.has(option));
  const inner = wrapper.appends
    ? [...withGivenWords(rest, replaced), ...(replaced === undefined || isUndone ? [appended] : [])]
    : rest;
  return innerCommands([{ words: inner, assignments }], readText, depth);
}

function joinedText(
  name: string,
  words: readonly ShellWord[],
  shell: 'sh' | 'bash',
  readText: ReadText,
  depth: number,
): ShellReading {
  const texts = words.map((word) => word.text);
  if (!texts.every((text) => text !== undefined))
    return unread(`"${name}" runs text that only the shell will know`);
  return readText(texts.join(' '), shell, depth + 1);
}

/** As `xargs` does, in the place of a word. */
function withGivenWords(words: readonly ShellWord[], replaced: string | undefined): ShellWord[] {
  if (replaced === undefined) return [...words];
  return words.map((word) => {
    const place = word.text?.indexOf(replaced) ?? -1;
    return place === -1 ? word : unknownWord(word.source, word.text?.slice(0, place));
  });
}

function innerCommands(
  found: readonly Outer[] | { readonly reason: string },
  readText: ReadText,
  depth: number,
): ShellReading {
  if ('reason' in found) return unread(found.reason);
  const commands: ShellCommand[] = [];
  const unreadable: string[] = [];
  for (const outer of found) {
    const [name] = outer.words;
    const isKnown = name?.text !== undefined && /^[\x21-\x7E]+$/.test(name.text);
    const inner =
      isKnown && depth < 8
        ? unwrap(outer, readText, depth + 1)
        : unread(`which command "${name?.source ?? ''}" will be cannot be told`);
    commands.push({ kind: 'command', ...outer, inner: inner.commands });
    unreadable.push(...inner.unreadable);
  }
  return { commands, unreadable };
}
