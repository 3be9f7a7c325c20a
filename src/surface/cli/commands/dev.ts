// `pluglot dev -- COMMAND…`: a plugin that is being written: started again whenever its files change, and called from a prompt.
import path from 'node:path';
import { systemClock } from '../../../base/clock.ts';
import { toError } from '../../../base/error.ts';
import { printableLine } from '../../../base/printable.ts';
import type { Manifest } from '../../../definition/manifest.ts';
import { homeFolders } from '../../../fleet/discovery/config-places.ts';
import type { Plugin } from '../../../fleet/plugin/plugin.ts';
import { createCaller, manifestDiff, manifestLines, openScreen, type Screen } from '../dev/stage.ts';
import { watchFiles } from '../../../runtime/watch-files.ts';
import { watchTargets } from '../dev/watch-targets.ts';
import { collect, defineCommand } from '../command.ts';
import { ExitCode } from '../exit-code.ts';
import { hint } from '../terminal.ts';
import { showFailure, withoutStderr } from '../failure.ts';
import type { RuntimeApi } from '../../../runtime/api.ts';
import { openOwnRuntime } from '../own-runtime.ts';
import { socketOf } from '../attach.ts';
import { interrupted, type CommandContext, usageError } from '../context.ts';
import { logShown, markedLine, showLog } from '../log-lines.ts';

interface DevFlags {
  readonly dialect?: string;
  readonly watch?: readonly string[];
}

export const commands = {
  dev: defineCommand<DevFlags>({
    description:
      'Run a plugin while you write it: restart it when its files change, and call its tools from a prompt',
    examples: [
      'pluglot dev -- node plugin.mjs',
      'pluglot dev --watch src -- npx tsx src/plugin.ts',
      'pluglot dev -vv -- python3 plugin.py',
    ],
    uses: 'command',
    declare: (command) =>
      command.option('--watch <path>', 'File or folder to watch as well; repeatable', collect),
    run: dev,
  }),
};

async function dev(context: CommandContext, options: DevFlags): Promise<ExitCode> {
  const { command, cwd, home, env, signal } = context;
  if (command === undefined)
    throw usageError(
      'Give the command that starts the plugin behind --, such as: pluglot dev -- node plugin.mjs',
    );
  const { state, data } = homeFolders(env, home);
  const watch = options.watch ?? [];
  const targets = watchTargets({ command, cwd, home, watch, ownFolders: [state, data] });
  // A plugin that cannot start waits for its next change instead of being tried again.
  const host = await openOwnRuntime(context, { ...options, restarts: false });
  try {
    const [plugin] = host.fleet.plugins as [Plugin]; // the one behind `--`
    const stage = createStage(context, host, plugin);
    const watching = await watchFiles(targets, systemClock, (files) => stage.changed(files));
    const server = await listen(stage.context, host);
    try {
      await stage.start();
      await interrupted(AbortSignal.any([signal, stage.left]));
    } finally {
      stage.close();
      await Promise.all([watching.close(), server?.close()]);
    }
  } finally {
    await host.close(signal);
  }
  return signal.aborted ? ExitCode.interrupted : ExitCode.ok;
}

/** Commands in other terminals use this plugin, as they would that of an `up`; where one runs already, they use that one. */
async function listen(
  context: CommandContext,
  host: RuntimeApi,
): Promise<{ close(): Promise<void> } | undefined> {
  try {
    const { createSocketServer } = await import('../../http/server.ts');
    return await createSocketServer({ api: host, unixSocket: await socketOf(context) });
  } catch (thrown) {
    hint(context.err, `Other terminals cannot use it: ${printableLine(toError(thrown).message, 500)}`);
    return undefined;
  }
}

interface Stage {
  readonly context: CommandContext;
  start(): Promise<void>;
  changed(files: readonly string[]): void;
  /** Fires when the user leaves the prompt. */
  readonly left: AbortSignal;
  close(): void;
}

function createStage(given: CommandContext, host: RuntimeApi, plugin: Plugin): Stage {
  const screen: Screen | undefined = given.json ? undefined : openScreen(given, (line) => caller.typed(line));
  const context: CommandContext =
    screen === undefined ? given : { ...given, out: screen.out, err: screen.err };
  const { out, err, json, cwd, verbosity } = context;
  const caller = createCaller({ context, host, plugin, screen });
  const left = new AbortController();
  void screen?.left.then(() => left.abort());
  let last: Manifest | undefined;
  let readySince = Infinity;
  /** Its output is shown as it comes, but not while its dialect is detected. */
  let hasPrinted = false;
  const show = (event: object) => out.line(JSON.stringify({ at: Date.now(), ...event }));

  /** One after the other; what changes meanwhile is the next. */
  let work: Promise<void> = Promise.resolve();
  const launch = (begin: () => Promise<Manifest>) => {
    work = work.then(async () => {
      hasPrinted = false;
      try {
        const manifest = await begin();
        const diff = last === undefined ? 'first' : await manifestDiff(last, manifest);
        last = manifest;
        readySince = systemClock.now();
        if (json) show({ event: 'started', tools: manifest.tools.map(({ name }) => name), diff });
        else for (const line of manifestLines(manifest, diff, out)) out.line(line);
        caller.ready();
      } catch (thrown) {
        if (given.signal.aborted) return;
        const error = toError(thrown);
        if (json) show({ event: 'failed', message: error.message });
        else {
          showFailure(hasPrinted ? withoutStderr(error) : error, { ...context, json: false });
          hint(err, RESTART);
        }
      }
    });
    return work;
  };
  const unfollow = plugin.onEvent((event) => {
    if (event.kind === 'logged') {
      const { source, call } = event.entry;
      hasPrinted ||= source === 'stderr' && logShown(event.entry, verbosity);
      if (source !== 'host' && call === undefined) showLog(err, event.entry, verbosity);
      return;
    }
    if (event.kind !== 'state-changed' || event.state !== 'failed' || event.previous === 'starting') return;
    // It ran and has ended: once more, unless it does that all the time.
    const isStable = systemClock.now() - readySince > STABLE_MS;
    readySince = Infinity;
    const reason = printableLine(event.reason?.message ?? 'It has ended.', 1000);
    err.line(markedLine(err, `${err.colours.red('✗')} `, reason));
    if (isStable) void launch(() => plugin.start());
    else hint(err, RESTART);
  });
  return {
    context,
    left: left.signal,
    start: () => launch(() => plugin.start()),
    changed(files) {
      const names = files.map((file) => printableLine(nameOf(file, cwd), 80));
      const shown =
        names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
      if (json) show({ event: 'changed', files });
      else err.line(`${err.colours.cyan('↻')} ${shown} changed`);
      void launch(() => plugin.restart());
    },
    close() {
      unfollow();
      screen?.close();
    },
  };
}

const STABLE_MS = 2000;
const RESTART = 'It is started again when its files change.';

function nameOf(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  return relative.startsWith('..') ? file : relative;
}
