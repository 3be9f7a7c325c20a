// `pluglot record FILE --call TOOL ARGS…`: a call of our own, with all that was said for it.
import { PluglotError } from '../../../base/error.ts';
import { fullName } from '../../../definition/full-name.ts';
import type { Plugin } from '../../../fleet/plugin/plugin.ts';
import type { Recorder } from '../../../fleet/recording/recorder.ts';
import { callPrinter } from '../call-printer.ts';
import { callOptionsOf, followLogs } from '../commands/call.ts';
import type { CommandContext } from '../commands/context.ts';
import type { ExitCode } from '../exit-code.ts';
import { hear } from '../hear.ts';
import type { Host } from '../host/host.ts';
import { openOwnHost, type OwnHost } from '../host/own-host.ts';
import { unlessInterrupted } from '../interruption.ts';
import { readArguments } from '../tool-arguments.ts';
import { closeRecorder, openRecorder, type RecordOptions } from './open-recorder.ts';

export async function recordCall(
  context: CommandContext,
  file: string,
  name: string | undefined,
  options: RecordOptions,
): Promise<ExitCode> {
  const [tool = '', ...words] = options.call ?? [];
  const typed = await readArguments(words, () => Promise.reject(noInput()));
  const own = await openOwnHost(context, options);
  const { host } = own;
  let recorder: Recorder | undefined;
  try {
    const plugin = await pluginOf(own, name);
    recorder = await openRecorder(context, file, plugin.spec, own.runtime.secrets);
    observe(plugin, recorder);
    return await makeCall(context, host, plugin, tool, typed);
  } finally {
    // What is said at the end belongs to it.
    await host.close(context.signal);
    if (recorder !== undefined) await closeRecorder(context, recorder, file);
  }
}

async function pluginOf({ host, fleet }: OwnHost, name: string | undefined): Promise<Plugin> {
  const plugin = fleet.plugins.find((each) => name === undefined || each.name === name);
  if (plugin !== undefined) return plugin;
  // Why it is not there is known to whoever asks for it.
  await host.plugin(name ?? '', { ask: true });
  throw new PluglotError('UNSUPPORTED', `Plugin "${name}" runs in this host: nothing goes over a wire.`);
}

function observe(plugin: Plugin, recorder: Recorder): void {
  plugin.observe(recorder.observer);
  plugin.onEvent((event) => {
    if (event.kind !== 'state-changed') return;
    if (event.state === 'starting') recorder.started();
    if (plugin.manifest !== undefined) recorder.speaks(plugin.manifest.dialect);
  });
}

async function makeCall(
  context: CommandContext,
  host: Host,
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
    const made = host.call(found.name, typed(found.tool.inputSchema), callOptionsOf(context));
    const outcome = await hear(made, printer.event);
    await logs.end();
    return printer.end(outcome);
  } finally {
    await logs.end();
  }
}

function noInput(): PluglotError {
  return new PluglotError(
    'INVALID_ARGUMENTS',
    'Give the arguments as key=value pairs or as one JSON object: they cannot come from stdin here.',
  );
}
