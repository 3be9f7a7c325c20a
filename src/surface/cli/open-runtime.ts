// The runtime of a command: a running `up` where there is one, else its own. Both have the same interface.
import type { PluginView, RuntimeApi } from '../../runtime/api.ts';
import { attach, socketOf } from './attach.ts';
import { unlessInterrupted, type CommandContext } from './context.ts';
import type { RuntimeChoice } from './own-runtime.ts';
import { hint } from './terminal.ts';

/** Runs with a runtime and closes it, whatever happens. */
export async function withRuntime<Result>(
  context: CommandContext,
  choice: RuntimeChoice,
  use: (runtime: RuntimeApi, about: { readonly attached: boolean }) => Promise<Result>,
): Promise<Result> {
  const { signal, err } = context;
  const attached = await unlessInterrupted(signal, attachRuntime(context, choice));
  if (attached !== undefined && context.verbosity > 1)
    hint(err, 'Messages of a running fleet are not shown; --standalone shows its own.');
  const runtime = attached ?? (await (await import('./own-runtime.ts')).openForCommand(context, choice));
  try {
    return await use(interruptible(runtime, signal), { attached: attached !== undefined });
  } finally {
    await runtime.close(signal);
  }
}

/** Only where the command line has nothing that the running fleet does not know. */
async function attachRuntime(
  context: CommandContext,
  { dialect }: RuntimeChoice,
): Promise<RuntimeApi | undefined> {
  const { command, standalone } = context;
  if (standalone || command !== undefined || dialect !== undefined) return undefined;
  return attach(await socketOf(context));
}

/** Answers are not awaited once the user has interrupted. Calls and conversations end by themselves. */
function interruptible(runtime: RuntimeApi, signal: AbortSignal): RuntimeApi {
  const unless = <Value>(promise: Promise<Value>) => unlessInterrupted(signal, promise);
  return {
    ...runtime,
    plugins: (options) => unless(runtime.plugins(options)),
    plugin: (...asked) => unless(runtime.plugin(...asked)),
    tools: (options) => unless(runtime.tools(options)),
    tool: (name) => unless(runtime.tool(name)),
    explain: (...asked) => unless(runtime.explain(...asked)),
    commands: (options) => unless(runtime.commands(options)),
    command: (name) => unless(runtime.command(name)),
    complete: (...asked) => unless(runtime.complete(...asked)),
    start: (plugin) => unless(runtime.start(plugin)),
    stop: (plugin) => unless(runtime.stop(plugin)),
    restart: (plugin) => unless(runtime.restart(plugin)),
  };
}

export function withoutBuiltIns(views: readonly PluginView[]): readonly PluginView[] {
  return views.filter(({ origin }) => origin !== 'built-in');
}
