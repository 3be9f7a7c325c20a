// From a command line to all that it would do.
import type { CommandLine } from './command-line.ts';
import { type Grammar, loadGrammar } from './parse.ts';
import { readScript } from './script.ts';
import { type ReadText, type ShellReading, unread } from './shell-command.ts';
import { plainWord } from './words.ts';
import { unwrap } from './wrappers/unwrap.ts';

/** At once unless it takes the parser. */
export function readShell(line: CommandLine): ShellReading | Promise<ShellReading> {
  const reading = readWith(line, undefined);
  return reading ?? loadGrammar().then((grammar) => readWith(line, grammar) ?? unread('it cannot be parsed'));
}

function readWith(line: CommandLine, grammar: Grammar | undefined): ShellReading | undefined {
  let isParserMissing = false;
  const readText: ReadText = (text, shell, depth) => {
    if (grammar) return readScript(grammar, text, shell, depth, readText);
    isParserMissing = true;
    return unread('');
  };
  const reading = readLine(line, readText);
  return isParserMissing ? undefined : reading;
}

function readLine(line: CommandLine, readText: ReadText): ShellReading {
  switch (line.kind) {
    case 'unreadable':
      return unread(line.reason);
    case 'shell':
      return readText(line.script, 'bash', 0);
    case 'argv': {
      const words = line.words.map(plainWord);
      const { commands, unreadable } = unwrap({ words, assignments: [] }, readText, 0);
      return { commands: [{ kind: 'command', assignments: [], words, inner: commands }], unreadable };
    }
  }
}
