// A look at everything that is configured here: this machine, the files, and every plugin, all at once and with nothing left behind.
import { systemClock } from '../../base/clock.ts';
import { PluglotError, toError } from '../../base/error.ts';
import { sentence } from '../../base/text.ts';
import { didYouMean } from '../../base/names.ts';
import {
  discover,
  userTrustStore,
  type Discovery,
  type Found,
  type FoundModule,
} from '../../fleet/discovery/discover.ts';
import type { Environment } from '../../fleet/discovery/config-places.ts';
import { withManifestBeside } from '../../fleet/discovery/manifest-folders.ts';
import type { Problem } from '../../fleet/discovery/problem.ts';
import { builtInNames } from '../built-in-names.ts';
import { exampleHint } from '../bundled.ts';
import { createRuntime } from '../create-runtime.ts';
import { createFleetParts, type FleetParts } from '../fleet-parts.ts';
import { gateSettings } from '../gate-settings.ts';
import { permissionsOf } from '../permissions.ts';
import type { GateFilesOptions } from '../read-entries.ts';
import type { RuntimeOptions } from '../runtime-parts.ts';
import { examineMachine, type Machine } from './examine-machine.ts';
import { examinePlugin, schemaFindings, type Examined } from './examine-plugin.ts';
import { finding, refusal, type Diagnosis, type Finding } from './finding.ts';

export interface DoctorOptions {
  readonly cwd: string;
  readonly home: string;
  readonly env: Environment;
  readonly configFile?: string | undefined;
  /** These plugins alone. @default all */
  readonly names?: readonly string[];
  /** How many are looked at at once. @default 8 */
  readonly atOnce?: number;
  /** Called for each that is done. */
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
  const unique = new Map(
    problems.map(({ file, line, column, severity, reason, wayOut, plugin }) => {
      const place = [file, line, column].filter((part) => part !== undefined).join(':');
      const what = `${place}: ${sentence(reason)}`;
      const code = severity === 'error' ? 'config-broken' : 'config-odd';
      return [what, finding({ code, what, fix: wayOut, ...(plugin !== undefined && { plugin }) })] as const;
    }),
  );
  return [...unique.values()];
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

async function examineModules(
  options: Pick<RuntimeOptions, 'cwd' | 'home' | 'env' | 'configFile'>,
  modules: readonly FoundModule[],
): Promise<readonly Diagnosis[]> {
  if (modules.length === 0) return [];
  const usable = modules.filter((found) => refusal(found.module.name, found) === undefined);
  if (usable.length === 0) return modules.map((found) => refused(found));
  const runtime = await createRuntime({ ...options, builtIns: false });
  try {
    await runtime.registry.discover();
    return await Promise.all(
      modules.map(async (found) => {
        const { name } = found.module;
        if (!usable.includes(found)) return refused(found);
        try {
          await runtime.registry.exposeTool(name);
          const manifest = runtime.registry.getPlugin(name)?.manifest;
          const tools = manifest?.tools ?? [];
          const version = manifest?.version === undefined ? {} : { version: manifest.version };
          const findings = schemaFindings(name, tools);
          return { ...baseOf(found), ...version, tools: tools.length, findings };
        } catch (thrown) {
          return { ...baseOf(found), findings: [broken(found, thrown)] };
        }
      }),
    );
  } finally {
    await runtime.close();
  }
}

function refused(found: FoundModule): Diagnosis {
  const one = refusal(found.module.name, found);
  return { ...baseOf(found), findings: one === undefined ? [] : [one] };
}

function baseOf({ module, origin }: FoundModule): Omit<Diagnosis, 'findings'> {
  return { name: module.name, from: origin.file, dialect: 'in-process' };
}

function broken({ module }: FoundModule, thrown: unknown): Finding {
  const error = toError(thrown);
  const isMissing = error instanceof PluglotError && error.code === 'REQUIREMENT_MISSING';
  return finding({
    code: isMissing ? 'requirement-missing' : 'module-broken',
    plugin: module.name,
    what: error.message,
    fix: isMissing ? 'Install what it needs, then look again.' : `Fix ${module.file}, or ask its author.`,
  });
}

async function problemsOfGate(options: GateFilesOptions): Promise<readonly Problem[]> {
  const trust = options.trust ?? userTrustStore(options);
  const settings = await gateSettings({ ...options, trust });
  const { problems } = await permissionsOf(settings, { ...options, trust });
  return [...settings.problems, ...problems];
}
