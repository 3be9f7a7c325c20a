// `pluglot replay FILE -- COMMAND…`: says to a plugin what its host said when the cassette was recorded, and shows what it answers otherwise.
import { systemClock } from '../../../base/clock.ts';
import type { Json } from '../../../base/json.ts';
import { lineDiff } from '../../../base/line-diff.ts';
import { printable, printableLine } from '../../../base/printable.ts';
import { homeFolders } from '../../../fleet/discovery/home-folders.ts';
import { withManifestBeside } from '../../../fleet/discovery/manifest-beside.ts';
import type { Cassette } from '../../../fleet/recording/cassette.ts';
import { compareWithCassette, type Comparison, type Difference } from '../../../fleet/recording/compare.ts';
import { rawPlugin } from '../../../fleet/recording/raw-plugin.ts';
import { createLauncher } from '../../../fleet/supervisor/process-launcher.ts';
import type { CommandContext } from '../commands/context.ts';
import { ExitCode } from '../exit-code.ts';
import { specOfCommand } from '../host/typed-command.ts';
import { writableHere } from '../../../runtime/own-places.ts';
import { unlessInterrupted } from '../interruption.ts';
import type { Terminal } from '../terminal.ts';

interface RehearseOptions {
  readonly ignore?: readonly string[];
  readonly timeoutMs?: number;
}

export async function rehearse(
  context: CommandContext,
  cassette: Cassette,
  { ignore = [], timeoutMs: limitMs = LIMIT_MS }: RehearseOptions,
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
  const onStderr = (chunk: Buffer) => {
    if (verbosity > 0) err.text(printable(chunk.toString()));
  };
  try {
    err.progress(`saying to ${spec.name} what was recorded …`);
    const connect = async () =>
      rawPlugin(await launcher.launch({ ...spec, dialect }, { onStderr }), {
        dialect,
        clock: systemClock,
        limitMs,
      });
    const comparison = await unlessInterrupted(signal, compareWithCassette(cassette, connect, { ignore }));
    err.clear();
    if (json) out.line(JSON.stringify({ ok: comparison.differences.length === 0, ...comparison }));
    else tellComparison(out, comparison, verbosity);
    return comparison.differences.length === 0 ? ExitCode.ok : ExitCode.failed;
  } finally {
    await launcher.close();
  }
}

/** For each message that was said then. */
const LIMIT_MS = 10_000;

function tellComparison(out: Terminal, { turns, differences }: Comparison, verbosity: number): void {
  const { green, red } = out.colours;
  const all = turns === 1 ? '1 exchange' : `${turns} exchanges`;
  if (differences.length === 0) {
    out.line(`${green('✓')} ${all}, all as recorded.`);
    return;
  }
  if (verbosity >= 0) for (const difference of differences) tellDifference(out, difference);
  out.line(`${red('✗')} ${differences.length} of ${all} went otherwise than recorded.`);
}

function tellDifference(out: Terminal, { said, recorded, now, missing }: Difference): void {
  const { bold, dim, green, red, cyan } = out.colours;
  const what = said === null ? 'said unasked' : printableLine(JSON.stringify(said), out.columns * 2);
  out.line(`${cyan('→')} ${bold(what)}`);
  const diff = lineDiff(textOf(recorded), textOf(now), { maxLines: 100 });
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
