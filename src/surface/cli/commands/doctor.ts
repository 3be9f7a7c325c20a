// `pluglot doctor [NAME…]`: what is wrong with this machine, its files and its plugins, and what to do about it.
import { printable, printableLine } from '../../../base/printable.ts';
import { counted } from '../../../base/text.ts';
import { runDoctor, type DoctorReport } from '../../../runtime/doctor/doctor.ts';
import type { Machine } from '../../../runtime/doctor/examine-machine.ts';
import type { Diagnosis, Finding, Severity } from '../../../runtime/doctor/finding.ts';
import { defineCommand } from '../command.ts';
import { ExitCode } from '../exit-code.ts';
import { cutTo, inRows, wrap } from '../table.ts';
import { unlessInterrupted, type CommandContext } from '../context.ts';
import { lastLines } from '../failure.ts';
import type { Terminal } from '../terminal.ts';

interface Flags {
  readonly strict?: boolean;
}

export const commands = {
  doctor: defineCommand<Flags, [names: string[]]>({
    description: 'Find problems with the configured plugins and this machine, and show how to fix them',
    examples: ['pluglot doctor', 'pluglot doctor dice', 'pluglot doctor --strict --json'],
    uses: 'file',
    verbosity: { quiet: 'Print only the last line', verbose: 'Also show hints' },
    declare: (command) =>
      command
        .argument('[names...]', 'Plugins (default: all)')
        .option('--strict', 'Let warnings fail the command too'),
    run: doctor,
  }),
};

async function doctor(
  context: CommandContext,
  { strict = false }: Flags,
  names: readonly string[],
): Promise<ExitCode> {
  const { cwd, home, env, configFile, signal, err, out, json, verbosity } = context;
  err.progress('looking at this machine and its plugins …');
  let done = 0;
  const examination = runDoctor({
    cwd,
    home,
    env,
    configFile,
    names,
    signal,
    onExamined({ name }) {
      done += 1;
      err.progress(`${done} looked at  ${printableLine(name)}`);
    },
  });
  // An interruption waits until no process is left.
  const report = await unlessInterrupted(signal, examination).catch(async (thrown: unknown) => {
    await examination.catch(() => {});
    throw thrown;
  });
  err.clear();
  if (json) out.line(JSON.stringify(report));
  else for (const line of doctorCard(report, out, verbosity)) out.line(line);
  const { errors, warnings } = report.counts;
  return errors > 0 || (strict && warnings > 0) ? ExitCode.failed : ExitCode.ok;
}

/** Hints are shown with -v alone. */
export function doctorCard(report: DoctorReport, terminal: Terminal, verbosity: number): string[] {
  const summary = summaryOf(report, terminal);
  if (verbosity < 0) return summary;
  const { machine, plugins, findings } = report;
  const isShown = ({ severity }: Finding) => severity !== 'info' || verbosity > 0;
  const ofPlugins = new Set(plugins.flatMap((plugin) => plugin.findings));
  const general = findings.filter((one) => !ofPlugins.has(one) && (isShown(one) || plugins.length === 0));
  const widest = Math.max(0, ...plugins.map(({ name }) => printableLine(name, NAME_MAX).length));
  return [
    ...machineLines(machine, general, terminal),
    ...general.flatMap((one) => describe(one, terminal)),
    '',
    ...plugins.flatMap((plugin) => [
      ...pluginLines(plugin, widest, terminal),
      ...plugin.findings.filter(isShown).flatMap((one) => describe(one, terminal)),
    ]),
    ...(plugins.length > 0 ? [''] : []),
    ...summary,
  ];
}

const NAME_MAX = 40;

function machineLines(machine: Machine, findings: readonly Finding[], terminal: Terminal): string[] {
  const { node, platform, python, containment, sandbox, stateFolder, audit } = machine;
  const facts = [
    `Node ${node}`,
    platform,
    python === undefined ? 'no python3' : 'python3',
    containment === undefined ? undefined : `contained by ${containments[containment]}`,
    sandbox === undefined ? undefined : `confined by ${sandbox}`,
    audit === undefined ? undefined : `${audit} lines of audit`,
    printableLine(stateFolder),
  ].filter((fact) => fact !== undefined);
  const { colours } = terminal;
  return factLines(`${markOf(findings, colours)} ${colours.bold('This machine')}  `, facts, terminal);
}

const containments = { namespace: 'a namespace each', warden: 'a warden', group: 'process groups' } as const;

/** `✓ dice   mcp  1.0.0  2 tools  0.4 s` */
function pluginLines(diagnosis: Diagnosis, widest: number, terminal: Terminal): string[] {
  const { colours, columns } = terminal;
  const { name, dialect, version, tools, startMs, findings, from } = diagnosis;
  const facts = [
    dialect,
    version === undefined ? undefined : printableLine(version, 20),
    tools === undefined ? undefined : counted(tools, 'tool'),
    startMs === undefined ? undefined : `${(startMs / 1000).toFixed(1)} s`,
    version === undefined ? printableLine(from, 100) : undefined,
  ].filter((fact) => fact !== undefined);
  // Where the facts have no room beside the widest name, they follow each name at once.
  const shown = printableLine(name, NAME_MAX).padEnd(columns - widest < FACTS_WIDTH ? 0 : widest);
  return factLines(`${markOf(findings, colours)} ${colours.bold(shown)}  `, facts, terminal);
}

/** What most of them take, with the mark. */
const FACTS_WIDTH = 40;

function factLines(head: string, facts: readonly string[], { colours, columns }: Terminal): string[] {
  const parts = facts.map((fact) => colours.dim(fact));
  return inRows(head, parts, { columns, indent: '    ', separator: colours.dim(' · ') });
}

function markOf(findings: readonly Finding[], colours: Terminal['colours']): string {
  const has = (severity: Severity) => findings.some((one) => one.severity === severity);
  if (has('error')) return colours.red('✗');
  if (has('warning')) return colours.yellow('!');
  return findings.some(({ code }) => code === 'disabled') ? colours.dim('–') : colours.green('✓');
}

function describe(finding: Finding, { colours, columns }: Terminal): string[] {
  const { code, severity, what, fix, command, stderr } = finding;
  const paint = { error: colours.red, warning: colours.yellow, info: colours.blue }[severity];
  const lines = (text: string) => wrap(printable(text), columns, INDENT);
  const width = Math.max(columns - INDENT.length - 2, 20);
  const printed = lastLines(printable(stderr ?? ''), STDERR_LINES);
  return [
    `    ${paint(code)}`,
    ...lines(what),
    ...printed.map((line) => colours.dim(`${INDENT}| ${cutTo(line, width)}`)),
    ...lines(`→ ${fix}`),
    // Never broken: it is there to be copied.
    ...(command === undefined ? [] : [`${INDENT}${colours.cyan(`$ ${printable(command)}`)}`]),
  ];
}

const INDENT = ' '.repeat(6);
const STDERR_LINES = 8;

function summaryOf({ counts, plugins }: DoctorReport, { colours, columns }: Terminal): string[] {
  const { red, yellow, blue, green, dim } = colours;
  const isFine = ({ findings }: Diagnosis) => findings.every(({ severity }) => severity === 'info');
  const parts = [
    green(`${plugins.filter(isFine).length} of ${counted(plugins.length, 'plugin')} fine`),
    counts.errors > 0 && red(counted(counts.errors, 'error')),
    counts.warnings > 0 && yellow(counted(counts.warnings, 'warning')),
    counts.infos > 0 && blue(counted(counts.infos, 'hint')),
  ].filter((part) => part !== false);
  return inRows('', parts, { columns, indent: '', separator: dim(' · ') });
}
