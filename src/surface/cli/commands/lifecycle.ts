// `pluglot start|stop|restart NAME`: of a running `up`. Without one, `start` holds the plugin until it is interrupted.
import { PluglotError } from '../../../base/error.ts';
import { homeFolders } from '../../../fleet/discovery/config-places.ts';
import type { LogRecord } from '../../../fleet/plugin/logs/log-book.ts';
import { readLogFile } from '../../../fleet/plugin/logs/log-file.ts';
import type { PluginView } from '../../../runtime/api.ts';
import { unknownPlugin } from '../../../runtime/lifecycle.ts';
import { defineCommand } from '../command.ts';
import { ExitCode } from '../exit-code.ts';
import { withoutStderr } from '../failure.ts';
import { hint } from '../terminal.ts';
import { interrupted, type CommandContext } from '../context.ts';
import { logShown, logText, showLog, timeOf } from '../log-lines.ts';
import { withRuntime, withoutBuiltIns } from '../open-runtime.ts';
import { logFolder } from '../own-runtime.ts';
import { followLogs } from './call.ts';
import { describeState } from './lists.ts';

type Action = 'start' | 'stop' | 'restart';

const lifecycleCommand = (action: Action, description?: string) =>
  defineCommand<object, [name: string]>({
    ...(description !== undefined && { description }),
    examples: [`pluglot ${action} dice`],
    uses: 'fleet',
    declare: (command) => command.argument('<name>', 'Name of the plugin'),
    run: (context, _, name) => lifecycle(context, action, name),
  });

export const commands = {
  start: lifecycleCommand(
    'start',
    'Start a plugin of the running `pluglot up`; without one, run this plugin alone until Ctrl-C',
  ),
  stop: lifecycleCommand('stop'),
  restart: lifecycleCommand('restart'),
  logs: defineCommand<{ follow?: boolean }, [name: string]>({
    examples: ['pluglot logs dice', 'pluglot logs dice -f'],
    uses: 'fleet',
    declare: (command) =>
      command.argument('<name>', 'Name of the plugin').option('-f, --follow', 'Follow the log until Ctrl-C'),
    run: logs,
  }),
};

async function lifecycle(context: CommandContext, action: Action, name: string): Promise<ExitCode> {
  return withRuntime(context, {}, async (host, { attached }) => {
    if (!attached && action !== 'start') {
      const { plugins } = await host.plugins();
      const known = withoutBuiltIns(plugins).map((plugin) => plugin.name);
      if (!plugins.some((plugin) => plugin.name === name)) throw unknownPlugin(name, known);
      throw new PluglotError(
        'UNKNOWN_PLUGIN',
        `Nothing to ${action}: no \`pluglot up\` is running here. Start the fleet with \`pluglot up\`, or this plugin alone with \`pluglot start ${name}\`.`,
      );
    }
    const verbosity = Math.max(context.verbosity, attached ? -1 : 1);
    let hasPrinted = false;
    const logs = followLogs(context, host, name, (line) => {
      showLog(context.err, line, verbosity);
      hasPrinted ||= line.source === 'stderr' && logShown(line, verbosity);
    });
    try {
      context.err.progress(`${action} ${name} …`);
      show(context, await host[action](name));
      if (!attached) {
        hint(context.err, '  (Ctrl-C stops it)');
        await interrupted(context.signal);
        show(context, await host.stop(name));
      }
    } catch (thrown) {
      await logs.end();
      throw hasPrinted ? withoutStderr(thrown) : thrown;
    } finally {
      await logs.end();
    }
    return ExitCode.ok;
  });
}

function show({ out, json }: CommandContext, view: PluginView): void {
  out.line(json ? JSON.stringify(view) : `${out.colours.cyan(view.name)} ${describeState(view)}`);
}

async function logs(
  context: CommandContext,
  { follow = false }: { readonly follow?: boolean },
  name: string,
): Promise<ExitCode> {
  const { out, err, json, signal, env, home } = context;
  let shown = 0;
  const show = (line: LogRecord) => {
    shown += 1;
    out.line(json ? JSON.stringify(line) : logText(out, line, `${out.colours.dim(timeOf(line.at))} `));
  };
  return withRuntime(context, {}, async (host, { attached }) => {
    if (attached) for await (const entry of host.logs(name, { follow, signal })) show(entry);
    else {
      const { plugins } = await host.plugins();
      const isKnown = plugins.some((plugin) => plugin.name === name);
      const kept = await readLogFile(logFolder(homeFolders(env, home).state), name);
      if (kept === undefined && !isKnown)
        throw unknownPlugin(
          name,
          withoutBuiltIns(plugins).map((plugin) => plugin.name),
        );
      for (const line of kept ?? []) show(line);
    }
    if (shown === 0) err.line(`Nothing was logged by ${name} yet.`);
    if (!follow || attached) return ExitCode.ok;
    err.line('No `pluglot up` is running here, so there is nothing to follow. Start it, then ask again.');
    return ExitCode.usage;
  });
}
