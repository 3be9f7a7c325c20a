// `pluglot check -- COMMAND…`: conformance and faults of one plugin, as a scorecard.
import fs from 'node:fs/promises';
import path from 'node:path';
import { PluglotError, toError } from '../../../base/error.ts';
import { createSecrets, type Secrets } from '../../../base/secrets.ts';
import type { Probe } from '../../../conformance/drivers/driver.ts';
import type { CheckReport } from '../../../conformance/report.ts';
import { badgeOf } from '../../../conformance/reports/badge.ts';
import { junitOf } from '../../../conformance/reports/junit.ts';
import { runChecks } from '../../../conformance/run-checks.ts';
import { homeFolders } from '../../../fleet/discovery/home-folders.ts';
import { withManifestBeside } from '../../../fleet/discovery/manifest-beside.ts';
import { createLauncher } from '../../../fleet/supervisor/process-launcher.ts';
import { shownError } from '../../../fleet/supervisor/shown-error.ts';
import { ExitCode } from '../exit-code.ts';
import { detect, specOfCommand } from '../host/typed-command.ts';
import { unlessInterrupted } from '../interruption.ts';
import { scorecard } from '../scorecard.ts';
import { readArguments } from '../tool-arguments.ts';
import type { CommandContext } from './context.ts';

export interface CheckOptions {
  readonly dialect?: string;
  readonly tool?: readonly string[];
  readonly slowTool?: readonly string[];
  readonly only?: readonly string[];
  readonly junit?: string;
  readonly badge?: string;
}

export async function check(context: CommandContext, options: CheckOptions): Promise<ExitCode> {
  const { out, json, verbosity, signal } = context;
  // What was typed wrong is told before anything is started.
  const [tool, slowTool] = await Promise.all([probeOf(options.tool), probeOf(options.slowTool)]);
  const report = await unlessInterrupted(signal, examine(context, options, { tool, slowTool }));
  await writeFiles(context, options, report);
  if (json) out.line(JSON.stringify(report));
  else for (const line of scorecard(report, out, verbosity)) out.line(line);
  return report.ok ? ExitCode.ok : ExitCode.failed;
}

async function examine(
  context: CommandContext,
  options: CheckOptions,
  probes: { readonly tool: Probe | undefined; readonly slowTool: Probe | undefined },
): Promise<CheckReport> {
  const { command, cwd, env, home, err, signal } = context;
  const spec = await withManifestBeside(specOfCommand(command ?? [], options, cwd));
  const launcher = createLauncher({ env, stateFolder: homeFolders(env, home).state, hostFolder: cwd });
  const secrets = createSecrets(launcher.secretsOf?.(spec));
  try {
    err.progress(`asking ${spec.name} …`);
    const dialect = spec.dialect ?? (await detect(context, launcher, spec, signal, () => {}));
    const report = await runChecks({
      plugin: spec.name,
      dialect,
      manifest: spec.manifest,
      start: () => launcher.launch({ ...spec, dialect }),
      ...probes,
      only: options.only,
      signal,
      onResult: ({ title }, done, all) => err.progress(`${done} of ${all}  ${title}`),
    });
    return withoutSecrets(report, secrets);
  } catch (thrown) {
    throw thrown instanceof PluglotError ? shownError(thrown, secrets) : thrown;
  } finally {
    err.clear();
    await launcher.close();
  }
}

/** It tells what the plugin said and printed. */
function withoutSecrets(report: CheckReport, secrets: Secrets): CheckReport {
  return {
    ...report,
    results: report.results.map((result) => ({ ...result, seen: secrets.maskKnown(result.seen) })),
  };
}

/** The first word is the name of the tool, the others are its arguments. */
async function probeOf(words: readonly string[] | undefined): Promise<Probe | undefined> {
  const [tool, ...rest] = words ?? [];
  if (tool === undefined) return undefined;
  const typed = await readArguments(rest, () => Promise.resolve(''));
  return { tool, args: typed(undefined) };
}

async function writeFiles(
  { cwd }: CommandContext,
  { junit, badge }: CheckOptions,
  report: CheckReport,
): Promise<void> {
  const files: [string | undefined, () => string][] = [
    [junit, () => junitOf(report)],
    [badge, () => badgeOf(report)],
  ];
  for (const [file, text] of files) {
    if (file === undefined) continue;
    const target = path.resolve(cwd, file);
    try {
      await fs.mkdir(path.dirname(target), { recursive: true });
      await fs.writeFile(target, text());
    } catch (thrown) {
      const reason = `${target} cannot be written: ${toError(thrown).message}.`;
      throw new PluglotError('INVALID_ARGUMENTS', `${reason} Name another file.`, { cause: thrown });
    }
  }
}
