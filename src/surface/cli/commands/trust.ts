// `pluglot trust add|list|remove [PATH]`: what of the things found on disk may be executed.
import path from 'node:path';
import { PluglotError } from '../../../base/error.ts';
import { discover, userTrustStore, type Found } from '../../../fleet/discovery/discover.ts';
import { trustPath } from '../../../fleet/discovery/trust-path.ts';
import type { TrustStore } from '../../../fleet/trust/trust-store.ts';
import { isInside } from '../../../fleet/trust/containment.ts';
import { ExitCode } from '../exit-code.ts';
import { shownCommand } from '../../../runtime/views/shown-command.ts';
import { printableLine } from '../../../base/printable.ts';
import { sentence } from '../../../base/sentence.ts';
import { table } from '../table.ts';
import type { CommandContext } from './context.ts';

export async function trust(
  context: CommandContext,
  action: string,
  given: string | undefined,
): Promise<ExitCode> {
  const store = userTrustStore(context);
  if (action === 'list' && given !== undefined)
    throw new PluglotError(
      'INVALID_ARGUMENTS',
      'All that is trusted is listed: `pluglot trust list` takes no path.',
    );
  if (action === 'list') return list(context, store);
  if (given === undefined) {
    throw new PluglotError(
      'INVALID_ARGUMENTS',
      `Say which path to ${action}, such as: pluglot trust ${action} .`,
    );
  }
  return action === 'add' ? add(context, store, given) : remove(context, store, given);
}

async function list({ out, err, json }: CommandContext, store: TrustStore): Promise<ExitCode> {
  const { trusted, problem } = await store.list();
  if (json) out.line(JSON.stringify({ trusted, problem }));
  else if (problem !== undefined) err.line(`${err.colours.red('✗')} ${line(problem)}`);
  else if (trusted.length === 0) err.line('Nothing is trusted. Trust a project with: pluglot trust add .');
  else {
    const columns = [{ title: 'SINCE', style: out.colours.dim }, { title: 'FILES' }, { title: 'PATH' }];
    const rows = trusted.map(({ path, addedAt, pins }) => [
      addedAt.slice(0, 10),
      String(Object.keys(pins).length),
      path,
    ]);
    for (const row of table(columns, rows, Math.max(out.columns, 200), out.colours.bold)) out.line(row);
  }
  return problem === undefined ? ExitCode.ok : ExitCode.usage;
}

async function add(context: CommandContext, store: TrustStore, given: string): Promise<ExitCode> {
  const { out, err, json, cwd, home, env } = context;
  const added = await trustPath(store, given, { cwd, home, env });
  if (json) {
    out.line(JSON.stringify(added));
    return ExitCode.ok;
  }
  const files = Object.keys(added.pins);
  if (files.length === 0)
    err.line(
      `${err.colours.yellow('!')} ${line(added.path)}: nothing there decides what is run, so nothing of it is run yet.`,
    );
  else
    out.line(`${out.colours.green('✓')} ${line(added.path)} is trusted, with these files as they are now:`);
  // A file that is trusted by itself is its only pin.
  for (const file of files) out.line(`  ${line(file === '.' ? path.basename(added.path) : file)}`);
  await tellCommands(context, added.path, files.includes('.') ? path.dirname(added.path) : added.path);
  for (const { file, leadsTo } of added.outside)
    err.line(
      `! ${line(file)} is left out: it leads outside${leadsTo === undefined ? '' : `, to ${line(leadsTo)}`}.`,
    );
  for (const { file, reason } of added.unreadable)
    err.line(`! ${line(file)} is left out: ${sentence(reason)}`);
  for (const place of added.elsewhere)
    err.line(`! ${line(place)} lies elsewhere and has to be trusted by itself.`);
  return ExitCode.ok;
}

/** What may be run from now on, with values that may be secrets as `***`. */
async function tellCommands({ out, home, env }: CommandContext, root: string, cwd: string): Promise<void> {
  const { plugins, modules } = await discover({ cwd, home, env });
  const isNewlyRun = ({ origin, trust, disabled }: Pick<Found, 'origin' | 'trust' | 'disabled'>) =>
    trust.trusted && disabled === undefined && isInside(root, origin.file);
  const commands = plugins.filter(isNewlyRun);
  if (commands.length > 0) out.line('These commands may be run now:');
  for (const { spec } of commands)
    out.line(`  ${out.colours.cyan(spec.name)}  ${line(shownCommand(spec.start))}`);
  const loaded = modules.filter(isNewlyRun);
  if (loaded.length > 0) out.line('These modules may be loaded into the host now:');
  for (const { module } of loaded) out.line(`  ${out.colours.cyan(module.name)}  ${line(module.file)}`);
}

async function remove(context: CommandContext, store: TrustStore, given: string): Promise<ExitCode> {
  const { out, err, json, cwd } = context;
  const place = path.resolve(cwd, given);
  const { removed, coveredBy } = await store.remove(place);
  if (json) out.line(JSON.stringify({ path: place, removed, coveredBy }));
  else if (removed) out.line(`${out.colours.green('✓')} ${line(place)} is not trusted any more.`);
  else err.line(`${line(place)} was not trusted.`);
  for (const other of coveredBy) err.line(`! It is still covered by ${line(other)}, which is trusted.`);
  return ExitCode.ok;
}

/** Names of files can hold anything but a slash. */
function line(text: string): string {
  return printableLine(text, 5000);
}
