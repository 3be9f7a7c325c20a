// A look at everything that is configured here: this machine, the files, and every plugin, all at once and with nothing left behind.
import { systemClock } from '../../base/clock.ts';
import { PluglotError } from '../../base/error.ts';
import { didYouMean } from '../../base/suggest.ts';
import { sentence } from '../../base/sentence.ts';
import { discover, type Discovery, type Found } from '../../fleet/discovery/discover.ts';
import type { Environment } from '../../fleet/discovery/home-folders.ts';
import { withManifestBeside } from '../../fleet/discovery/manifest-beside.ts';
import type { Problem } from '../../fleet/discovery/problem.ts';
import { builtInNames } from '../built-in-names.ts';
import { createFleetParts, type FleetParts } from '../fleet-parts.ts';
import { problemsOfGate } from '../gate-problems.ts';
import { gateSettings } from '../gate-settings.ts';
import type { Diagnosis } from './diagnosis.ts';
import { examineMachine, type Machine } from './examine-machine.ts';
import { examineModules } from './examine-modules.ts';
import { examinePlugin, type Examined } from './examine-plugin.ts';
import { exampleHint } from '../bundled.ts';
import { finding, type Finding } from './finding.ts';
import { refusal } from './refusal.ts';

export interface DoctorOptions {
  readonly cwd: string;
  readonly home: string;
  readonly env: Environment;
  readonly configFile?: string | undefined;
  /** These plugins alone. @default all */
  readonly names?: readonly string[];
  /** How many are looked at at once. @default 8 */
  readonly atOnce?: number;
  /** Told of each that is done. */
  readonly onExamined?: (diagnosis: Diagnosis) => void;
  readonly signal?: AbortSignal;
}

export interface DoctorReport {
  /** There is no error. */
  readonly ok: boolean;
  readonly machine: Machine;
  readonly plugins: readonly Diagnosis[];
  /** All of them, those of the machine first. */
  readonly findings: readonly Finding[];
  readonly counts: { readonly errors: number; readonly warnings: number; readonly infos: number };
}

/** @throws PluglotError UNKNOWN_PLUGIN */
export async function runDoctor(options: DoctorOptions): Promise<DoctorReport> {
  const { cwd, home, env, configFile, names = [], signal } = options;
  const files = { cwd, home, env, ...(configFile !== undefined && { configFile }) };
  const discovery = await discover({ ...files, builtIns: builtInNames });
  const isChosen = choose(names, discovery);
  const parts = createFleetParts({ cwd, home, env, configFile });
  const stop = () => void parts.launcher.close();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const [{ machine, findings }, gate, modules, processes] = await Promise.all([
      examineMachine({
        env,
        cwd,
        stateFolder: parts.folders.state,
        audit: (await gateSettings(files)).audit,
        containment: () => parts.launcher.containment(),
        sandbox: async () => parts.sandbox(),
      }),
      problemsOfGate(files),
      examineModules(
        files,
        discovery.modules.filter(({ module }) => isChosen(module.name)),
      ),
      examineAll(options, parts, discovery, isChosen),
    ]);
    const problems = [...discovery.problems, ...gate];
    const isEmpty = discovery.names.length === 0 && problems.length === 0;
    const ofFiles = [...fileFindings(problems), ...(isEmpty ? [noPlugins()] : [])];
    return reportOf(machine, [...findings, ...ofFiles], [...processes, ...modules]);
  } finally {
    signal?.removeEventListener('abort', stop);
    await parts.fleet.close();
    await parts.launcher.close();
  }
}

function choose(names: readonly string[], { names: known }: Discovery): (name: string) => boolean {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new PluglotError(
      'UNKNOWN_PLUGIN',
      `There is no plugin "${unknown.slice(0, 100)}".${didYouMean(unknown, known) || ` \`pluglot plugins\` lists them.${exampleHint(unknown)}`}`,
    );
  return (name) => names.length === 0 || names.includes(name);
}

async function examineAll(
  { atOnce = 8, onExamined }: DoctorOptions,
  parts: FleetParts,
  discovery: Discovery,
  isChosen: (name: string) => boolean,
): Promise<readonly Diagnosis[]> {
  const waiting = discovery.plugins.filter(({ spec }) => isChosen(spec.name));
  const results = new Map<string, Diagnosis>();
  const order = waiting.map(({ spec }) => spec.name);
  const work = async () => {
    for (let found = waiting.shift(); found !== undefined; found = waiting.shift()) {
      const result = await examineOne(found, parts, discovery);
      results.set(found.spec.name, result);
      onExamined?.(result);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, atOnce) }, work));
  return order.flatMap((name) => results.get(name) ?? []);
}

async function examineOne(found: Found, parts: FleetParts, discovery: Discovery): Promise<Diagnosis> {
  const { name } = found.spec;
  const refused = refusal(name, found);
  if (refused !== undefined) return diagnosisOf(found, { findings: [refused] });
  parts.checks.set(name, discovery.checkAgain);
  const spec = await withManifestBeside(found.spec);
  // Failing once is enough to know.
  const plugin = parts.fleet.add({ ...spec, restart: { max: 0 } });
  const examined = await examinePlugin(plugin, {
    clock: systemClock,
    hasCommand: (of, command) => parts.launcher.hasCommand(of, command),
  });
  return diagnosisOf(found, examined, examined.manifest === undefined ? 0 : plugin.tools().length);
}

function diagnosisOf(
  { spec, origin }: Found,
  { manifest, health, startMs, findings }: Examined,
  tools = 0,
): Diagnosis {
  const dialect = manifest?.dialect ?? spec.dialect;
  return {
    name: spec.name,
    from: origin.line === undefined ? origin.file : `${origin.file}:${origin.line}`,
    ...(dialect !== undefined && { dialect }),
    ...(manifest !== undefined && { version: manifest.version, tools }),
    ...(health !== undefined && { health: health.status }),
    ...(startMs !== undefined && { startMs: Math.round(startMs) }),
    findings,
  };
}

function fileFindings(problems: readonly Problem[]): Finding[] {
  const told = new Map(
    problems.map(({ file, line, column, severity, reason, wayOut, plugin }) => {
      const place = [file, line, column].filter((part) => part !== undefined).join(':');
      const what = `${place}: ${sentence(reason)}`;
      const code = severity === 'error' ? 'config-broken' : 'config-odd';
      return [what, finding({ code, what, fix: wayOut, ...(plugin !== undefined && { plugin }) })] as const;
    }),
  );
  return [...told.values()];
}

function noPlugins(): Finding {
  return finding({
    code: 'no-plugins',
    what: 'No plugin is configured here.',
    fix: 'Add one, or take over those of other clients.',
    command: 'pluglot import --dry-run',
  });
}

function reportOf(
  machine: Machine,
  general: readonly Finding[],
  plugins: readonly Diagnosis[],
): DoctorReport {
  const findings = [...general, ...plugins.flatMap((plugin) => plugin.findings)];
  const count = (severity: Finding['severity']) => findings.filter((one) => one.severity === severity).length;
  const counts = { errors: count('error'), warnings: count('warning'), infos: count('info') };
  return { ok: counts.errors === 0, machine, plugins, findings, counts };
}
