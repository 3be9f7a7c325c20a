// `pluglot completion SHELL`: the script a shell loads once; it asks `pluglot __complete` at every TAB, which starts no plugin.
import { fileURLToPath } from 'node:url';
import { Argument, type Command, type Option } from 'commander';
import { systemClock } from '../../../base/clock.ts';
import { isJsonObject } from '../../../base/json.ts';
import { shellWord } from '../../../base/text.ts';
import { late, within } from '../../../base/async.ts';
import { fullName, ownPart } from '../../../definition/plugin-spec.ts';
import { discover } from '../../../fleet/discovery/discover.ts';
import type { RuntimeApi } from '../../../runtime/api.ts';
import { attach, socketOf } from '../attach.ts';
import { defineCommand, type DeclareCommand } from '../command.ts';
import { parameterOfNext } from '../command-arguments.ts';
import type { CliEnvironment, CommandContext } from '../context.ts';
import { ExitCode } from '../exit-code.ts';
import { withoutBuiltIns } from '../open-runtime.ts';
import { openOwnRuntime } from '../own-runtime.ts';
import { createTerminals, silentTerminal } from '../terminal.ts';

export const commands = {
  completion: defineCommand<object, [shell: keyof typeof scripts]>({
    plain: true,
    examples: ['source <(pluglot completion bash)', 'pluglot completion zsh > "${fpath[1]}/_pluglot"'],
    declare: (command) =>
      command.addArgument(new Argument('<shell>', 'Shell').choices(['bash', 'zsh', 'fish'])),
    run: (context, _, shell) => completion(context, shell),
  }),
  __complete: ((command, { environment, command: words = [] }) => {
    command.action(async () => {
      if (command.parent === null) return;
      const known = () => knownNames(environment);
      const names = await complete(command.parent, words, known, knownCommands(environment));
      environment.stdout.write(names.map((name) => `${name}\n`).join(''));
    });
  }) satisfies DeclareCommand,
};

function completion({ out }: CommandContext, shell: keyof typeof scripts): Promise<ExitCode> {
  const own = [process.execPath, fileURLToPath(new URL('../main.js', import.meta.url))]
    .map(shellWord)
    .join(' ');
  out.text(scripts[shell].replaceAll('OWN', () => own));
  return Promise.resolve(ExitCode.ok);
}

/**
 * Each asks the program `pluglot`, or where none is installed (npx) the one that has printed it. Each hands over the words before the cursor, the last of them as far as it is typed, and falls back to files. zsh loads its script as the
 * body of the function that it is to define, at the first TAB: then it has to complete at once.
 */
const scripts = {
  bash: `_pluglot_names() {
  case "$(type -t pluglot)" in
    file | function) pluglot __complete -- "$@" ;;
    *) OWN __complete -- "$@" ;;
  esac 2>/dev/null
}
_pluglot() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <(_pluglot_names "\${COMP_WORDS[@]:1:COMP_CWORD}")
}
complete -o default -F _pluglot pluglot
`,
  zsh: `#compdef pluglot
_pluglot_names() {
  if (( $+commands[pluglot] || $+functions[pluglot] )); then pluglot __complete -- "$@"
  else OWN __complete -- "$@"; fi 2>/dev/null
}
_pluglot() {
  local -a names
  names=("\${(@f)$(_pluglot_names "\${(@)words[2,CURRENT]}")}")
  if [[ -n "$names[1]" ]]; then compadd -- "\${names[@]}"; else _files; fi
}
if [ "$funcstack[1]" = "_pluglot" ]; then _pluglot "$@"; else compdef _pluglot pluglot; fi
`,
  fish: `function __pluglot_names
  if type -q pluglot
    pluglot __complete -- $argv 2>/dev/null
  else
    OWN __complete -- $argv 2>/dev/null
  end
end
function __pluglot_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l names (__pluglot_names $words[2..-1])
  if test (count $names) -gt 0
    printf '%s\\n' $names
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c pluglot -f -a '(__pluglot_complete)'
`,
};

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

interface KnownNames {
  readonly plugins: readonly string[];
  /** Full ones. */
  readonly tools: readonly string[];
}

/** What plugins offer to their users. */
interface UserCommands {
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

/** A person who has pressed TAB does not wait longer. */
const PATIENCE_MS = 1000;

async function knownNames(environment: CliEnvironment): Promise<KnownNames> {
  return (await ofRunning(environment, namesOfRunning)) ?? namesOnDisk(environment);
}

/** Of the `up` that runs here; undefined where none does, or none that answers. */
async function ofRunning<Value>(
  environment: CliEnvironment,
  ask: (host: RuntimeApi) => Promise<Value>,
): Promise<Value | undefined> {
  const asking = async () => {
    const host = await attach(await socketOf({ ...environment, configFile: undefined }));
    if (host === undefined) return undefined;
    try {
      return await ask(host);
    } finally {
      await host.close();
    }
  };
  const value = await within(asking(), PATIENCE_MS, systemClock);
  return value === late ? undefined : value;
}

async function namesOfRunning(host: RuntimeApi): Promise<KnownNames> {
  const [{ plugins }, tools] = await Promise.all([host.plugins(), host.tools()]);
  return { plugins: withoutBuiltIns(plugins).map(({ name }) => name), tools: tools.map(({ name }) => name) };
}

async function namesOnDisk({ cwd, home, env }: CliEnvironment): Promise<KnownNames> {
  const { plugins, modules } = await discover({ cwd, home, env });
  return {
    plugins: [...plugins.map(({ spec }) => spec.name), ...modules.map(({ module }) => module.name)],
    tools: plugins.flatMap(({ spec }) =>
      manifestTools(spec.manifest).map((tool) => fullName(spec.name, tool)),
    ),
  };
}

/** A G-Assist manifest lists its functions. */
function manifestTools(manifest: unknown): string[] {
  const functions: unknown = isJsonObject(manifest) ? manifest['functions'] : undefined;
  if (!Array.isArray(functions)) return [];
  return functions.flatMap((one: unknown) =>
    isJsonObject(one) && typeof one['name'] === 'string' ? [one['name']] : [],
  );
}

type Commands = Pick<RuntimeApi, 'command' | 'commands' | 'complete'>;

/** User commands and their arguments: of a running `up`, else of plugins in this process that are trusted. */
function knownCommands(environment: CliEnvironment): UserCommands {
  return {
    names: () => ask(environment, commandNamesOf),
    values: (command, words, typed) =>
      ask(environment, async (host) => {
        const found = await host.command(command);
        const [, parameter] = /^(\w+)=/.exec(typed) ?? [];
        const name = parameter ?? parameterOfNext(found.command, words);
        return name === undefined ? [] : host.complete(found.name, name, typed);
      }),
  };
}

async function commandNamesOf(host: Commands): Promise<readonly string[]> {
  const commands = await host.commands({ ask: true });
  return commands.map(({ name }) => name);
}

/** A completion never fails. */
async function ask(
  environment: CliEnvironment,
  question: (host: Commands) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  try {
    return (await ofRunning(environment, question)) ?? (await askHere(environment, question));
  } catch {
    return [];
  }
}

const OWN_PATIENCE_MS = 3000;

async function askHere(
  environment: CliEnvironment,
  question: (host: Commands) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const { out, err } = createTerminals(environment);
  const context: CommandContext = {
    ...environment,
    out: silentTerminal(out),
    err: silentTerminal(err),
    command: undefined,
    json: false,
    verbosity: -1,
    standalone: true,
    configFile: undefined,
    startedAt: Date.now(),
  };
  const host = await openOwnRuntime(context, { person: undefined, builtIns: true });
  try {
    const answer = await within(question(host), OWN_PATIENCE_MS, systemClock);
    return answer === late ? [] : answer;
  } finally {
    await host.close();
  }
}
