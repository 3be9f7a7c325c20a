// `pluglot serve --http [NAMES | -- COMMAND…]`: a host of its own with what is named, and its MCP endpoint and API over HTTP, without a page.
import { ExitCode } from '../exit-code.ts';
import { discoverHere, openOwnRuntime } from '../own-runtime.ts';
import { unknownPlugin } from '../../../runtime/lifecycle.ts';
import { checkRunnable, liveRuntime } from '../up/live-runtime.ts';
import type { CommandContext } from '../context.ts';
import type { DialectName } from '../../../definition/plugin-spec.ts';

export interface ServeOptions {
  readonly as?: DialectName;
  readonly stdio?: boolean;
  readonly http?: boolean;
  /** With `http`: where it listens. */
  readonly port?: number;
  readonly host?: string;
  /** That of the plugin behind `--`. */
  readonly dialect?: string;
}

export async function serveHttp(
  context: CommandContext,
  names: readonly string[],
  { port, host, dialect }: ServeOptions,
): Promise<ExitCode> {
  const { command } = context;
  const builtIns = await builtInsAmong(context, names);
  const own = await openOwnRuntime(context, {
    ...(dialect !== undefined && { dialect }),
    isLongLived: true,
    // Who names plugins wants these.
    builtIns: command === undefined && (names.length === 0 || builtIns.length > 0),
    keepsTraffic: true,
    only: names,
  });
  try {
    if (builtIns.length === 0) await checkRunnable(context, own);
    await liveRuntime(context, own, {
      ...(port !== undefined && { port }),
      ...(host !== undefined && { host }),
      console: false,
      // What was typed stands in no file.
      follows: command === undefined,
    });
  } finally {
    await own.close();
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
