// `pluglot dev -- COMMAND…`: a plugin that is being written: started again whenever its files change, and called from a prompt.
import path from 'node:path';
import { systemClock } from '../../../base/clock.ts';
import { PluglotError, toError } from '../../../base/error.ts';
import { printableLine } from '../../../base/printable.ts';
import type { Manifest } from '../../../definition/manifest.ts';
import { homeFolders } from '../../../fleet/discovery/home-folders.ts';
import type { Plugin } from '../../../fleet/plugin/plugin.ts';
import { createCaller } from '../dev/caller.ts';
import { manifestDiff } from '../dev/manifest-diff.ts';
import { openScreen, type Screen } from '../dev/stage-screen.ts';
import { manifestLines } from '../dev/tell-manifest.ts';
import { watchFiles } from '../dev/watch-files.ts';
import { watchTargets } from '../dev/watch-targets.ts';
import { ExitCode } from '../exit-code.ts';
import { tellFailure } from '../failure.ts';
import type { Host } from '../host/host.ts';
import { openOwnHost, type OwnHost } from '../host/own-host.ts';
import { socketOf } from '../host/project-socket.ts';
import { interrupted } from '../interruption.ts';
import { logShown, tellLog } from '../log-lines.ts';
import type { CommandContext } from './context.ts';

export interface DevOptions {
  readonly dialect?: string;
  readonly watch?: readonly string[];
}

export async function dev(context: CommandContext, options: DevOptions): Promise<ExitCode> {
  const { command, cwd, home, env, signal } = context;
  if (command === undefined)
    throw new PluglotError(
      'INVALID_ARGUMENTS',
      'Give the command that starts the plugin behind --, such as: pluglot dev -- node plugin.mjs',
    );
  const { state, data } = homeFolders(env, home);
  const watch = options.watch ?? [];
  const targets = watchTargets({ command, cwd, home, watch, ownFolders: [state, data] });
  const own = await openOwnHost(context, options);
  const { host } = own;
  try {
    const plugin = await withoutRestarts(own);
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

/** One that cannot start waits for its next change instead of being tried again. */
async function withoutRestarts({ fleet }: OwnHost): Promise<Plugin> {
  // What stands behind `--` is the only one.
  const { spec } = fleet.plugins[0] as Plugin;
  await fleet.remove(spec.name);
  return fleet.add({ ...spec, restart: { max: 0 } });
}

/** Commands in other terminals use this plugin, as they would that of an `up`; where one runs already, they use that one. */
async function listen(context: CommandContext, host: Host): Promise<{ close(): Promise<void> } | undefined> {
  try {
    const { createSocketServer } = await import('../../http/server.ts');
    return await createSocketServer({ api: host, unixSocket: await socketOf(context) });
  } catch (thrown) {
    const { err } = context;
    err.line(
      err.colours.dim(`Other terminals do not see it: ${printableLine(toError(thrown).message, 500)}`),
    );
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

function createStage(given: CommandContext, host: Host, plugin: Plugin): Stage {
  const screen: Screen | undefined = given.json ? undefined : openScreen(given, (line) => caller.typed(line));
  const context: CommandContext =
    screen === undefined ? given : { ...given, out: screen.out, err: screen.err };
  const { out, err, json, cwd, verbosity } = context;
  const caller = createCaller({ context, host, plugin, screen });
  const left = new AbortController();
  void screen?.left.then(() => left.abort());
  let last: Manifest | undefined;
  let readySince = Infinity;
  /** What it prints is shown as it comes, but not while it is asked what it speaks. */
  let hasPrinted = false;
  const tell = (event: object) => out.line(JSON.stringify({ at: Date.now(), ...event }));

  /** One after the other; what changes meanwhile is the next. */
  let work: Promise<void> = Promise.resolve();
  const launch = (begin: () => Promise<Manifest>) => {
    work = work.then(async () => {
      hasPrinted = false;
      try {
        const manifest = await begin();
        const diff = last === undefined ? 'first' : manifestDiff(last, manifest);
        last = manifest;
        readySince = systemClock.now();
        if (json) tell({ event: 'started', tools: manifest.tools.map(({ name }) => name), diff });
        else for (const line of manifestLines(manifest, diff, out)) out.line(line);
        caller.ready();
      } catch (thrown) {
        if (given.signal.aborted) return;
        const error = toError(thrown);
        if (json) tell({ event: 'failed', message: error.message });
        else {
          tellFailure(hasPrinted ? withoutStderr(error) : error, { ...context, json: false });
          err.line(err.colours.dim('It is started again when its files change.'));
        }
      }
    });
    return work;
  };
  const stopTelling = plugin.onEvent((event) => {
    if (event.kind === 'logged') {
      const { source, call } = event.entry;
      hasPrinted ||= source === 'stderr' && logShown(event.entry, verbosity);
      if (source !== 'host' && call === undefined) tellLog(err, event.entry, verbosity);
      return;
    }
    if (event.kind !== 'state-changed' || event.state !== 'failed' || event.previous === 'starting') return;
    // It ran and has ended: once more, unless it does that all the time.
    const isStable = systemClock.now() - readySince > STABLE_MS;
    readySince = Infinity;
    err.line(`${err.colours.red('✗')} ${printableLine(event.reason?.message ?? 'It has ended.', 1000)}`);
    if (isStable) void launch(() => plugin.start());
    else err.line(err.colours.dim('It is started again when its files change.'));
  });
  return {
    context,
    left: left.signal,
    start: () => launch(() => plugin.start()),
    changed(files) {
      const names = files.map((file) => printableLine(nameOf(file, cwd), 80));
      const shown =
        names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
      if (json) tell({ event: 'changed', files });
      else err.line(`${err.colours.cyan('↻')} ${shown} changed`);
      void launch(() => plugin.restart());
    },
    close() {
      stopTelling();
      screen?.close();
    },
  };
}

const STABLE_MS = 2000;

function nameOf(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  return relative.startsWith('..') ? file : relative;
}

/** What it printed is on the screen already. */
function withoutStderr(error: Error): Error {
  return error instanceof PluglotError ? new PluglotError(error.code, error.message) : error;
}
