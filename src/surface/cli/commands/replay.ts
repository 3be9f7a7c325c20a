// `pluglot replay FILE [-- COMMAND…]`: replays a recording as a plugin, for any host; or compares the answers of a plugin with it.
import path from 'node:path';
import { InvalidArgumentError } from 'commander';
import { systemClock } from '../../../base/clock.ts';
import type { Json } from '../../../base/json.ts';
import { lineDiff } from '../../../gate/pins/line-diff.ts';
import { printable, printableLine } from '../../../base/printable.ts';
import { fdPipe } from '../../../channel/bytes/stream-pipe.ts';
import { dialectNames } from '../../../definition/plugin-spec.ts';
import { homeFolders } from '../../../fleet/discovery/config-places.ts';
import { withManifestBeside } from '../../../fleet/discovery/manifest-folders.ts';
import { lineSplitter } from '../../../fleet/plugin/logs/line-splitter.ts';
import { type Cassette, readCassette } from '../../../fleet/recording/cassette.ts';
import {
  compareWithCassette,
  type Comparison,
  type Difference,
  rawPlugin,
} from '../../../fleet/recording/compare.ts';
import { perform } from '../../../fleet/recording/stage.ts';
import { createLauncher } from '../../../fleet/supervisor/process-launcher.ts';
import { writableHere } from '../../../runtime/own-places.ts';
import { collect, defineCommand, durationOption } from '../command.ts';
import { ExitCode } from '../exit-code.ts';
import { unlessInterrupted, type CommandContext } from '../context.ts';
import { confirm, hint, warn, type Terminal } from '../terminal.ts';
import { specOfCommand } from '../own-runtime.ts';
import { markedLine } from '../log-lines.ts';

interface ReplayFlags {
  readonly strict?: boolean;
  readonly speed?: number;
  readonly ignore?: readonly string[];
  /** Milliseconds. */
  readonly timeout?: number;
  /** Instead of the one in the recording. */
  readonly dialect?: string;
}

export const commands = {
  replay: defineCommand<ReplayFlags, [file: string]>({
    description:
      'Replay a recording as a plugin, for any host; with a command, show what changed in its answers',
    examples: [
      'pluglot call roll dice=2d6 -- pluglot replay dice.jsonl',
      'pluglot replay dice.jsonl --strict',
      'pluglot replay dice.jsonl -- node server.mjs',
    ],
    uses: 'command',
    declare: (command) =>
      command
        .argument('<file>', 'Recording to read')
        .option('--strict', 'Exit with 1 unless the host sends what was recorded, in that order')
        .option('--speed <factor>', '1: recorded speed, 2: twice as fast, 0: no delays', speedOption, 0)
        .option('--ignore <key>', 'Key whose values may differ; repeatable', collect)
        .option('--timeout <duration>', 'Time limit for each message, such as 30s', durationOption),
    run: replay,
  }),
};

function speedOption(text: string): number {
  const speed = Number(text);
  if (text.trim() === '' || !(speed >= 0) || speed === Infinity)
    throw new InvalidArgumentError('Write a number: 1 as it was recorded, 0 at once.');
  return speed;
}

async function replay(context: CommandContext, options: ReplayFlags, file: string): Promise<ExitCode> {
  const read = await readCassette(path.resolve(context.cwd, file));
  const dialect = dialectNames.find((name) => name === options.dialect) ?? read.header.dialect;
  const cassette = { ...read, header: { ...read.header, dialect } };
  if (context.command === undefined) return replayAsPlugin(context, cassette, options);
  return compare(context, cassette, options);
}

async function replayAsPlugin(
  { err, signal, verbosity, stdin }: CommandContext,
  cassette: Cassette,
  { strict = false, speed = 0, ignore = [] }: ReplayFlags,
): Promise<ExitCode> {
  if (stdin.isTTY && err.live)
    hint(
      err,
      `This is the plugin "${printableLine(cassette.header.plugin)}", and it waits for a host. Ctrl-C ends it.`,
    );
  const pipe = fdPipe(0, 1);
  const leave = () => pipe.destroy();
  signal.addEventListener('abort', leave, { once: true });
  // Messages that were recorded after a pause may come after the host has closed its side.
  const stay = setInterval(() => {}, 60_000);
  try {
    const mode = strict ? 'strict' : 'lenient';
    // At once: a host may not read what is printed after its last answer.
    const onDeviation = (words: string) => {
      if (verbosity >= 0) warn(err, printableLine(words, 1000));
    };
    const options = { mode, ignore, speed, clock: systemClock, onDeviation } as const;
    const { deviations, unsent } = await perform(pipe, cassette, options);
    if (verbosity > 0 || (verbosity === 0 && strict)) show(err, 'recorded and not sent', unsent);
    return strict && deviations.length + unsent.length > 0 ? ExitCode.failed : ExitCode.ok;
  } finally {
    clearInterval(stay);
    pipe.destroy();
  }
}

function show(err: CommandContext['err'], what: string, list: readonly string[]): void {
  if (list.length === 0) return;
  warn(err, `${list.length} ${what}:`);
  for (const one of list.slice(0, SHOWN)) err.line(`  ${printableLine(one, 1000)}`);
  if (list.length > SHOWN) err.line(`  … and ${list.length - SHOWN} more.`);
}

const SHOWN = 20;

async function compare(
  context: CommandContext,
  cassette: Cassette,
  { ignore = [], timeout: limitMs = LIMIT_MS }: ReplayFlags,
): Promise<ExitCode> {
  const { command = [], env, home, cwd, signal, err, out, json, verbosity } = context;
  const { dialect } = cassette.header;
  const spec = await withManifestBeside(specOfCommand(command, { dialect }, cwd));
  const launcher = createLauncher({
    env,
    stateFolder: homeFolders(env, home).state,
    hostFolder: cwd,
    writable: () => writableHere(context),
  });
  const lines = lineSplitter((line) =>
    err.line(err.colours.dim(markedLine(err, '| ', printable(line), { mark: '| ' }))),
  );
  const onStderr = (chunk: Buffer) => {
    if (verbosity > 0) lines.push(chunk);
  };
  try {
    err.progress(`sending the recorded messages to ${spec.name} …`);
    const connect = async () =>
      rawPlugin(await launcher.launch({ ...spec, dialect }, { onStderr }), {
        dialect,
        clock: systemClock,
        limitMs,
      });
    const comparison = await unlessInterrupted(signal, compareWithCassette(cassette, connect, { ignore }));
    err.clear();
    if (json) out.line(JSON.stringify({ ok: comparison.differences.length === 0, ...comparison }));
    else await showComparison(out, comparison, verbosity);
    return comparison.differences.length === 0 ? ExitCode.ok : ExitCode.failed;
  } finally {
    await launcher.close();
    lines.end();
  }
}

/** For each recorded message of the host. */
const LIMIT_MS = 10_000;

async function showComparison(
  out: Terminal,
  { turns, differences }: Comparison,
  verbosity: number,
): Promise<void> {
  const { red } = out.colours;
  const all = turns === 1 ? '1 exchange' : `${turns} exchanges`;
  if (differences.length === 0) {
    confirm(out, `${all}, all as recorded.`);
    return;
  }
  if (verbosity >= 0) for (const difference of differences) await showDifference(out, difference);
  out.line(`${red('✗')} ${differences.length} of ${all} differ from the recording.`);
}

async function showDifference(
  out: Terminal,
  { hostMessage, recorded, now, missing }: Difference,
): Promise<void> {
  const { bold, dim, green, red, cyan } = out.colours;
  const what =
    hostMessage === null
      ? 'sent without a request'
      : printableLine(JSON.stringify(hostMessage), out.columns * 2);
  out.line(`${cyan('→')} ${bold(what)}`);
  const diff = await lineDiff(textOf(recorded), textOf(now), { maxLines: 100 });
  for (const line of diff.split('\n')) {
    const text = printable(line);
    const paint = line.startsWith('-') ? red : line.startsWith('+') ? green : dim;
    out.line(`  ${paint(text)}`);
  }
  if (missing !== undefined) out.line(`  ${red(printableLine(missing, 1000))}`);
  out.line();
}

function textOf(messages: readonly Json[]): string {
  return messages.map((message) => JSON.stringify(message, undefined, 2)).join('\n');
}
