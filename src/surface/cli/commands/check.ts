// `pluglot check [NAME | -- COMMAND…]`: conformance and faults of one plugin, as a scorecard.
import fs from 'node:fs/promises';
import path from 'node:path';
import { PluglotError, toError } from '../../../base/error.ts';
import { printable, printableLine } from '../../../base/printable.ts';
import { createSecrets, type Secrets } from '../../../secrets/secrets.ts';
import { counted, sentence } from '../../../base/text.ts';
import type { Probe } from '../../../conformance/conversation.ts';
import {
  badgeOf,
  isFailed,
  junitOf,
  type CheckReport,
  type CheckResult,
  type Grade,
} from '../../../conformance/report.ts';
import { runChecks } from '../../../conformance/run-checks.ts';
import type { DialectName, PluginSpec } from '../../../definition/plugin-spec.ts';
import { homeFolders } from '../../../fleet/discovery/config-places.ts';
import { withManifestBeside } from '../../../fleet/discovery/manifest-folders.ts';
import { describeProblem } from '../../../fleet/discovery/problem.ts';
import { refusalOf } from '../../../fleet/discovery/discover.ts';
import { createLauncher } from '../../../fleet/supervisor/process-launcher.ts';
import { shownError } from '../../../fleet/supervisor/launcher.ts';
import type { Trust } from '../../../fleet/trust/trust-store.ts';
import { trustingLauncher } from '../../../fleet/trust/trusting-launcher.ts';
import { unknownPlugin } from '../../../runtime/lifecycle.ts';
import { writableHere } from '../../../runtime/own-places.ts';
import { argumentsOf, readArguments } from '../../../runtime/typed-arguments.ts';
import { collect, defineCommand } from '../command.ts';
import { ExitCode } from '../exit-code.ts';
import { cutTo, inRows, wrap } from '../table.ts';
import { unlessInterrupted, type CommandContext, usageError } from '../context.ts';
import { detect, discoverHere, specOfCommand } from '../own-runtime.ts';
import type { Terminal } from '../terminal.ts';

interface CheckFlags {
  readonly dialect?: string;
  readonly tool?: readonly string[];
  readonly slowTool?: readonly string[];
  readonly only?: readonly string[];
  readonly junit?: string;
  readonly badge?: string;
}

export const commands = {
  check: defineCommand<CheckFlags, [name: string | undefined]>({
    description: 'Check how well a plugin follows its protocol and what it survives, and print a scorecard',
    examples: [
      'pluglot check -- node plugin.mjs',
      'pluglot check dice',
      'pluglot check --tool roll dice=2d6 -- node server.mjs',
      'pluglot check --junit report.xml --badge badge.svg -- ./plugin.py',
    ],
    uses: 'own-fleet',
    verbosity: {
      quiet: 'Print only the last line',
      verbose: 'Show all checks; -vv: also what was seen in each',
    },
    declare: (command) =>
      command
        .argument('[name]', 'A configured plugin, instead of a command behind --')
        .option('--tool <name and arguments...>', 'Tool to call, such as --tool roll dice=2d6')
        .option(
          '--slow-tool <name and arguments...>',
          'A call that takes seconds, to test what happens meanwhile',
        )
        .option(
          '--only <pattern>',
          'Only run checks whose id contains this; * matches anything; repeatable',
          collect,
        )
        .option('--junit <file>', 'Write a JUnit report')
        .option('--badge <file>', 'Write an SVG badge'),
    run: check,
  }),
};

async function check(
  context: CommandContext,
  options: CheckFlags,
  name: string | undefined,
): Promise<ExitCode> {
  const { out, json, verbosity, signal } = context;
  // Arguments that cannot be read fail before anything is started.
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
  options: CheckFlags,
): Promise<Subject> {
  const { command, cwd } = context;
  if (name === undefined && command === undefined)
    throw usageError('Name a plugin, or give the command that starts it: pluglot check -- COMMAND…');
  if (name === undefined) {
    const spec = await withManifestBeside(specOfCommand(command ?? [], options, cwd));
    return { spec, trust: () => Promise.resolve(undefined) };
  }
  if (command !== undefined) throw usageError('Give either the name of a plugin or a command behind --.');
  const { plugins, modules, names, problems, checkAgain } = await discoverHere(context);
  const found = plugins.find(({ spec }) => spec.name === name);
  if (found === undefined) {
    if (modules.some(({ module }) => module.name === name))
      throw unchecked(name, 'it runs inside of the host, and has no wire');
    const problem = problems.find(({ plugin }) => plugin === name);
    throw problem === undefined
      ? unknownPlugin(name, names)
      : new PluglotError('CONFIG_INVALID', describeProblem(problem));
  }
  const refusal = refusalOf(`Plugin "${name}"`, found);
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

async function examine(
  context: CommandContext,
  { spec, trust }: Subject,
  options: CheckFlags,
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

/** It has the output of the plugin. */
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
  return { tool, args: argumentsOf(typed, undefined) };
}

async function writeFiles(
  { cwd }: CommandContext,
  { junit, badge }: CheckFlags,
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
      throw usageError(`${reason} Name another file.`, { cause: thrown });
    }
  }
}

export function scorecard(report: CheckReport, terminal: Terminal, verbosity: number): string[] {
  const summary = summaryOf(report, terminal);
  if (verbosity < 0) return summary;
  const { bold, dim } = terminal.colours;
  const { plugin, dialect, tool } = report;
  const limits = report.results.filter(({ sdkLimit }) => sdkLimit !== undefined);
  const calls = tool === undefined ? [] : [dim(`called by its tool ${printableLine(tool)}`)];
  const themes = [...new Set(report.results.map(({ theme }) => theme))];
  const widest = Math.max(...themes.map((theme) => theme.length));
  return [
    ...inRows(`${bold(printableLine(plugin))}  `, [`${dim('checked as')} ${dialect}`, ...calls], {
      columns: terminal.columns,
      indent: '  ',
      separator: dim(', '),
    }),
    '',
    ...themes.flatMap((theme) => {
      const results = report.results.filter((result) => result.theme === theme);
      const shown = verbosity > 0 ? results : results.filter(isFailed);
      const details = shown.flatMap((result) => describe(result, terminal, verbosity));
      return [...row(theme, results, widest, terminal), ...details, ...(details.length > 0 ? [''] : [])];
    }),
    ...(verbosity > 0 || report.results.slice(-1).some(isFailed) ? [] : ['']),
    ...(limits.length > 0 ? limitsOf(report, limits, terminal) : []),
    ...summary,
  ];
}

/** What the author need not look at, but hosts and users may want to know. */
function limitsOf(
  { sdk = 'the SDK' }: CheckReport,
  limits: readonly CheckResult[],
  terminal: Terminal,
): string[] {
  const { bold, dim } = terminal.colours;
  const why = 'no plugin on it passes these, so they are not graded';
  return [
    ...wrap(`Limits of ${sdk}: ${why}`, terminal.columns, '  ').map((line, index) =>
      index === 0 ? `  ${bold(line.trimStart())}` : line,
    ),
    ...limits.flatMap((result) => {
      const [first = '', ...more] = wrap(result.title, terminal.columns, '      ');
      return [
        `    ${markOf(result, terminal)} ${first.trimStart()}`,
        ...more,
        ...wrap(`${result.sdkLimit}`, terminal.columns, '      ').map(dim),
      ];
    }),
    '',
  ];
}

/** `Framing   ✓✓✓✓✗✓✓✓✓  8 of 9` */
function row(theme: string, results: readonly CheckResult[], widest: number, terminal: Terminal): string[] {
  const { bold, dim } = terminal.colours;
  const counted = results.filter((result) => result.verdict === 'passed' || isFailed(result));
  const passed = counted.filter(({ verdict }) => verdict === 'passed').length;
  const marks = results.map((result) => markOf(result, terminal));
  const count = passed === counted.length ? String(passed) : `${passed} of ${counted.length}`;
  const head = `  ${bold(theme)}${' '.repeat(widest - theme.length)}  `;
  const indent = ' '.repeat(widest + 4);
  return inRows(head, [...marks, `  ${dim(count)}`], { columns: terminal.columns, indent, separator: '' });
}

function markOf({ verdict, severity, sdkLimit }: CheckResult, { colours }: Terminal): string {
  if (verdict === 'passed') return colours.green('✓');
  if (verdict === 'does-not-apply') return colours.dim('–');
  if (sdkLimit !== undefined) return colours.dim('~');
  switch (severity) {
    case 'error':
      return colours.red('✗');
    case 'warning':
      return colours.yellow('!');
    case 'info':
      return colours.blue('i');
  }
}

function describe(result: CheckResult, terminal: Terminal, verbosity: number): string[] {
  const { dim } = terminal.colours;
  const { title, id, seen, fix } = result;
  const isShort = title.length + id.length + MARGIN <= terminal.columns;
  const [first = '', ...more] = isShort
    ? [`      ${title}  ${dim(id)}`]
    : wrap(title, terminal.columns, '      ');
  const head = [
    `    ${markOf(result, terminal)} ${first.trimStart()}`,
    ...more,
    ...(isShort ? [] : [dim(`      ${id}`)]),
  ];
  if (!isFailed(result)) return [...head, ...(verbosity > 1 ? paragraph('', seen, terminal) : [])];
  return [...head, ...paragraph('seen', seen, terminal), ...paragraph('fix', fix, terminal)];
}

/** The first line is a sentence and is broken; what follows is the wire and is cut. */
function paragraph(label: string, text: string, { colours, columns }: Terminal): string[] {
  const [first = '', ...rest] = printable(text).split('\n');
  const [head = INDENT, ...others] = wrap(withBreaks(first, columns), columns, INDENT);
  return [
    `      ${colours.dim(label.padEnd(5))} ${head.slice(INDENT.length)}`,
    ...others,
    ...rest
      .filter((line) => line.trim() !== '')
      .map((line) => colours.dim(`${INDENT}${cutTo(line, Math.max(columns - INDENT.length, 20))}`)),
  ];
}

const INDENT = ' '.repeat(12);
/** Of the mark before a title, and the gap before its id. */
const MARGIN = 8;

/** JSON has words that are longer than a line. */
function withBreaks(text: string, columns: number): string {
  const width = Math.max(Math.min(columns, 100) - INDENT.length, 20);
  return text.replaceAll(new RegExp(`\\S{${width}}(?=\\S)`, 'g'), '$& ');
}

function summaryOf({ counts, grade, durationMs }: CheckReport, { colours, columns }: Terminal): string[] {
  const { red, yellow, blue, green, dim } = colours;
  const parts = [
    green(`${counts.passed} passed`),
    counts.errors > 0 && red(counted(counts.errors, 'error')),
    counts.warnings > 0 && yellow(counted(counts.warnings, 'warning')),
    counts.hints > 0 && blue(counted(counts.hints, 'hint')),
    counts.sdkLimits > 0 && dim(`${counted(counts.sdkLimits, 'limit')} of the SDK`),
    counts.doesNotApply > 0 && dim(`${counts.doesNotApply} not applicable`),
    dim(`${(durationMs / 1000).toFixed(1)} s`),
  ].filter((part) => part !== false);
  return inRows(`  ${stamp(grade, colours)}  `, parts, { columns, indent: '  ', separator: dim(' · ') });
}

function stamp(
  grade: Grade,
  { bold, black, bgGreen, bgYellow, bgRed, isColorSupported }: Terminal['colours'],
) {
  if (!isColorSupported) return `Grade ${grade}`;
  const paint = { A: bgGreen, B: bgGreen, C: bgYellow, D: bgRed, F: bgRed }[grade];
  return paint(bold(black(` ${grade} `)));
}
