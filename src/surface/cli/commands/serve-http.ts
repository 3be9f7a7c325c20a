// `pluglot serve --http [NAMES | -- COMMAND…]`: a host of its own with what is named, and its MCP endpoint and API over HTTP, without a page.
import { ExitCode } from '../exit-code.ts';
import { discoverHere } from '../host/discover-here.ts';
import { openOwnHost } from '../host/own-host.ts';
import { unknownPlugin } from '../host/refusals.ts';
import { checkRunnable, liveHost } from '../up/live-host.ts';
import type { CommandContext } from './context.ts';
import type { ServeOptions } from './serve-options.ts';

export async function serveHttp(
  context: CommandContext,
  names: readonly string[],
  { port, host, dialect }: ServeOptions,
): Promise<ExitCode> {
  const { command } = context;
  const builtIns = await builtInsAmong(context, names);
  const own = await openOwnHost(context, {
    ...(dialect !== undefined && { dialect }),
    isLongLived: true,
    // Who names plugins wants these.
    builtIns: command === undefined && (names.length === 0 || builtIns.length > 0),
    keepsTraffic: true,
    only: names,
  });
  try {
    if (builtIns.length === 0) await checkRunnable(context, own);
    await liveHost(context, own, {
      ...(port !== undefined && { port }),
      ...(host !== undefined && { host }),
      console: false,
      // What was typed stands in no file.
      follows: command === undefined,
    });
  } finally {
    await own.host.close();
  }
  return ExitCode.interrupted;
}

/** @throws PluglotError UNKNOWN_PLUGIN for a name that nothing has */
async function builtInsAmong(context: CommandContext, names: readonly string[]): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const found = await discoverHere(context);
  const builtIns = (found.builtIns ?? []).map(({ name }) => name);
  const known = [...found.names, ...builtIns];
  for (const name of names) if (!known.includes(name)) throw unknownPlugin(name, known);
  return names.filter((name) => builtIns.includes(name));
}
