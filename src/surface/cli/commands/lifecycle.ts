// `pluglot start|stop|restart NAME`: of a running `up`. Without one, `start` holds the plugin until it is interrupted.
import { PluglotError } from '../../../base/error.ts';
import { ExitCode } from '../exit-code.ts';
import type { PluginView } from '../../../runtime/api.ts';
import { withHost } from '../host/with-host.ts';
import { unknownPlugin } from '../host/refusals.ts';
import { interrupted } from '../interruption.ts';
import { logShown, tellLog } from '../log-lines.ts';
import { followLogs } from './call.ts';
import type { CommandContext } from './context.ts';
import { describeState } from './states.ts';

export async function lifecycle(
  context: CommandContext,
  action: 'start' | 'stop' | 'restart',
  name: string,
): Promise<ExitCode> {
  return withHost(context, {}, async (host, { attached }) => {
    if (!attached && action !== 'start') {
      const known = (await host.plugins()).plugins.map((plugin) => plugin.name);
      if (!known.includes(name)) throw unknownPlugin(name, known);
      throw new PluglotError(
        'UNKNOWN_PLUGIN',
        `Nothing to ${action}: no \`pluglot up\` is running here. Start the fleet with \`pluglot up\`, or this plugin alone with \`pluglot start ${name}\`.`,
      );
    }
    const verbosity = Math.max(context.verbosity, attached ? -1 : 1);
    let hasPrinted = false;
    const logs = followLogs(context, host, name, (line) => {
      tellLog(context.err, line, verbosity);
      hasPrinted ||= line.source === 'stderr' && logShown(line, verbosity);
    });
    try {
      context.err.progress(`${action} ${name} …`);
      tell(context, await host[action](name));
      if (!attached) {
        context.err.line(context.err.colours.dim('  (Ctrl-C stops it)'));
        await interrupted(context.signal);
        tell(context, await host.stop(name));
      }
    } catch (thrown) {
      await logs.end();
      throw hasPrinted && thrown instanceof PluglotError ? withoutLastWords(thrown) : thrown;
    } finally {
      await logs.end();
    }
    return ExitCode.ok;
  });
}

/** They were on the screen as they came. */
function withoutLastWords({ code, message, cause }: PluglotError): PluglotError {
  return new PluglotError(code, message, { cause });
}

function tell({ out, json }: CommandContext, view: PluginView): void {
  out.line(json ? JSON.stringify(view) : `${out.colours.cyan(view.name)} ${describeState(view)}`);
}
