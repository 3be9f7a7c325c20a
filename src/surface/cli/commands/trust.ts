// `pluglot trust add|list|remove [PATH]`: what of the things found on disk may be executed.
import path from 'node:path';
import { Argument } from 'commander';
import { discover, type Found, trustPath, userTrustStore } from '../../../fleet/discovery/discover.ts';
import type { TrustStore } from '../../../fleet/trust/trust-store.ts';
import { isInside } from '../../../fleet/trust/paths.ts';
import { defineCommand } from '../command.ts';
import { ExitCode } from '../exit-code.ts';
import { confirm, warn } from '../terminal.ts';
import { shownCommand } from '../../../runtime/views/wires.ts';
import { printableLine } from '../../../base/printable.ts';
import { isSecret, MASK } from '../../../secrets/secret-shapes.ts';
import { sentence } from '../../../base/text.ts';
import { printTable } from '../table.ts';
import { type CommandContext, usageError } from '../context.ts';

type Action = 'add' | 'list' | 'remove';

export const commands = {
  trust: defineCommand<object, [action: Action, path: string | undefined]>({
    examples: ['pluglot trust add .', 'pluglot trust list', 'pluglot trust remove .'],
    declare: (command) =>
      command
        .addArgument(new Argument('<action>', 'Action').choices(['add', 'list', 'remove']))
        .argument('[path]', 'A project, a plugin folder or a file'),
    run: (context, _, action, path) => trust(context, action, path),
  }),
};

async function trust(context: CommandContext, action: Action, given: string | undefined): Promise<ExitCode> {
  const store = userTrustStore(context);
  if (action === 'list' && given !== undefined)
    throw usageError('`pluglot trust list` lists everything that is trusted, and takes no path.');
  if (action === 'list') return list(context, store);
  if (given === undefined) {
    throw usageError(`Give the path to ${action}, such as: pluglot trust ${action} .`);
  }
  return action === 'add' ? add(context, store, given) : remove(context, store, given);
}

async function list({ out, err, json }: CommandContext, store: TrustStore): Promise<ExitCode> {
  const { trusted, problem } = await store.list();
  if (json) out.line(JSON.stringify({ trusted, problem }));
  else if (problem !== undefined) err.line(`${err.colours.red('✗')} ${line(problem)}`);
  else if (trusted.length === 0) err.line('Nothing is trusted. Trust a project with: pluglot trust add .');
  else {
    // Paths stay whole.
    printTable({ ...out, rowWidth: Math.max(out.columns, 200) }, trusted, [
      { title: 'SINCE', style: out.colours.dim, cell: ({ addedAt }) => addedAt.slice(0, 10) },
      { title: 'FILES', cell: ({ pins }) => String(Object.keys(pins).length) },
      { title: 'PATH', cell: ({ path: place }) => place },
    ]);
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
    warn(err, `${line(added.path)}: nothing there decides what is run, so nothing of it is run yet.`);
  else confirm(out, `${line(added.path)} is trusted, with these files as they are now:`);
  // A file that is trusted by itself is its only pin.
  for (const file of files) out.line(`  ${line(file === '.' ? path.basename(added.path) : file)}`);
  await showCommands(context, added.path, files.includes('.') ? path.dirname(added.path) : added.path);
  for (const { file, leadsTo } of added.outside)
    warn(
      err,
      `${line(file)} is left out: it leads outside${leadsTo === undefined ? '' : `, to ${line(leadsTo)}`}.`,
    );
  for (const { file, reason } of added.unreadable)
    warn(err, `${line(file)} is left out: ${sentence(reason)}`);
  for (const place of added.elsewhere)
    warn(err, `${line(place)} lies elsewhere and has to be trusted by itself.`);
  return ExitCode.ok;
}

/** What may be run from now on, with values that may be secrets as `***`. */
async function showCommands({ out, home, env }: CommandContext, root: string, cwd: string): Promise<void> {
  const { plugins, modules } = await discover({ cwd, home, env });
  const isNewlyRun = ({ origin, trust, disabled }: Pick<Found, 'origin' | 'trust' | 'disabled'>) =>
    trust.trusted && disabled === undefined && isInside(root, origin.file);
  const commands = plugins.filter(isNewlyRun);
  if (commands.length > 0) out.line('These commands may be run now:');
  for (const { spec } of commands) {
    out.line(`  ${out.colours.cyan(spec.name)}  ${line(shownCommand(spec.start))}`);
    // Variables such as NODE_OPTIONS can run other code.
    const variables = spec.start.kind === 'program' ? Object.entries(spec.start.env ?? {}) : [];
    for (const [name, value] of variables)
      out.line(`    with ${line(`${name}=${isSecret(name, value) ? MASK : value}`)}`);
  }
  const loaded = modules.filter(isNewlyRun);
  if (loaded.length > 0) out.line('These modules may be loaded into the host now:');
  for (const { module } of loaded) out.line(`  ${out.colours.cyan(module.name)}  ${line(module.file)}`);
}

async function remove(context: CommandContext, store: TrustStore, given: string): Promise<ExitCode> {
  const { out, err, json, cwd } = context;
  const place = path.resolve(cwd, given);
  const { removed, coveredBy } = await store.remove(place);
  if (json) out.line(JSON.stringify({ path: place, removed, coveredBy }));
  else if (removed) confirm(out, `${line(place)} is no longer trusted.`);
  else err.line(`${line(place)} was not trusted.`);
  for (const other of coveredBy) warn(err, `It is still covered by ${line(other)}, which is trusted.`);
  return ExitCode.ok;
}

/** Names of files can hold anything but a slash. */
function line(text: string): string {
  return printableLine(text, 5000);
}
