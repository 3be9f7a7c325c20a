// `pluglot logs NAME [-f]`: what a plugin said and did. Of a running `up` from its memory, else what its log file kept.
import { homeFolders } from '../../../fleet/discovery/home-folders.ts';
import type { LogRecord } from '../../../fleet/plugin/logs/log-book.ts';
import { readLogFile } from '../../../fleet/plugin/logs/read-log-file.ts';
import { ExitCode } from '../exit-code.ts';
import { logFolder } from '../host/discover-here.ts';
import { withHost } from '../host/with-host.ts';
import { unknownPlugin } from '../host/refusals.ts';
import { timeOf } from '../local-time.ts';
import { logText } from '../log-lines.ts';
import type { CommandContext } from './context.ts';

export async function logs(
  context: CommandContext,
  name: string,
  { follow = false }: { readonly follow?: boolean },
): Promise<ExitCode> {
  const { out, err, json, signal, env, home } = context;
  let shown = 0;
  const show = (line: LogRecord) => {
    shown += 1;
    out.line(json ? JSON.stringify(line) : `${out.colours.dim(timeOf(line.at))} ${logText(out, line)}`);
  };
  return withHost(context, {}, async (host, { attached }) => {
    if (attached) for await (const entry of host.logs(name, { follow, signal })) show(entry);
    else {
      const known = (await host.plugins()).plugins.map((plugin) => plugin.name);
      const kept = await readLogFile(logFolder(homeFolders(env, home).state), name);
      if (kept === undefined && !known.includes(name)) throw unknownPlugin(name, known);
      for (const line of kept ?? []) show(line);
    }
    if (shown === 0) err.line(`Nothing was logged by ${name} yet.`);
    if (!follow || attached) return ExitCode.ok;
    err.line('No `pluglot up` is running here, so there is nothing to follow. Start it, then ask again.');
    return ExitCode.usage;
  });
}
