// Walks through a script and collects every command of it, wherever it stands: chains, substitutions, loops, here-documents.
import type { Assignment, Command, Redirection, SyntaxNode } from 'unbash';
import { type Grammar, parseScript } from './parse.ts';
import { shellFor } from './portable.ts';
import { type ReadText, type ShellCommand, type ShellReading, unread } from './shell-command.ts';
import { redirected } from './redirections.ts';
import { unclear } from './unclear.ts';
import { isOwnVariable } from './variables.ts';
import { assignmentWord, plainWord, type ShellWord, wordOf } from './words.ts';
import { unwrap } from './wrappers/unwrap.ts';

/** Scripts in scripts: `sh -c "sh -c '…'"`. */
const DEPTH_LIMIT = 8;

export function readScript(
  grammar: Grammar,
  script: string,
  shell: 'sh' | 'bash',
  depth: number,
  readText: ReadText,
): ShellReading {
  if (depth > DEPTH_LIMIT) return unread('it has scripts in scripts in scripts');
  const parsed = parseScript(grammar, script);
  if ('reason' in parsed) return unread(parsed.reason);
  if (shell === 'sh' && shellFor(grammar, parsed.tree) === 'bash') {
    return unread('it is for a shell that may read it differently');
  }
  const commands: ShellCommand[] = [];
  const reasons = new Set<string>();
  const visit = (node: SyntaxNode): void => {
    const reason = unclear(node);
    if (reason !== undefined) reasons.add(reason);
    for (const found of foundAt(node, readText, depth)) {
      commands.push(...found.commands);
      for (const one of found.unreadable) reasons.add(one);
    }
    grammar.forEachChild(node, visit);
  };
  visit(parsed.tree);
  return { commands, unreadable: [...reasons] };
}

function foundAt(node: SyntaxNode, readText: ReadText, depth: number): ShellReading[] {
  switch (node.type) {
    case 'Command':
      return [simpleCommand(node, readText, depth), ...node.redirects.map(redirectedTo)];
    case 'Redirected':
      return node.redirects.map(redirectedTo);
    case 'For':
    case 'Select':
      return [assigned(node.name.value)];
    case 'Coproc':
      return node.name ? [assigned(node.name.value)] : [];
    case 'ParameterExpansion': {
      const { operation, parameter } = node;
      const assigns = operation?.type === 'Default' && operation.operator.includes('=');
      return assigns ? [assigned(parameter)] : [];
    }
    default:
      return [];
  }
}

function simpleCommand({ name, prefix, args }: Command, readText: ReadText, depth: number): ShellReading {
  const set = prefix.filter((one): one is Assignment => one.type === 'Assignment');
  const words = name ? [wordOf(name), ...args.map(argument)] : [];
  const [first] = words;
  if (first === undefined) {
    const foreign = set.filter((one) => !isOwnVariable(one.name)).map(assignmentWord);
    return { commands: foreign.length > 0 ? [command(foreign, [])] : [], unreadable: [] };
  }
  const assignments = set.map(assignmentWord);
  if (first.text === undefined) {
    return {
      commands: [command(assignments, words)],
      unreadable: [`which command "${first.source.slice(0, 60)}" will be is only known to the shell`],
    };
  }
  const { commands, unreadable } = unwrap({ words, assignments }, readText, depth);
  return { commands: [command(assignments, words, commands)], unreadable };
}

function argument(one: Command['args'][number]): ShellWord {
  return one.type === 'Assignment' ? assignmentWord(one) : wordOf(one);
}

function redirectedTo(redirection: Redirection): ShellReading {
  const found = redirected(redirection);
  if (typeof found === 'string') return unread(found);
  return { commands: found ? [found] : [], unreadable: [] };
}

/** As a word of its own: the variable may be one that programs go by. */
function assigned(name: string): ShellReading {
  return { commands: isOwnVariable(name) ? [] : [command([plainWord(`${name}=`)], [])], unreadable: [] };
}

function command(
  assignments: readonly ShellWord[],
  words: readonly ShellWord[],
  inner: readonly ShellCommand[] = [],
): ShellCommand {
  return { kind: 'command', assignments, words, inner };
}
