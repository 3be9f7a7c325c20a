// `pluglot import [CLIENT]`: the servers that other clients have configured, into pluglot.json.
import { clientNames, type ClientName } from '../../../fleet/discovery/client-files.ts';
import type { PluginEntry } from '../../../fleet/discovery/config-file.ts';
import { addToConfig, type Added, type ConfigTarget } from '../../../fleet/discovery/edit-config.ts';
import { importFrom, type ImportedEntry } from '../../../fleet/discovery/import-clients.ts';
import { describeProblem, type Problem } from '../../../fleet/discovery/problem.ts';
import { maskedEntry } from '../../../fleet/discovery/secrets.ts';
import { ExitCode } from '../exit-code.ts';
import { printable } from '../../../base/printable.ts';
import { sentences } from '../../../base/sentence.ts';
import { followTrust, shown, targetOf, tellConsequences, tellTaken } from './config-target.ts';
import type { CommandContext } from './context.ts';

export interface ImportOptions {
  readonly dryRun?: boolean;
  readonly project?: boolean;
  readonly replace?: boolean;
}

export async function importServers(
  context: CommandContext,
  client: string | undefined,
  { dryRun = false, project = false, replace = false }: ImportOptions,
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
  tell(context, { offers, refused, result, dryRun });
  if (result.added.length === 0) tellNothing(context, client, offers);
  else if (dryRun)
    context.err.line(`Nothing was written: without --dry-run they go to ${shown(context, target.file)}.`);
  else {
    context.out.line(`${result.added.length} of ${offers.length} are in ${shown(context, target.file)} now.`);
    await tellTaken(context, target, result.added);
    await tellConsequences(context, target, result, trusted);
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

function tell(
  { out, err }: CommandContext,
  told: {
    readonly offers: readonly Offer[];
    readonly refused: readonly Problem[];
    readonly result: Added;
    readonly dryRun: boolean;
  },
): void {
  const { green, cyan, dim } = out.colours;
  for (const { name, client, entry, notes } of told.offers) {
    if (!told.result.added.includes(name)) continue;
    const mark = told.dryRun ? '·' : green('✓');
    out.line(`${mark} ${cyan(name)}  ${dim(`from ${client}:`)} ${printable(commandOf(entry))}`);
    for (const note of notes) out.line(`  ${dim(printable(note))}`);
  }
  const warn = (text: string) => err.line(`${err.colours.yellow('!')} ${printable(text)}`);
  for (const { name, reason, wayOut } of told.result.skipped)
    warn(`${name} was not taken: ${sentences(reason, wayOut)}`);
  for (const problem of told.refused) warn(describeProblem(problem));
}

function tellNothing({ err }: CommandContext, client: string | undefined, offers: readonly Offer[]): void {
  const none = client === undefined ? 'No client that is known here has servers' : `${client} has no servers`;
  err.line(offers.length === 0 ? `${none} to import.` : 'Nothing was imported.');
}

function commandOf(entry: PluginEntry): string {
  const { command, args = [], url } = maskedEntry(entry);
  return url ?? [command, ...args].join(' ');
}
