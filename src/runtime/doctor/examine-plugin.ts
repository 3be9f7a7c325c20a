// One plugin, started as the fleet starts it, and asked all that can be asked without calling a tool.
import type { Clock } from '../../base/clock.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { Health, Manifest } from '../../definition/manifest.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import type { Plugin } from '../../fleet/plugin/plugin.ts';
import { finding, type Finding } from './finding.ts';
import { schemaFindings } from './schema-findings.ts';
import { startFailure } from './start-failure.ts';

export interface Examined {
  readonly findings: readonly Finding[];
  readonly manifest?: Manifest;
  readonly health?: Health;
  /** Until it had introduced itself. */
  readonly startMs?: number;
}

export interface ExamineParts {
  readonly clock: Clock;
  /** Whether a program is in the PATH that the plugin gets. */
  readonly hasCommand: (spec: PluginSpec, command: string) => boolean;
}

/** Never rejects; the plugin is stopped when it resolves. */
export async function examinePlugin(plugin: Plugin, { clock, hasCommand }: ExamineParts): Promise<Examined> {
  const { spec } = plugin;
  const begun = clock.now();
  try {
    const manifest = await plugin.start();
    const startMs = clock.now() - begun;
    const health = await plugin.health();
    return {
      manifest,
      health,
      startMs,
      findings: [
        ...healthFindings(spec, health),
        ...requirementFindings(spec, manifest, hasCommand),
        ...noiseFindings(plugin),
        ...slowFindings(spec, startMs),
        ...schemaFindings(spec.name, plugin.tools()),
      ],
    };
  } catch (thrown) {
    return { findings: [startFailure(spec, thrown), ...noiseFindings(plugin)] };
  } finally {
    await plugin.stop();
  }
}

function healthFindings({ name }: PluginSpec, { status, message }: Health): Finding[] {
  if (status === 'ok') return [];
  const what = message ?? `It says of itself: ${status}.`;
  const code = status === 'error' ? 'unhealthy' : 'degraded';
  return [
    finding({
      code,
      plugin: name,
      what,
      fix: 'See all that it tells of its health.',
      command: `pluglot inspect ${shellWord(name)}`,
    }),
  ];
}

function requirementFindings(
  spec: PluginSpec,
  { requires = [] }: Manifest,
  hasCommand: ExamineParts['hasCommand'],
): Finding[] {
  if (spec.start.kind !== 'program') return [];
  return requires
    .filter(({ command }) => !hasCommand(spec, command))
    .slice(0, LISTED_MAX)
    .map(({ command }) =>
      finding({
        code: 'requirement-missing',
        plugin: spec.name,
        what: `It needs the program ${JSON.stringify(command.slice(0, 100))}, which is not in its PATH.`,
        fix: 'Install it, or put its folder into the PATH of the plugin ("env").',
      }),
    );
}

const LISTED_MAX = 20;

function noiseFindings({ name, logs }: Plugin): Finding[] {
  const noise = logs.entries.filter(({ source, message }) => source === 'stdout' && message.trim() !== '');
  const [first] = noise;
  if (first === undefined) return [];
  const times = noise.length === 1 ? 'once' : `${noise.length} times`;
  return [
    finding({
      code: 'stdout-noise',
      plugin: name,
      what: `It prints to stdout what is no message (${times}): ${JSON.stringify(first.message.trim().slice(0, 200))}`,
      fix: 'Print to stderr instead: console.error in JavaScript, print(…, file=sys.stderr) in Python.',
    }),
  ];
}

/** Hosts give up after ten. */
const SLOW_MS = 5000;

function slowFindings(spec: PluginSpec, startMs: number): Finding[] {
  // What it speaks is asked at the same time: with that told, it starts once.
  if (startMs < SLOW_MS || spec.start.kind !== 'program') return [];
  const seconds = (startMs / 1000).toFixed(1);
  return [
    finding({
      code: 'slow-start',
      plugin: spec.name,
      what: `It took ${seconds} s to introduce itself.`,
      fix:
        spec.dialect === undefined
          ? 'Name its "dialect" in the configuration: then it need not be asked in all of them.'
          : 'Let it load what it needs after it has introduced itself.',
    }),
  ];
}
