// A definition that is exposed in this process.
import { PluglotError, toError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import { late, within } from '../../base/within.ts';
import type { Backend } from '../../definition/backend.ts';
import type { Definition } from '../../definition/definition.ts';
import type { PluginLimits } from '../../definition/plugin-spec.ts';
import { runDefinition } from '../../definition/run/run-definition.ts';
import type { CallOptions } from '../plugin/call.ts';
import type { InProcessCall } from './in-process-calls.ts';
import type { InProcessHost } from './in-process-host.ts';
import { InProcessTalks } from './in-process-talks.ts';
import type { LivePlugin } from './live-plugin.ts';

export interface InProcessPlugin {
  /** As the user knows it, whatever it calls itself. */
  readonly name: string;
  readonly limits?: PluginLimits | undefined;
  readonly host: InProcessHost;
}

/** @throws PluglotError why it cannot be set up; it was taken down then */
export async function startDefinition(
  given: Definition,
  plugin: InProcessPlugin,
  config: JsonObject,
  signal: AbortSignal,
): Promise<LivePlugin> {
  const { name, host } = plugin;
  const definition = given.name === name ? given : { ...given, name };
  const backend = runDefinition(definition, host.surroundings(name));
  await setUp(backend, plugin, config, signal);
  const limits = host.limits(plugin.limits);
  // Who names a limit watches it itself.
  const limitFor = (list: readonly { name: string; timeoutMs?: number }[]) => {
    const own = new Set(list.flatMap((one) => (one.timeoutMs === undefined ? [] : one.name)));
    return (called: string) => (own.has(called) ? Infinity : limits.callMs);
  };
  const toolLimit = limitFor(definition.tools);
  const commandLimit = limitFor(definition.commands);
  const toolCall = (tool: string, args: JsonObject, options: CallOptions | undefined): InProcessCall => ({
    what: `Tool "${tool.slice(0, 100)}" of plugin "${name}"`,
    name: tool,
    args,
    options,
    limitMs: toolLimit(tool),
    messageBytes: limits.messageBytes,
    begin: (request, sink) => backend.call(request, sink),
  });
  const talks =
    backend.talk && new InProcessTalks({ plugin: name, host, limits, ear: backend.talk, toolCall });
  return {
    get profile() {
      return backend.profile;
    },
    call: (tool, args, options) => host.calls.open(toolCall(tool, args, options)),
    ...(talks !== undefined && { talk: (tool, args, options) => talks.talk(tool, args, options) }),
    run: (command, args, options?: CallOptions) =>
      host.calls.open({
        what: `Command "${command.slice(0, 100)}" of plugin "${name}"`,
        name: command,
        args,
        options,
        limitMs: commandLimit(command),
        messageBytes: limits.messageBytes,
        begin: (request, sink) => (backend.commands ?? noCommands).run(request, sink),
      }),
    complete: (command, parameter, typed) => completions(backend, host, command, parameter, typed),
    describe: async (tool, args) => backend.describe?.(tool, args),
    onChanged: (listener) => backend.onProfileChanged(listener),
    stop() {
      talks?.stop();
      return backend.teardown();
    },
  };
}

async function setUp(
  backend: Backend,
  { name, limits, host }: InProcessPlugin,
  config: JsonObject,
  signal: AbortSignal,
): Promise<void> {
  const { startMs } = host.limits(limits);
  // Which gives the setup up too.
  const giveUp = () => void backend.teardown();
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    if (signal.aborted) giveUp();
    const done = await within(backend.setup(config), startMs, host.clock);
    if (done === late) throw tookTooLong(name, startMs);
  } catch (thrown) {
    await backend.teardown();
    throw failureAsError(thrown, `Plugin "${name}" could not be set up`);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

export function tookTooLong(name: string, startMs: number): PluglotError {
  return new PluglotError(
    'START_TIMEOUT',
    `Plugin "${name}" was not set up within ${startMs} ms. Give it more time: limits.startMs.`,
  );
}

/** What author code threw says nothing of whose it is. */
export function failureAsError(thrown: unknown, what: string): PluglotError {
  if (thrown instanceof PluglotError) return thrown;
  return new PluglotError('START_FAILED', `${what}: ${toError(thrown).message}`, { cause: thrown });
}

/** Somebody types meanwhile. */
const COMPLETE_MS = 2000;
const COMPLETIONS_MAX = 1000;

async function completions(
  { commands }: Backend,
  { clock }: InProcessHost,
  command: string,
  parameter: string,
  typed: string,
): Promise<readonly string[]> {
  if (commands === undefined) return [];
  const told = await within(commands.complete(command, parameter, typed), COMPLETE_MS, clock);
  return told === late ? [] : told.slice(0, COMPLETIONS_MAX);
}

const noCommands: Pick<NonNullable<Backend['commands']>, 'run'> = {
  run(request, sink) {
    sink.end({
      ok: false,
      error: { code: 'UNKNOWN_TOOL', message: `There is no command "${request.tool.slice(0, 100)}".` },
    });
    return { cancel: () => {} };
  },
};
