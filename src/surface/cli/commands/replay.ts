// `pluglot replay FILE [-- COMMAND…]`: the plugin of a recording for any host; or what a plugin says now, beside what was recorded.
import path from 'node:path';
import { systemClock } from '../../../base/clock.ts';
import { printableLine } from '../../../base/printable.ts';
import { fdPipe } from '../../../channel/bytes/stream-pipe.ts';
import { dialectNames } from '../../../definition/plugin-spec.ts';
import type { Cassette } from '../../../fleet/recording/cassette.ts';
import { readCassette } from '../../../fleet/recording/read-cassette.ts';
import { perform } from '../../../fleet/recording/stage.ts';
import { ExitCode } from '../exit-code.ts';
import type { CommandContext } from './context.ts';

export interface ReplayOptions {
  readonly strict?: boolean;
  readonly speed?: number;
  readonly ignore?: readonly string[];
  readonly timeoutMs?: number;
  /** Instead of what the cassette says. */
  readonly dialect?: string;
}

export async function replay(
  context: CommandContext,
  file: string,
  options: ReplayOptions,
): Promise<ExitCode> {
  const read = await readCassette(path.resolve(context.cwd, file));
  const dialect = dialectNames.find((name) => name === options.dialect) ?? read.header.dialect;
  const cassette = { ...read, header: { ...read.header, dialect } };
  if (context.command === undefined) return act(context, cassette, options);
  const { rehearse } = await import('../recording/rehearse.ts');
  return rehearse(context, cassette, options);
}

async function act(
  { err, signal, verbosity, stdin }: CommandContext,
  cassette: Cassette,
  { strict = false, speed = 0, ignore = [] }: ReplayOptions,
): Promise<ExitCode> {
  if (stdin.isTTY && err.live)
    err.line(
      err.colours.dim(
        `This is the plugin "${printableLine(cassette.header.plugin)}", and it waits for a host. Ctrl-C ends it.`,
      ),
    );
  const pipe = fdPipe(0, 1);
  const leave = () => pipe.destroy();
  signal.addEventListener('abort', leave, { once: true });
  // What is said with a pause may come after the host has ended its side.
  const stay = setInterval(() => {}, 60_000);
  try {
    const mode = strict ? 'strict' : 'lenient';
    // At once: a host may not read what is printed after its last answer.
    const onDeviation = (words: string) => {
      if (verbosity >= 0) err.line(`${err.colours.yellow('!')} ${printableLine(words, 1000)}`);
    };
    const options = { mode, ignore, speed, clock: systemClock, onDeviation } as const;
    const { deviations, unsaid } = await perform(pipe, cassette, options);
    if (verbosity > 0 || (verbosity === 0 && strict)) tell(err, 'recorded and not said', unsaid);
    return strict && deviations.length + unsaid.length > 0 ? ExitCode.failed : ExitCode.ok;
  } finally {
    clearInterval(stay);
    pipe.destroy();
  }
}

function tell(err: CommandContext['err'], what: string, list: readonly string[]): void {
  if (list.length === 0) return;
  err.line(`${err.colours.yellow('!')} ${list.length} ${what}:`);
  for (const one of list.slice(0, SHOWN)) err.line(`  ${printableLine(one, 1000)}`);
  if (list.length > SHOWN) err.line(`  … and ${list.length - SHOWN} more.`);
}

const SHOWN = 20;
