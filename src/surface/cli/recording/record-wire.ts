// `pluglot record FILE -- COMMAND…` in the place of the plugin: whatever host starts it, both say what they say, and it is written down.
import { systemClock } from '../../../base/clock.ts';
import { PluglotError } from '../../../base/error.ts';
import { createSecrets } from '../../../base/secrets.ts';
import { within } from '../../../base/within.ts';
import { fdPipe } from '../../../channel/bytes/stream-pipe.ts';
import { discover, userTrustStore } from '../../../fleet/discovery/discover.ts';
import { homeFolders } from '../../../fleet/discovery/home-folders.ts';
import type { Recorder } from '../../../fleet/recording/recorder.ts';
import { openTap, type Tap } from '../../../fleet/recording/tap.ts';
import { launchAsTyped } from '../../../fleet/supervisor/as-typed.ts';
import type { ProgramLauncher } from '../../../fleet/supervisor/launcher.ts';
import { createLauncher } from '../../../fleet/supervisor/process-launcher.ts';
import type { Running } from '../../../fleet/supervisor/spawn.ts';
import { pluginConfiner } from '../../../gate/sandbox/confine-plugin.ts';
import { trustingLauncher } from '../../../fleet/trust/trusting-launcher.ts';
import { findSandboxFor, ownPlaces, writableBy, writableHere } from '../../../runtime/own-places.ts';
import type { CommandContext } from '../commands/context.ts';
import type { ExitCode } from '../exit-code.ts';
import { specOfCommand } from '../host/typed-command.ts';
import { refusalOf, unknownPlugin } from '../host/refusals.ts';
import { closeRecorder, exitCodeOfPlugin, openRecorder, type RecordOptions } from './open-recorder.ts';

export async function recordWire(
  context: CommandContext,
  file: string,
  name: string | undefined,
  options: RecordOptions,
): Promise<ExitCode> {
  const { env, home, cwd } = context;
  const { configFile } = context;
  const places = ownPlaces({ cwd, home, env, configFile, trust: userTrustStore({ env, home }) });
  const launcher = createLauncher({
    env,
    stateFolder: homeFolders(env, home).state,
    hostFolder: cwd,
    writable: () => writableBy(places, home),
    confine: async () => pluginConfiner(await findSandboxFor(places, env, home), home),
  });
  try {
    const { spec, launch } = await pluginOf(context, launcher, name, options);
    const secrets = createSecrets(launcher.secretsOf?.(spec));
    const recorder = await openRecorder(context, file, spec, secrets);
    try {
      const running = await launch();
      recorder.started();
      const exitCode = await listen(context, running, recorder, spec.dialect);
      tellUnknown(context, recorder);
      return exitCode;
    } finally {
      await closeRecorder(context, recorder, file);
    }
  } finally {
    await launcher.close();
  }
}

/** Something was said, and nothing that tells what they speak. */
function tellUnknown({ err }: CommandContext, recorder: Recorder): void {
  if (recorder.isBegun() || recorder.messages() === 0) return;
  recorder.speaks('mcp');
  err.line('! What they speak is not known, and written down as mcp. Record it again with --dialect.');
}

async function listen(
  { signal, stdin, err }: CommandContext,
  running: Running,
  recorder: Recorder,
  dialect: Parameters<typeof openTap>[0]['dialect'],
): Promise<ExitCode> {
  if (stdin.isTTY && err.live)
    err.line(
      err.colours.dim(
        'It waits for a host on stdin and stdout; --call makes a call instead. Ctrl-C ends it.',
      ),
    );
  const host = fdPipe(0, 1);
  try {
    const tap = openTap({ host, plugin: running.pipe, recorder, dialect });
    const stop = () => void running.stop({ stdinMs: 0 });
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    void lingering(tap, running);
    const exit = await running.exited;
    // What it said last may still be on its way to a host that reads slowly.
    await within(tap.pluginEnded, FLUSH_MS, systemClock);
    await running.gone;
    return exitCodeOfPlugin(exit);
  } finally {
    host.destroy();
  }
}

const FLUSH_MS = 5000;

/** A plugin whose host is gone finishes what it does; one that has nothing more to say is ended. */
async function lingering({ hostEnded, heard }: Tap, running: Running): Promise<void> {
  await hostEnded;
  for (let before = -1; before !== heard();) {
    before = heard();
    await within(running.exited, LINGER_MS, systemClock);
  }
  await running.stop({ stdinMs: 0 });
}

const LINGER_MS = 30_000;

interface Launchable {
  readonly spec: ReturnType<typeof specOfCommand>;
  readonly launch: () => Promise<Running>;
}

async function pluginOf(
  context: CommandContext,
  launcher: ProgramLauncher,
  name: string | undefined,
  options: RecordOptions,
): Promise<Launchable> {
  const { command = [], cwd, home, env, stderr, configFile } = context;
  const onStderr = (chunk: Buffer) => void stderr.write(chunk);
  if (name === undefined) {
    const spec = specOfCommand(command, options, cwd);
    const { start } = spec;
    if (start.kind !== 'program') throw reached(spec.name);
    const typed = { launcher, env, cwd, writable: () => writableHere(context) };
    return { spec, launch: () => launchAsTyped(spec.name, start, typed, { onStderr }) };
  }
  const discovery = await discover({ cwd, home, env, ...(configFile !== undefined && { configFile }) });
  const found = discovery.plugins.find(({ spec }) => spec.name === name);
  if (found === undefined) throw unknownPlugin(name, discovery.names);
  const refusal = refusalOf(found);
  if (refusal !== undefined) throw refusal;
  const { spec } = found;
  if (spec.start.kind !== 'program') throw reached(name);
  const trusting = trustingLauncher(launcher, (plugin) => discovery.checkAgain(plugin));
  return { spec, launch: () => trusting.launch(spec, { onStderr }) };
}

function reached(name: string): PluglotError {
  return new PluglotError(
    'UNSUPPORTED',
    `Plugin "${name}" is a server that is reached over HTTP: no host starts it. Record a call of it with --call.`,
  );
}
