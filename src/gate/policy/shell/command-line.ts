// A command as a tool gets it, read once for both: the rules that decide on it, and whoever runs it, who must run exactly this.
import type { ParsedScript, SyntaxNode } from 'unbash';
import { shellWord } from '../../../base/shell-word.ts';
import { needsShell } from './builtins.ts';
import { hiddenCharacter } from './hidden-characters.ts';
import { type Grammar, loadGrammar, parseScript, SCRIPT_LIMIT } from './parse.ts';
import { shellFor } from './portable.ts';
import { simpleWords } from './simple-words.ts';

export type CommandLine =
  /** To be started as it is, without a shell. There is at least one word, and the first is not empty. */
  | { readonly kind: 'argv'; readonly words: readonly string[] }
  /** For `-c` of a shell. `sh`: every shell reads it alike; `bash`: another one may run something else than what was decided on. */
  | { readonly kind: 'shell'; readonly script: string; readonly shell: 'sh' | 'bash' }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** `args` are words as they are: nothing in them is ever syntax. */
export async function readCommandLine(command: string, args: readonly string[]): Promise<CommandLine> {
  return readSimpleCommand(command, args) ?? readScript(await loadGrammar(), command, args);
}

/** Undefined when it takes a parser to tell. */
export function readSimpleCommand(command: string, args: readonly string[]): CommandLine | undefined {
  const length = args.reduce((sum, word) => sum + word.length + 1, command.length);
  if (length > SCRIPT_LIMIT) return unreadable(`it is longer than ${SCRIPT_LIMIT} characters`);
  for (const text of [command, ...args]) {
    const hidden = hiddenCharacter(text);
    if (hidden !== undefined) return unreadable(hidden);
  }
  const words = simpleWords(command);
  if (words === undefined) return undefined;
  const [name] = words;
  if (name === undefined || name === '') return unreadable('it names no command');
  return needsShell(name) ? undefined : { kind: 'argv', words: [...words, ...args] };
}

/** In a shell, args are quoted and come last; they belong to the last command, or it is not clear to which. */
function readScript(grammar: Grammar, command: string, args: readonly string[]): CommandLine {
  const parsed = parseScript(grammar, command);
  if ('reason' in parsed) return unreadable(parsed.reason);
  if (args.length === 0) return { kind: 'shell', script: command, shell: shellFor(grammar, parsed.tree) };

  const script = `${command.trimEnd()} ${args.map(shellWord).join(' ')}`;
  const joined = parseScript(grammar, script);
  if ('reason' in joined) return unreadable(joined.reason);
  const before = countWords(grammar, parsed.tree);
  const after = countWords(grammar, joined.tree);
  const belong = after.commands === before.commands && after.words === before.words + args.length;
  return belong
    ? { kind: 'shell', script, shell: shellFor(grammar, joined.tree) }
    : unreadable('its args cannot be told to belong to one of its commands');
}

function countWords(grammar: Grammar, tree: ParsedScript): { commands: number; words: number } {
  const count = { commands: 0, words: 0 };
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Command') {
      count.commands += 1;
      count.words += node.args.length;
    }
    grammar.forEachChild(node, visit);
  };
  visit(tree);
  return count;
}

function unreadable(reason: string): CommandLine {
  return { kind: 'unreadable', reason };
}
