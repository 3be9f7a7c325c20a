// `pluglot inspect [NAME | -- COMMAND…]`: what a plugin is and what it can do.
import { PluglotError, toError } from '../../../base/error.ts';
import { describePlugin, exampleCall, inspectionOf, type Inspection } from '../describe-plugin.ts';
import { ExitCode, exitCodeOf } from '../exit-code.ts';
import { errorForPrograms, tellFailure } from '../failure.ts';
import { withoutBuiltIns, type Host } from '../host/host.ts';
import { withHost } from '../host/with-host.ts';
import { tellLog } from '../log-lines.ts';
import { followLogs } from './call.ts';
import type { CommandContext } from './context.ts';

export async function inspect(
  context: CommandContext,
  name: string | undefined,
  options: { readonly dialect?: string },
): Promise<ExitCode> {
  const { err, command } = context;
  return withHost(context, options, async (host) => {
    const names = name === undefined ? await namesIn(host) : [name];
    const isOne = name !== undefined || command !== undefined;
    if (names.length === 0) err.line('No plugins. Add one with: pluglot add NAME -- COMMAND…');
    err.progress(isOne ? `asking ${names.join()} …` : `asking ${names.length} plugins …`);
    // All at once: one that is slow or broken must not keep the others.
    const asked = names.map((each) => ask(context, host, each, isOne));
    if (isOne) return showOne(context, await asked[0]);
    return context.json ? listAll(context, await Promise.all(asked)) : showAll(context, asked);
  });
}

async function namesIn(host: Host): Promise<readonly string[]> {
  const { plugins } = await host.plugins({ fresh: true });
  return withoutBuiltIns(plugins).map(({ name }) => name);
}

type Asked = { readonly name: string } & (
  | { readonly inspection: Inspection }
  | { readonly error: PluglotError }
);

async function ask(context: CommandContext, host: Host, name: string, isOne: boolean): Promise<Asked> {
  const { err, verbosity } = context;
  let isPrintShown = false;
  const logs = followLogs(context, host, name, (line) => {
    // Why it failed is told by the failure itself.
    if (verbosity < 1 || (line.source === 'host' && line.level === 'error')) return;
    tellLog(err, line, verbosity);
    // Of several plugins nobody knows whose line it is.
    isPrintShown ||= isOne && line.source === 'stderr';
  });
  try {
    return { name, inspection: inspectionOf(await host.plugin(name, { ask: true })) };
  } catch (thrown) {
    const error = toError(thrown);
    if (error instanceof PluglotError)
      return { name, error: isPrintShown && !context.json ? withoutStderr(error) : error };
    throw error;
  } finally {
    await logs.end();
  }
}

/** For a screen that has shown it as it came. */
function withoutStderr({ code, message, cause }: PluglotError): PluglotError {
  return new PluglotError(code, message, { cause });
}

function showOne(context: CommandContext, asked: Asked | undefined): ExitCode {
  if (asked === undefined) return ExitCode.ok;
  if ('error' in asked) throw asked.error;
  const { out, err, json } = context;
  if (json) out.line(JSON.stringify(forPrograms(asked.inspection)));
  else for (const line of describePlugin(asked.inspection, out)) out.line(line);
  const tip = exampleCall(asked.inspection, context.command);
  if (!json && err.live && tip !== undefined) err.line(`\n${err.colours.dim(`Try: ${tip}`)}`);
  return ExitCode.ok;
}

async function showAll(context: CommandContext, asked: readonly Promise<Asked>[]): Promise<ExitCode> {
  const { out } = context;
  const all: Asked[] = [];
  for (const each of asked) {
    const one = await each;
    if (all.length > 0) out.line();
    all.push(one);
    if ('error' in one) tellFailure(one.error, context);
    else for (const line of describePlugin(one.inspection, out)) out.line(line);
  }
  return exitCodeOfAll(all);
}

function listAll({ out }: CommandContext, all: readonly Asked[]): ExitCode {
  const list = all.map((one) =>
    'error' in one ? { plugin: one.name, error: errorForPrograms(one.error) } : forPrograms(one.inspection),
  );
  out.line(JSON.stringify(list));
  return exitCodeOfAll(all);
}

/** A broken one counts most, then that none may be asked. */
function exitCodeOfAll(all: readonly Asked[]): ExitCode {
  const codes = all.map((one) => ('error' in one ? exitCodeOf(one.error.code) : ExitCode.ok));
  const isRefused = (code: ExitCode) => code === ExitCode.denied || code === ExitCode.usage;
  const broken = codes.filter((code) => code !== ExitCode.ok && !isRefused(code));
  if (broken.includes(ExitCode.interrupted)) return ExitCode.interrupted;
  if (broken.length > 0) return ExitCode.broken;
  return codes.length > 0 && codes.every(isRefused) ? (codes[0] ?? ExitCode.ok) : ExitCode.ok;
}

function forPrograms({ plugin, manifest, health, commands }: Inspection) {
  const { name, version, description, dialect, tools, raw, ...rest } = manifest;
  return {
    plugin: plugin.name,
    name,
    version,
    description,
    dialect,
    ...rest,
    health,
    tools,
    commands,
    command: plugin.command,
    manifest: raw,
  };
}
