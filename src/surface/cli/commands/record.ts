// `pluglot record FILE [NAME] [--call TOOL ARGS…] [-- COMMAND…]`: a conversation with a plugin, written down.
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { systemClock } from '../../../base/clock.ts';
import { PluglotError } from '../../../base/error.ts';
import { printableLine } from '../../../base/printable.ts';
import { createSecrets, type Secrets } from '../../../secrets/secrets.ts';
import { within } from '../../../base/async.ts';
import { fdPipe } from '../../../channel/bytes/stream-pipe.ts';
import { fullName, type PluginSpec } from '../../../definition/plugin-spec.ts';
import { discover, refusalOf, userTrustStore } from '../../../fleet/discovery/discover.ts';
import { homeFolders } from '../../../fleet/discovery/config-places.ts';
import type { Plugin } from '../../../fleet/plugin/plugin.ts';
import { createRecorder, type Recorder } from '../../../fleet/recording/recorder.ts';
import { openTap, type Tap } from '../../../fleet/recording/tap.ts';
import { launchAsTyped } from '../../../fleet/supervisor/program.ts';
import type { ProgramLauncher } from '../../../fleet/supervisor/launcher.ts';
import { createLauncher } from '../../../fleet/supervisor/process-launcher.ts';
import type { Exit, Running } from '../../../fleet/supervisor/spawn.ts';
import { trustingLauncher } from '../../../fleet/trust/trusting-launcher.ts';
import { pluginConfiner } from '../../../gate/sandbox/confine-plugin.ts';
import type { RuntimeApi } from '../../../runtime/api.ts';
import type { Runtime } from '../../../runtime/create-runtime.ts';
import { unknownPlugin } from '../../../runtime/lifecycle.ts';
import { findSandboxFor, ownPlaces, writableBy, writableHere } from '../../../runtime/own-places.ts';
import { argumentsOf, readArguments } from '../../../runtime/typed-arguments.ts';
import { shownCommand } from '../../../runtime/views/wires.ts';
import { callPrinter, followCall } from '../call-printer.ts';
import { defineCommand } from '../command.ts';
import { ExitCode } from '../exit-code.ts';
import { confirm, hint, warn } from '../terminal.ts';
import { unlessInterrupted, type CommandContext, usageError } from '../context.ts';
import { openOwnRuntime, specOfCommand } from '../own-runtime.ts';
import { callOptionsOf, followLogs } from './call.ts';

interface RecordFlags {
  readonly dialect?: string;
  /** The first word is the name of the tool, the others are its arguments. */
  readonly call?: readonly string[];
}

export const commands = {
  record: defineCommand<RecordFlags, [file: string, name: string | undefined]>({
    description:
      'Record a conversation with a plugin: with --call, or with a host that starts this command in its place',
    examples: [
      'pluglot record dice.jsonl -- node server.mjs',
      'pluglot record dice.jsonl --call roll dice=2d6 -- node server.mjs',
      'pluglot record dice.jsonl dice --call roll dice=2d6',
    ],
    uses: 'own-fleet',
    declare: (command) =>
      command
        .argument('<file>', 'Recording to write; it must not exist yet')
        .argument('[name]', 'A configured plugin, instead of a command behind --')
        .option('--call <tool and arguments...>', 'Make and record this call, such as --call roll dice=2d6'),
    run: record,
  }),
};

async function record(
  context: CommandContext,
  options: RecordFlags,
  file: string,
  name: string | undefined,
): Promise<ExitCode> {
  const { command } = context;
  if ((command === undefined) === (name === undefined))
    throw usageError(
      `Give the plugin to record: its name or its command behind \`--\`${name === undefined ? '' : ', not both'}. Such as: pluglot record ${printableLine(file)} -- node server.mjs`,
    );
  if (options.call !== undefined) return recordCall(context, file, name, options);
  return recordWire(context, file, name, options);
}

async function recordCall(
  context: CommandContext,
  file: string,
  name: string | undefined,
  options: RecordFlags,
): Promise<ExitCode> {
  const [tool = '', ...words] = options.call ?? [];
  const typed = await readArguments(words, () => Promise.reject(noInput()));
  const host = await openOwnRuntime(context, options);
  let recorder: Recorder | undefined;
  try {
    const plugin = await pluginOf(host, name);
    recorder = await openRecorder(context, file, plugin.spec, host.secrets);
    observe(plugin, recorder);
    return await makeCall(context, host, plugin, tool, typed);
  } finally {
    // Messages at the end belong to the recording.
    await host.close(context.signal);
    if (recorder !== undefined) await closeRecorder(context, recorder, file);
  }
}

async function pluginOf(host: Runtime, name: string | undefined): Promise<Plugin> {
  const plugin = host.fleet.plugins.find((each) => name === undefined || each.name === name);
  if (plugin !== undefined) return plugin;
  // Asking for it fails with the reason.
  await host.plugin(name ?? '', { ask: true });
  throw new PluglotError('UNSUPPORTED', `Plugin "${name}" runs in this host: nothing goes over a wire.`);
}

function observe(plugin: Plugin, recorder: Recorder): void {
  plugin.observe(recorder.observer);
  plugin.onEvent((event) => {
    if (event.kind !== 'state-changed') return;
    if (event.state === 'starting') recorder.started();
    if (plugin.manifest !== undefined && plugin.dialect !== undefined) recorder.speaks(plugin.dialect);
  });
}

async function makeCall(
  context: CommandContext,
  host: RuntimeApi,
  plugin: Plugin,
  tool: string,
  typed: Awaited<ReturnType<typeof readArguments>>,
): Promise<ExitCode> {
  const { err, signal } = context;
  err.progress(`asking ${plugin.name} …`);
  await unlessInterrupted(signal, plugin.start());
  const found = await unlessInterrupted(signal, host.tool(fullName(plugin.name, tool)));
  const printer = callPrinter(context, tool);
  const logs = followLogs(context, host, plugin.name, printer.log);
  err.progress(`calling ${tool} …`);
  try {
    const made = host.call(found.name, argumentsOf(typed, found.tool.inputSchema), callOptionsOf(context));
    const outcome = await followCall(made, printer.event);
    await logs.end();
    return printer.end(outcome);
  } finally {
    await logs.end();
  }
}

function noInput(): PluglotError {
  return usageError(
    'Give the arguments as key=value pairs or as one JSON object: they cannot come from stdin here.',
  );
}

async function recordWire(
  context: CommandContext,
  file: string,
  name: string | undefined,
  options: RecordFlags,
): Promise<ExitCode> {
  const { env, home, cwd } = context;
  const { configFile } = context;
  const places = ownPlaces({ cwd, home, env, configFile, trust: userTrustStore({ env, home }) });
  const launcher = createLauncher({
    env,
    stateFolder: homeFolders(env, home).state,
    hostFolder: cwd,
    writable: () => writableBy(places, home),
    confine: async () => pluginConfiner(await findSandboxFor(places, env, home)),
  });
  try {
    const { spec, launch } = await launchable(context, launcher, name, options);
    const secrets = createSecrets(launcher.secretsOf?.(spec));
    const recorder = await openRecorder(context, file, spec, secrets);
    try {
      const running = await launch();
      recorder.started();
      const exitCode = await listen(context, running, recorder, spec.dialect);
      showUnknown(context, recorder);
      return exitCode;
    } finally {
      await closeRecorder(context, recorder, file);
    }
  } finally {
    await launcher.close();
  }
}

/** There are messages, but none that shows the dialect. */
function showUnknown({ err }: CommandContext, recorder: Recorder): void {
  if (recorder.isBegun() || recorder.messages() === 0) return;
  recorder.speaks('mcp');
  warn(err, 'Their dialect is not known, and recorded as mcp. Record it again with --dialect.');
}

async function listen(
  { signal, stdin, err }: CommandContext,
  running: Running,
  recorder: Recorder,
  dialect: Parameters<typeof openTap>[0]['dialect'],
): Promise<ExitCode> {
  if (stdin.isTTY && err.live)
    hint(err, 'It waits for a host on stdin and stdout; --call makes a call instead. Ctrl-C ends it.');
  const host = fdPipe(0, 1);
  try {
    const tap = openTap({ host, plugin: running.pipe, recorder, dialect });
    const stop = () => void running.stop({ stdinMs: 0 });
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    void lingering(tap, running);
    const exit = await running.exited;
    // Its last messages may still be on their way to a host that reads slowly.
    await within(tap.pluginEnded, FLUSH_MS, systemClock);
    await running.gone;
    return exitCodeOfPlugin(exit);
  } finally {
    host.destroy();
  }
}

const FLUSH_MS = 5000;

/** A plugin whose host is gone finishes what it does; one that has nothing more to say is ended. */
async function lingering({ hostEnded, received }: Tap, running: Running): Promise<void> {
  await hostEnded;
  for (let before = -1; before !== received();) {
    before = received();
    await within(running.exited, LINGER_MS, systemClock);
  }
  await running.stop({ stdinMs: 0 });
}

const LINGER_MS = 30_000;

interface Launchable {
  readonly spec: ReturnType<typeof specOfCommand>;
  readonly launch: () => Promise<Running>;
}

async function launchable(
  context: CommandContext,
  launcher: ProgramLauncher,
  name: string | undefined,
  options: RecordFlags,
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
  const refusal = refusalOf(`Plugin "${name}"`, found);
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

/** Never over something else. */
function openRecorder(
  { cwd }: CommandContext,
  file: string,
  { name, start, dialect }: PluginSpec,
  secrets: Pick<Secrets, 'mask'>,
): Promise<Recorder> {
  return createRecorder({
    file: path.resolve(cwd, file),
    header: { plugin: name, command: shownCommand(start), dialect },
    secrets,
  });
}

/** Ends it, and shows that to a person; for programs this command is the plugin. An empty recording is removed. */
async function closeRecorder(
  { cwd, err, verbosity }: CommandContext,
  recorder: Recorder,
  file: string,
): Promise<void> {
  const { messages } = await recorder.close();
  if (!recorder.isBegun()) {
    await fs.rm(path.resolve(cwd, file), { force: true });
    return;
  }
  if (!err.live && verbosity < 1) return;
  const what = messages === 1 ? '1 message is' : `${messages} messages are`;
  confirm(err, `${what} in ${printableLine(file, 1000)}`);
}

/** As a shell reports it, since this command stands for the plugin. */
function exitCodeOfPlugin(exit: Exit): ExitCode {
  if (exit.kind === 'not-started') return ExitCode.broken;
  const { exitCode, signal } = exit;
  const code = exitCode ?? (signal === null ? ExitCode.broken : 128 + os.constants.signals[signal]);
  // The number is the plugin's own, and means what it means there.
  return code as ExitCode;
}
