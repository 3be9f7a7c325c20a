// One plugin, started as the fleet starts it, and asked all that can be asked without calling a tool.
import type { Clock } from '../../base/clock.ts';
import { PluglotError, toError, type ErrorCode } from '../../base/error.ts';
import { shellWord } from '../../base/text.ts';
import type { Health, Manifest } from '../../definition/manifest.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import type { Tool } from '../../definition/tool.ts';
import { maskedEntry } from '../../fleet/discovery/secrets.ts';
import type { Plugin } from '../../fleet/plugin/plugin.ts';
import { providers, type Provider } from '../../model/schemas/declare.ts';
import { toolsFor } from '../../model/schemas/tools-for.ts';
import { finding, type Finding, type FindingCode } from './finding.ts';

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
      what: `It prints text that is not a message to stdout (${times}): ${JSON.stringify(first.message.trim().slice(0, 200))}`,
      fix: 'Print to stderr instead: console.error in JavaScript, print(…, file=sys.stderr) in Python.',
    }),
  ];
}

/** Hosts give up after ten. */
const SLOW_MS = 5000;

function slowFindings(spec: PluginSpec, startMs: number): Finding[] {
  // Its dialect is detected at the same time: with that known, it starts once.
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

export function startFailure(spec: PluginSpec, thrown: unknown): Finding {
  const error = toError(thrown);
  const code = error instanceof PluglotError ? error.code : 'INTERNAL';
  const isServer = spec.start.kind === 'http';
  const found = (isServer ? ofServers[code] : undefined) ?? byCode[code] ?? 'start-refused';
  const stderr = error instanceof PluglotError ? error.stderr : undefined;
  return finding({
    code: found,
    plugin: spec.name,
    what: error.message,
    ...wayOut(found, spec),
    ...(stderr !== undefined && { stderr }),
  });
}

const byCode: Readonly<Partial<Record<ErrorCode, FindingCode>>> = {
  NOT_TRUSTED: 'not-trusted',
  PROGRAM_NOT_FOUND: 'program-missing',
  CONFIG_INVALID: 'value-missing',
  PLUGIN_EXITED: 'exits-at-start',
  PIPE_ENDED: 'exits-at-start',
  CRASH_LOOP: 'exits-at-start',
  START_TIMEOUT: 'start-timeout',
  DIALECT_UNKNOWN: 'dialect-unknown',
  INVALID_RESPONSE: 'handshake-broken',
  PROTOCOL_VIOLATION: 'handshake-broken',
  UNSUPPORTED_PROTOCOL: 'handshake-broken',
  MESSAGE_REFUSED: 'handshake-broken',
  FRAME_TOO_LARGE: 'handshake-broken',
  REQUIREMENT_MISSING: 'requirement-missing',
  UNAUTHENTICATED: 'login-needed',
};

const ofServers: Readonly<Partial<Record<ErrorCode, FindingCode>>> = {
  PLUGIN_EXITED: 'server-unreachable',
  PIPE_ENDED: 'server-unreachable',
  START_FAILED: 'server-unreachable',
  UNAVAILABLE: 'server-unreachable',
  START_TIMEOUT: 'server-unreachable',
};

function wayOut(code: FindingCode, spec: PluginSpec): Pick<Finding, 'fix' | 'command'> {
  const name = shellWord(spec.name);
  const asTyped = commandOf(spec);
  const run = asTyped === undefined ? {} : { command: asTyped };
  switch (code) {
    case 'program-missing':
      return { fix: 'Install the program, or correct its "command" in the configuration.' };
    case 'value-missing':
      return { fix: 'Set what is missing, then look again.', command: `pluglot doctor ${name}` };
    case 'exits-at-start':
      return { fix: 'Run it by hand, and fix what it reports.', ...run };
    case 'start-timeout':
      return { fix: 'If it only needs longer, raise limits.startMs; else run it by hand.', ...run };
    case 'dialect-unknown':
      return { fix: 'Name its "dialect" in the configuration; if it is not a plugin, remove it.' };
    case 'handshake-broken':
      return {
        fix: 'See what it says, and what its protocol asks for.',
        ...(asTyped !== undefined && { command: `pluglot check -- ${asTyped}` }),
      };
    case 'server-unreachable':
      return { fix: 'Start the server, or correct its "url" in the configuration.' };
    case 'login-needed':
      return { fix: 'Let it in once, in the browser.', command: `pluglot inspect ${name}` };
    default:
      return { fix: 'See all that it says.', command: `pluglot inspect -vv ${name}` };
  }
}

/** As it would be typed; what looks like a secret is masked. */
function commandOf({ start }: PluginSpec): string | undefined {
  if (start.kind !== 'program') return undefined;
  const [program = '', ...args] = start.shown ?? [start.command, ...(start.args ?? [])];
  // Options need no quotes, and are easier to read without.
  const word = (text: string) => (/^--?[\w=./-]*$/.test(text) ? text : shellWord(text));
  return [program, ...(maskedEntry({ args }).args ?? [])].map(word).join(' ');
}

/** One finding for each tool and kind, whatever providers have it in common. */
export function schemaFindings(plugin: string, tools: readonly Tool[]): Finding[] {
  const refused = new Reasons();
  const changed = new Reasons();
  for (const provider of Object.keys(providers) as Provider[]) {
    const { title } = providers[provider];
    const { quarantined, repairs } = toolsFor(provider, tools);
    for (const { tool, reason } of quarantined) refused.add(tool, reason, title);
    for (const { tool, what, why, effect, where } of repairs)
      if (effect === 'narrower' || effect === 'both')
        changed.add(tool, `${where === '' ? '' : `${where}: `}${what}, since ${why}`, title);
  }
  return [
    ...refused.list().map(({ tool, words }) =>
      finding({
        code: 'schema-refused',
        plugin,
        what: `Tool ${quoted(tool)} is left out: ${words}.`,
        fix: 'Change its input schema or its name; docs/tool-schemas.md says what each provider takes.',
      }),
    ),
    ...changed.list().map(({ tool, words }) =>
      finding({
        code: 'schema-changed',
        plugin,
        what: `Tool ${quoted(tool)} is declared otherwise: ${words}.`,
        fix: 'Nothing has to be done; a simpler schema would be the same everywhere.',
      }),
    ),
  ];
}

/** By tool and reason, the sources of the reason. */
class Reasons {
  readonly #byTool = new Map<string, Map<string, string[]>>();

  add(tool: string, reason: string, who: string): void {
    const reasons = this.#byTool.get(tool) ?? new Map<string, string[]>();
    this.#byTool.set(tool, reasons);
    const all = reasons.get(reason);
    if (all === undefined) reasons.set(reason, [who]);
    else if (!all.includes(who)) all.push(who);
  }

  list(): { readonly tool: string; readonly words: string }[] {
    return [...this.#byTool].slice(0, TOOLS_MAX).map(([tool, reasons]) => {
      const words = [...reasons].slice(0, REASONS_MAX).map(([reason, who]) => `${who.join(', ')}: ${reason}`);
      const more = reasons.size > REASONS_MAX ? [`and ${reasons.size - REASONS_MAX} more`] : [];
      return { tool, words: [...words, ...more].join('; ') };
    });
  }
}

const TOOLS_MAX = 50;
const REASONS_MAX = 3;

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}
