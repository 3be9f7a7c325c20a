// `pluglot check [NAME | -- COMMAND…]`: conformance and faults of one plugin, as a scorecard.
import fs from 'node:fs/promises';
import path from 'node:path';
import { PluglotError, toError } from '../../../base/error.ts';
import { createSecrets, type Secrets } from '../../../base/secrets.ts';
import { sentence } from '../../../base/sentence.ts';
import type { DialectName, PluginSpec } from '../../../definition/plugin-spec.ts';
import type { Probe } from '../../../conformance/drivers/driver.ts';
import type { CheckReport } from '../../../conformance/report.ts';
import { badgeOf } from '../../../conformance/reports/badge.ts';
import { junitOf } from '../../../conformance/reports/junit.ts';
import { runChecks } from '../../../conformance/run-checks.ts';
import { homeFolders } from '../../../fleet/discovery/home-folders.ts';
import { withManifestBeside } from '../../../fleet/discovery/manifest-beside.ts';
import { createLauncher } from '../../../fleet/supervisor/process-launcher.ts';
import { writableHere } from '../../../runtime/own-places.ts';
import { shownError } from '../../../fleet/supervisor/shown-error.ts';
import { trustingLauncher } from '../../../fleet/trust/trusting-launcher.ts';
import type { Trust } from '../../../fleet/trust/trust-store.ts';
import { ExitCode } from '../exit-code.ts';
import { discoverHere } from '../host/discover-here.ts';
import { brokenOf, refusalOf, unknownPlugin } from '../host/refusals.ts';
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

export async function check(
  context: CommandContext,
  name: string | undefined,
  options: CheckOptions,
): Promise<ExitCode> {
  const { out, json, verbosity, signal } = context;
  // What was typed wrong is told before anything is started.
  const [tool, slowTool] = await Promise.all([probeOf(options.tool), probeOf(options.slowTool)]);
  const subject = await subjectOf(context, name, options);
  const report = await unlessInterrupted(signal, examine(context, subject, options, { tool, slowTool }));
  await writeFiles(context, options, report);
  if (json) out.line(JSON.stringify(report));
  else for (const line of scorecard(report, out, verbosity)) out.line(line);
  return report.ok ? ExitCode.ok : ExitCode.failed;
}

interface Subject {
  readonly spec: PluginSpec;
  /** Asked before each start; undefined: what was typed needs no trust. */
  readonly trust: () => Promise<Trust | undefined>;
}

/** The plugin behind `--`, or the one of this name that is configured here. */
async function subjectOf(
  context: CommandContext,
  name: string | undefined,
  options: CheckOptions,
): Promise<Subject> {
  const { command, cwd } = context;
  if (name === undefined && command === undefined)
    throw wrong('Name a plugin, or give the command that starts it: pluglot check -- COMMAND…');
  if (name === undefined) {
    const spec = await withManifestBeside(specOfCommand(command ?? [], options, cwd));
    return { spec, trust: () => Promise.resolve(undefined) };
  }
  if (command !== undefined) throw wrong('Give either the name of a plugin or a command behind --.');
  const { plugins, modules, names, problems, checkAgain } = await discoverHere(context);
  const found = plugins.find(({ spec }) => spec.name === name);
  if (found === undefined) {
    if (modules.some(({ module }) => module.name === name))
      throw unchecked(name, 'it runs inside of the host, and has no wire');
    throw brokenOf(name, problems) ?? unknownPlugin(name, names);
  }
  const refusal = refusalOf(found);
  if (refusal !== undefined) throw refusal;
  if (found.spec.start.kind === 'http')
    throw unchecked(name, 'it is only reached, and every check starts it anew');
  const dialect = options.dialect as DialectName | undefined; // one of the choices
  const spec = await withManifestBeside({ ...found.spec, ...(dialect && { dialect }) });
  return { spec, trust: () => checkAgain(name) };
}

function unchecked(name: string, why: string): PluglotError {
  return new PluglotError('UNSUPPORTED', `Plugin "${name}" cannot be checked: ${sentence(why)}`);
}

function wrong(message: string): PluglotError {
  return new PluglotError('INVALID_ARGUMENTS', message);
}

async function examine(
  context: CommandContext,
  { spec, trust }: Subject,
  options: CheckOptions,
  probes: { readonly tool: Probe | undefined; readonly slowTool: Probe | undefined },
): Promise<CheckReport> {
  const { cwd, env, home, err, signal } = context;
  const launcher = trustingLauncher(
    createLauncher({
      env,
      stateFolder: homeFolders(env, home).state,
      hostFolder: cwd,
      writable: () => writableHere(context),
    }),
    trust,
  );
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
      const reason = `${target} cannot be written: ${sentence(toError(thrown).message)}`;
      throw new PluglotError('INVALID_ARGUMENTS', `${reason} Name another file.`, { cause: thrown });
    }
  }
}
