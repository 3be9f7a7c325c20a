// What the last word of a command line may become, for the shells. Nothing is started to find out.
import type { Command, Option } from 'commander';
import { ownPart } from '../../definition/full-name.ts';
import type { KnownNames } from './host/known-names.ts';

/** `known` is asked only where names of plugins or tools are wanted, `commands` where user commands are. */
export async function complete(
  program: Command,
  words: readonly string[],
  known: () => Promise<KnownNames>,
  commands: UserCommands,
): Promise<readonly string[]> {
  const partial = words.at(-1) ?? '';
  const candidates = await candidatesFor(program, words.slice(0, -1), partial, known, commands);
  return [...new Set(candidates)].filter((name) => name.startsWith(partial) && SAFE.test(name)).sort();
}

/** What plugins offer to their users. */
export interface UserCommands {
  /** Full ones. */
  names(): Promise<readonly string[]>;
  /** What may stand next, after these words. */
  values(command: string, words: readonly string[], typed: string): Promise<readonly string[]>;
}

/** Names come from files and plugins of others, and a shell may evaluate what it completes: only what means nothing to any shell is offered. */
const SAFE = /^[\w@%+:,./-]+$/;

async function candidatesFor(
  program: Command,
  before: readonly string[],
  partial: string,
  known: () => Promise<KnownNames>,
  users: UserCommands,
): Promise<readonly string[]> {
  const commands = program.commands.filter((command) => !command.name().startsWith('_'));
  const [name, ...rest] = before;
  if (name === undefined)
    return partial.startsWith('-') ? namesOf(program.options) : commands.map((command) => command.name());
  const command = commands.find((each) => each.name() === name);
  // Behind `--` stands a command of the user's.
  if (command === undefined || rest.includes('--')) return [];
  const { open, typed } = readWords(command, rest);
  if (open !== undefined) return open.argChoices ?? [];
  if (partial.startsWith('-')) return [...namesOf(command.options), '--help'];
  const last = command.registeredArguments.at(-1);
  const argument = command.registeredArguments[typed.length] ?? (last?.variadic === true ? last : undefined);
  if (argument?.argChoices !== undefined) return argument.argChoices;
  switch (argument?.name()) {
    case 'tool':
      return callable((await known()).tools, partial);
    case 'command':
      return callable(await users.names(), partial);
    case 'words':
      return words(await users.values(typed[0] ?? '', typed.slice(1), partial));
    case 'name':
    case 'names':
      return name === 'add' || name === 'new' ? [] : words((await known()).plugins);
    default:
      return [];
  }
}

/** Full names; where none begins with what is typed, the own names that only one plugin has. */
function callable(names: readonly string[], partial: string): string[] {
  if (names.some((name) => name.startsWith(partial))) return words(names);
  const own = names.map(ownPart);
  return words(own.filter((name) => own.indexOf(name) === own.lastIndexOf(name)));
}

/** What begins with a dash would be taken for an option. */
function words(names: readonly string[]): string[] {
  return names.filter((name) => !name.startsWith('-'));
}

/** Which arguments are there, and which option still waits for its value. */
function readWords(
  command: Command,
  words: readonly string[],
): { readonly open: Option | undefined; readonly typed: readonly string[] } {
  let open: Option | undefined;
  const typed: string[] = [];
  for (const word of words) {
    const option = command.options.find(({ short, long }) => word === short || word === long);
    if (open !== undefined) open = undefined;
    else if (option !== undefined) open = option.required ? option : undefined;
    else if (!word.startsWith('-')) typed.push(word);
  }
  return { open, typed };
}

function namesOf(options: readonly Option[]): string[] {
  return options.flatMap(({ short, long }) => [short, long]).filter((name) => name !== undefined);
}
