// What the page shows of a plugin, derived from the host's data.
import { isJsonObject } from '../../../../../base/json.ts';
import type { PluginDetails, PluginView } from '../../api/types.ts';
import { counted } from '../../lib/format.ts';

/** How long it has been in its state; undefined where that is not known. */
export function stateAge({ sinceMs }: PluginView, now: number): number | undefined {
  return sinceMs === 0 ? undefined : Math.max(0, now - sinceMs);
}

export function isRunning({ state }: PluginView): boolean {
  return !['stopped', 'failed', 'stopping', 'disabled'].includes(state);
}

export function displayState({ state, untrusted }: PluginView): string {
  return untrusted === undefined ? state : 'untrusted';
}

/** Why it does not work. A stopped plugin has no problem. */
export function problemOf({ state, reason }: PluginView): string | undefined {
  return ['ready', 'busy', 'stopping', 'stopped'].includes(state) ? undefined : reason;
}

/** The command in a hint: the whole text, or the part in backticks. */
export function commandInHint(text: string): string | undefined {
  return /`(pluglot [^`]{1,300})`/.exec(text)?.[1] ?? /^pluglot [^\n]{1,300}$/.exec(text.trim())?.[0];
}

const ranks: Readonly<Record<string, number>> = {
  failed: 0,
  unhealthy: 1,
  backoff: 2,
  untrusted: 3,
  stopped: 6,
  disabled: 7,
};
const OWN = 4;
const BUILT_IN = 5;

/** Problems first, then the user's plugins, then the built-in ones. */
export function byUrgency(plugins: readonly PluginView[]): PluginView[] {
  const rank = (plugin: PluginView) =>
    ranks[displayState(plugin)] ?? (plugin.origin === 'built-in' ? BUILT_IN : OWN);
  return plugins.toSorted((one, other) => rank(one) - rank(other));
}

/** The order of the list while it is shown: a change of state moves no row, and new plugins come last. */
export class StableOrder {
  readonly #places = new Map<string, number>();

  of(plugins: readonly PluginView[]): PluginView[] {
    for (const { name } of byUrgency(plugins))
      if (!this.#places.has(name)) this.#places.set(name, this.#places.size);
    return plugins.toSorted((one, other) => this.#placeOf(one) - this.#placeOf(other));
  }

  #placeOf({ name }: PluginView): number {
    return this.#places.get(name) ?? 0;
  }
}

export interface AboutFact {
  readonly label: string;
  readonly value: string;
  /** A path or a command, with a copy button. */
  readonly isCode?: boolean;
}

const origins: Readonly<Record<PluginDetails['origin'], string>> = {
  process: 'in its own process',
  'in-process': 'in the host process',
  'built-in': 'in the host process (built in)',
};

export function aboutFacts(detail: PluginDetails): AboutFact[] {
  const { manifest, health, pids } = detail;
  const facts: (AboutFact | undefined)[] = [
    fact('Description', detail.description ?? manifest?.description),
    fact('Version', detail.version ?? manifest?.version),
    fact('Author', manifest?.author),
    fact('Dialect', [detail.dialect, manifest?.protocolVersion].filter(Boolean).join(' ')),
    fact('Runs', origins[detail.origin]),
    fact('Sandbox', sandboxOf(detail)),
    fact('Command', detail.command === 'built in' ? undefined : detail.command, true),
    fact('Found in', detail.from, true),
    fact('Processes', pids.join(', ')),
    fact('Health', [health.status, health.message].filter(Boolean).join(': ')),
    fact('Offers', offersOf(detail)),
    fact(
      'Interfaces',
      manifest?.interfaces?.map(({ id, version = '' }) => `${id} ${version}`.trim()).join(', '),
    ),
    fact('Capabilities', capabilitiesOf(detail)),
    fact('Needs', manifest?.requires?.map(({ command }) => command).join(', ')),
    fact('Starts', detail.lazy === true ? 'when first used' : undefined),
  ];
  return facts.filter((one) => one !== undefined);
}

function fact(label: string, value: string | undefined, isCode = false): AboutFact | undefined {
  return value === undefined || value === '' ? undefined : { label, value, ...(isCode && { isCode }) };
}

function sandboxOf({ sandbox }: PluginDetails): string | undefined {
  if (sandbox === undefined) return undefined;
  const folders = Object.entries(sandbox.folders).map(([folder, access]) => `${folder} (${access})`);
  return [sandbox.network ? 'network' : 'no network', ...folders].join(', ');
}

function offersOf({ tools, commands, talks }: PluginDetails): string {
  return [
    counted(tools.length, 'tool'),
    ...(commands.length === 0 ? [] : [counted(commands.length, 'command')]),
    ...(talks === true ? ['conversations'] : []),
  ].join(', ');
}

/** Names alone; the values are in the JSON. */
function capabilitiesOf({ manifest }: PluginDetails): string | undefined {
  const capabilities = manifest?.capabilities;
  if (Array.isArray(capabilities)) return capabilities.filter((one) => typeof one === 'string').join(', ');
  if (!isJsonObject(capabilities)) return undefined;
  return Object.keys(capabilities)
    .filter((name) => capabilities[name] !== false && capabilities[name] !== null)
    .join(', ');
}
