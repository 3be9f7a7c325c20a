// `pluglot up`: the whole host, alive until it is interrupted; clients reach it over HTTP, other commands of this project through its socket.
import type { Socket } from 'node:net';
import { PluglotError, toError } from '../../../base/error.ts';
import { printableLine } from '../../../base/printable.ts';
import { socketPipe } from '../../../channel/bytes/stream-pipe.ts';
import type { Discovery } from '../../../fleet/discovery/discover.ts';
import { findOutside } from '../../../fleet/trust/paths.ts';
import { createApprovalQueue } from '../../../gate/approval/queue.ts';
import { bundledPlugins, type BundledPlugins } from '../../../runtime/bundled.ts';
import { writableHere } from '../../../runtime/own-places.ts';
import { serverSettings } from '../../../runtime/server-settings.ts';
import { requestLimits } from '../../http/limits.ts';
import { createSocketServer } from '../../http/server.ts';
import { defineCommand, portOption } from '../command.ts';
import { ExitCode } from '../exit-code.ts';
import { warn } from '../terminal.ts';
import type { RuntimeApi } from '../../../runtime/api.ts';
import { openOwnRuntime } from '../own-runtime.ts';
import { socketOf } from '../attach.ts';
import { checkRunnable, liveRuntime, type LiveOptions } from '../up/live-runtime.ts';
import type { ServedRuntime } from '../up/serve-runtime.ts';
import type { CommandContext } from '../context.ts';

interface UpFlags extends Pick<LiveOptions, 'port' | 'host' | 'open' | 'console'> {
  /** @default where nothing is configured */
  readonly bundled?: boolean;
}

export const commands = {
  up: defineCommand<UpFlags>({
    description: 'Start the plugins, the console, the MCP endpoint and the API; other commands then use them',
    examples: ['pluglot up', 'pluglot up --open', 'pluglot up --port 0 --no-console'],
    uses: 'file',
    declare: (command) =>
      command
        .option(
          '--port <number>',
          'Port to listen on; 0: any free port (default: 7717, or the next free port)',
          portOption,
        )
        .option('--host <address>', 'Address to listen on, such as 0.0.0.0')
        .option('--open', 'Open the console in the browser')
        .option('--no-console', 'Do not serve the console')
        .option('--bundled', 'Also run the example plugins')
        .option('--no-bundled', 'Run no example plugins, even if nothing is configured'),
    run: up,
  }),
};

async function up(context: CommandContext, options: UpFlags): Promise<ExitCode> {
  const approvals = createApprovalQueue();
  const writable = await writableHere(context);
  let examples: BundledPlugins | undefined;
  const own = await openOwnRuntime(context, {
    isLongLived: true,
    builtIns: true,
    keepsTraffic: true,
    approvals,
    examples: (found) => (examples = examplesFor(context, options, found, writable)),
  });
  try {
    await checkRunnable(context, own);
    let served: ServedRuntime | undefined;
    const attach = await listenForCommands(context, own, () => served && pipeServer(context, served));
    try {
      await liveRuntime(context, own, {
        ...options,
        hasOnlyExamples: examples !== undefined && options.bundled === undefined,
        onServed: (one) => (served = one),
      });
    } finally {
      await attach.close();
    }
  } finally {
    await own.close();
  }
  return ExitCode.interrupted;
}

/** Nothing is broken where another one is there: something else has to be asked for. */
async function listenForCommands(
  context: CommandContext,
  api: RuntimeApi,
  mcpPipe: () => ((socket: Socket) => void) | undefined,
) {
  const { server } = await serverSettings(context);
  const limits = requestLimits(server.limits);
  try {
    return await createSocketServer({ api, unixSocket: await socketOf(context), mcpPipe, limits });
  } catch (thrown) {
    if (!(thrown instanceof PluglotError)) throw thrown;
    throw new PluglotError('INVALID_ARGUMENTS', thrown.message, { cause: thrown });
  }
}

function pipeServer({ err }: CommandContext, { serveOn }: ServedRuntime) {
  return (socket: Socket): void => {
    void serveOn(socketPipe(socket))
      .catch((thrown: unknown) => {
        const why = printableLine(toError(thrown).message, 2000);
        warn(err, `A client of \`pluglot serve\` was not served: ${why}`);
      })
      .finally(() => socket.destroySoon());
  };
}

/** The examples, where they are wanted or nothing else is there. */
function examplesFor(
  { env }: CommandContext,
  { bundled }: UpFlags,
  found: Discovery,
  writable: readonly string[],
): BundledPlugins | undefined {
  const isEmpty = found.names.length === 0 && found.problems.every(({ severity }) => severity !== 'error');
  if (!(bundled ?? isEmpty)) return undefined;
  const python = findOutside('python3', env['PATH'] ?? '', writable);
  return bundledPlugins({ node: process.execPath, python });
}
