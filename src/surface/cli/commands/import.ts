// `pluglot import [CLIENT]`: the servers that other clients have configured, into pluglot.json.
import { Argument } from 'commander';
import { clientNames, type ClientName } from '../../../fleet/discovery/client-files.ts';
import type { PluginEntry } from '../../../fleet/discovery/config-file.ts';
import { addToConfig, type Added, type ConfigTarget } from '../../../fleet/discovery/edit-config.ts';
import { importFrom, type ImportedEntry } from '../../../fleet/discovery/import-clients.ts';
import { describeProblem, type Problem } from '../../../fleet/discovery/problem.ts';
import { maskedEntry } from '../../../fleet/discovery/secrets.ts';
import { defineCommand } from '../command.ts';
import { ExitCode } from '../exit-code.ts';
import { warn } from '../terminal.ts';
import { printable, printableMarked } from '../../../base/printable.ts';
import { sentences } from '../../../base/text.ts';
import { followTrust, shown, targetOf, showConsequences, showTaken } from './config-target.ts';
import type { CommandContext } from '../context.ts';

interface Flags {
  readonly dryRun?: boolean;
  readonly project?: boolean;
  readonly replace?: boolean;
}

export const commands = {
  import: defineCommand<Flags, [client: ClientName | undefined]>({
    examples: ['pluglot import cursor', 'pluglot import --dry-run'],
    declare: (command) =>
      command
        .addArgument(new Argument('[client]', 'Client to import from (default: all)').choices(clientNames))
        .option('-n, --dry-run', 'Only show what would be imported')
        .option('--project', "Write to the project's file instead of your own")
        .option('--replace', 'Replace plugins of the same name'),
    run: importServers,
  }),
};

async function importServers(
  context: CommandContext,
  { dryRun = false, project = false, replace = false }: Flags,
  client: ClientName | undefined,
): Promise<ExitCode> {
  const target = await targetOf(context, !project);
  const { offers, refused } = await offersOf(context, client, target);
  const result: Added =
    offers.length === 0 ? { added: [], skipped: [] } : await addToConfig(target, offers, { replace, dryRun });
  // What a project brings in other files was not read by the user, who only asked for it to be taken over.
  const isStrange = offers.some(({ name, owner }) => owner === 'project' && result.added.includes(name));
  const trusted = isStrange ? false : await followTrust(context, target, result);
  if (context.json) {
    const imported = offers
      .filter(({ name }) => result.added.includes(name))
      .map(({ name, client: from, entry, notes }) => ({
        name,
        client: from,
        entry: maskedEntry(entry),
        notes,
      }));
    const { skipped } = result;
    context.out.line(JSON.stringify({ file: target.file, dryRun, imported, skipped, refused, trusted }));
    return ExitCode.ok;
  }
  show(context, { offers, refused, result, dryRun });
  if (result.added.length === 0) showNothing(context, client, offers);
  else if (dryRun)
    context.err.line(`Nothing was written: without --dry-run they go to ${shown(context, target.file)}.`);
  else {
    context.out.line(`${result.added.length} of ${offers.length} are in ${shown(context, target.file)} now.`);
    await showTaken(context, target, result.added);
    await showConsequences(context, target, result, trusted);
  }
  return ExitCode.ok;
}

type Offer = ImportedEntry & { readonly client: ClientName };

/** What two clients have is taken once, from the first. */
async function offersOf(
  { cwd, home, env }: CommandContext,
  client: string | undefined,
  { owner }: ConfigTarget,
): Promise<{ offers: readonly Offer[]; refused: readonly Problem[] }> {
  const offers = new Map<string, Offer>();
  const refused: Problem[] = [];
  for (const from of clientNames) {
    if (client !== undefined && client !== from) continue;
    const imported = await importFrom(from, { home, cwd, env, platform: process.platform, into: owner });
    refused.push(...imported.refused);
    for (const entry of imported.entries)
      if (!offers.has(entry.name)) offers.set(entry.name, { ...entry, client: from });
  }
  return { offers: [...offers.values()], refused };
}

function show(
  { out, err }: CommandContext,
  shown: {
    readonly offers: readonly Offer[];
    readonly refused: readonly Problem[];
    readonly result: Added;
    readonly dryRun: boolean;
  },
): void {
  const { green, cyan, dim } = out.colours;
  for (const { name, client, entry, notes } of shown.offers) {
    if (!shown.result.added.includes(name)) continue;
    const mark = shown.dryRun ? '·' : green('✓');
    out.line(`${mark} ${cyan(name)}  ${dim(`from ${client}:`)} ${printable(commandOf(entry))}`);
    for (const note of notes) out.line(`  ${dim(printable(note))}`);
  }
  for (const { name, reason, wayOut } of shown.result.skipped)
    warn(err, printableMarked(`${name} was not imported: ${sentences(reason, wayOut)}`));
  for (const problem of shown.refused) warn(err, printableMarked(describeProblem(problem)));
}

function showNothing({ err }: CommandContext, client: string | undefined, offers: readonly Offer[]): void {
  const none = client === undefined ? 'No client that is known here has servers' : `${client} has no servers`;
  err.line(offers.length === 0 ? `${none} to import.` : 'Nothing was imported.');
}

function commandOf(entry: PluginEntry): string {
  const { command, args = [], url } = maskedEntry(entry);
  return url ?? [command, ...args].join(' ');
}
