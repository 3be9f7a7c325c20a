// `pluglot serve --stdio`: all that a runtime exposes here, through its gate, for one client of MCP that starts this command.
import { systemClock } from '../../../base/clock.ts';
import { toError } from '../../../base/error.ts';
import { printableLine } from '../../../base/printable.ts';
import { late, within } from '../../../base/async.ts';
import type { Pipe } from '../../../channel/bytes/pipe.ts';
import type { RuntimeParts } from '../../../runtime/runtime-parts.ts';
import { serverSettings } from '../../../runtime/server-settings.ts';
import { requestLimits } from '../../http/limits.ts';
import { configurationFiles } from '../../../runtime/configuration-files.ts';
import { watchFiles } from '../../../runtime/watch-files.ts';
import { ExitCode } from '../exit-code.ts';
import { showProblems } from '../problems.ts';
import { unlessInterrupted, type CommandContext } from '../context.ts';
import { logShown, logText, markedLine } from '../log-lines.ts';

/** Plugins that start later are announced to the client when they are ready. */
const START_MS = 10_000;
const LINE_MAX = 2000;

export async function serveEndpoint(context: CommandContext, pipe: Pipe): Promise<ExitCode> {
  const { cwd, env, home, configFile, err, signal, verbosity } = context;
  const [{ createRuntime }, { createEndpoint }, { server }] = await Promise.all([
    import('../../../runtime/create-runtime.ts'),
    import('../../mcp/endpoint.ts'),
    serverSettings(context),
  ]);
  const runtime = await createRuntime({
    cwd,
    env,
    home,
    relaysQuestions: true,
    unattended: {
      why: 'no one can be asked, since `pluglot serve --stdio` runs without `pluglot up`',
      fix: 'To be asked instead: start `pluglot up` in this project, and connect again.',
    },
    ...(configFile === undefined ? {} : { configFile }),
    print: (line) => err.line(printableLine(line, LINE_MAX)),
    log: (plugin, entry) => {
      const record = { at: Date.now(), source: 'plugin', ...entry } as const;
      if (logShown(record, verbosity)) err.line(logText(err, record, `${err.colours.cyan(plugin)} `));
    },
  });
  const unfollow = runtime.fleet.onEvent((event) => {
    if (event.kind === 'logged' && logShown(event.entry, verbosity))
      err.line(logText(err, event.entry, `${err.colours.cyan(event.plugin)} `));
  });
  try {
    const exposing = expose(context, runtime);
    const started = await unlessInterrupted(signal, within(exposing, START_MS, systemClock));
    if (started === late) exposing.catch(() => {});
    const endpoint = createEndpoint({
      runtime,
      limits: requestLimits(server.limits),
      log: ({ level, message }) => {
        if (level !== 'debug' || verbosity > 0) err.line(printableLine(message, LINE_MAX));
      },
    });
    // A rule that is written meanwhile counts from then on.
    const watching = await watchFiles(await configurationFiles(context), systemClock, () => {
      runtime
        .reloadGate()
        .catch((thrown: unknown) => err.line(printableLine(toError(thrown).message, LINE_MAX)));
    });
    try {
      await endpoint.serveStdio(pipe, signal);
    } finally {
      await watching.close();
    }
    await endpoint.close();
    return signal.aborted ? ExitCode.interrupted : ExitCode.ok;
  } finally {
    unfollow();
    await runtime.close();
  }
}

/** One that cannot be exposed does not keep the others from it. */
async function expose(context: CommandContext, runtime: RuntimeParts): Promise<void> {
  const { err } = context;
  const { registry } = runtime;
  await registry.discover();
  const failures = await registry.exposeAll();
  showProblems(context, runtime.problems);
  for (const { plugin, error } of failures)
    // The problems have shown them.
    if (error.code !== 'NOT_TRUSTED')
      err.line(
        markedLine(
          err,
          `${err.colours.yellow('!')} `,
          printableLine(`${plugin}: ${error.message}`, LINE_MAX),
        ),
      );
}
