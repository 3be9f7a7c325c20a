// Whom a command asks: a running `up` where there is one, else a host of its own.
import type { CommandContext } from '../commands/context.ts';
import { unlessInterrupted } from '../interruption.ts';
import { attach } from './attached-host.ts';
import type { Host, HostOptions } from './host.ts';
import { interruptible } from './interruptible.ts';
import { openOwnHost } from './own-host.ts';
import { socketOf } from './project-socket.ts';
import { problemsOf, tellProblems } from './tell-problems.ts';

/** Runs with a host and closes it, whatever happens. */
export async function withHost<Result>(
  context: CommandContext,
  options: HostOptions,
  use: (host: Host, about: { readonly attached: boolean }) => Promise<Result>,
): Promise<Result> {
  const { signal, command } = context;
  const attached = await unlessInterrupted(signal, attachHost(context, options));
  if (attached !== undefined && context.verbosity > 1)
    context.err.line(
      context.err.colours.dim('The wire of a running fleet is not shown; --standalone shows its own.'),
    );
  const host = attached ?? (await openOwnHost(context, { ...options, startsTyped: true })).host;
  try {
    if (attached === undefined && command === undefined && options.tellsProblems !== false)
      tellProblems(context, problemsOf(await host.plugins()));
    return await use(interruptible(host, signal), { attached: attached !== undefined });
  } finally {
    await host.close(signal);
  }
}

/** Only where the command line says nothing that the running fleet does not know. */
async function attachHost(context: CommandContext, { dialect }: HostOptions): Promise<Host | undefined> {
  const { command, standalone } = context;
  if (standalone || command !== undefined || dialect !== undefined) return undefined;
  return attach(await socketOf(context));
}
