// The user commands a shell may complete, and what they take: of a running `up`, else of plugins in this process, of which trusted ones alone
// are loaded. No process is started.
import { systemClock } from '../../../base/clock.ts';
import { late, within } from '../../../base/within.ts';
import { parameterOfNext } from '../command-arguments.ts';
import type { CommandContext } from '../commands/context.ts';
import type { UserCommands } from '../complete.ts';
import type { Surroundings } from '../surroundings.ts';
import { createTerminals, silentTerminal } from '../terminal.ts';
import type { RuntimeApi } from '../../../runtime/api.ts';
import { ofRunning } from './known-names.ts';
import { openOwnHost } from './own-host.ts';

type Commands = Pick<RuntimeApi, 'command' | 'commands' | 'complete'>;

export function knownCommands(surroundings: Surroundings): UserCommands {
  return {
    names: () => ask(surroundings, namesOf),
    values: (command, words, typed) =>
      ask(surroundings, async (host) => {
        const found = await host.command(command);
        const [, parameter] = /^(\w+)=/.exec(typed) ?? [];
        const name = parameter ?? parameterOfNext(found.command, words);
        return name === undefined ? [] : host.complete(found.name, name, typed);
      }),
  };
}

async function namesOf(host: Commands): Promise<readonly string[]> {
  const commands = await host.commands({ ask: true });
  return commands.map(({ name }) => name);
}

/** Whoever types gets nothing rather than a failure. */
async function ask(
  surroundings: Surroundings,
  question: (host: Commands) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  try {
    return (await ofRunning(surroundings, question)) ?? (await askHere(surroundings, question));
  } catch {
    return [];
  }
}

const PATIENCE_MS = 3000;

async function askHere(
  surroundings: Surroundings,
  question: (host: Commands) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const { out, err } = createTerminals(surroundings);
  const context: CommandContext = {
    ...surroundings,
    out: silentTerminal(out),
    err: silentTerminal(err),
    command: undefined,
    json: false,
    verbosity: -1,
    standalone: true,
    configFile: undefined,
    startedAt: Date.now(),
  };
  const { host } = await openOwnHost(context, { person: undefined, builtIns: true });
  try {
    const answer = await within(question(host), PATIENCE_MS, systemClock);
    return answer === late ? [] : answer;
  } finally {
    await host.close();
  }
}
