// What is known of a plugin, as lines of a table.
import { isJsonObject } from '../../../../../base/json.ts';
import type { PluginDetails } from '../../api/types.ts';
import { counted } from '../../lib/format.ts';

export interface AboutFact {
  readonly label: string;
  readonly value: string;
  /** A path or a command: to be copied. */
  readonly isCode?: boolean;
}

const origins: Readonly<Record<PluginDetails['origin'], string>> = {
  process: 'in a process of its own',
  'in-process': 'inside of the host',
  'built-in': 'comes with the host, and runs inside of it',
};

export function aboutFacts(detail: PluginDetails): AboutFact[] {
  const { manifest, health, pids } = detail;
  const facts: (AboutFact | undefined)[] = [
    fact('Description', detail.description ?? manifest?.description),
    fact('Version', detail.version ?? manifest?.version),
    fact('Author', manifest?.author),
    fact('Dialect', [detail.dialect, manifest?.protocolVersion].filter(Boolean).join(' ')),
    fact('Runs', origins[detail.origin]),
    fact('Confined', confinementOf(detail)),
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
    fact('Started', detail.lazy === true ? 'when it is first used' : undefined),
  ];
  return facts.filter((one) => one !== undefined);
}

function fact(label: string, value: string | undefined, isCode = false): AboutFact | undefined {
  return value === undefined || value === '' ? undefined : { label, value, ...(isCode && { isCode }) };
}

function confinementOf({ sandbox }: PluginDetails): string | undefined {
  if (sandbox === undefined) return undefined;
  const folders = Object.entries(sandbox.folders).map(([folder, access]) => `${folder} (${access})`);
  return [sandbox.network ? 'with network' : 'no network', ...folders].join(', ');
}

function offersOf({ tools, commands, talks }: PluginDetails): string {
  return [
    counted(tools.length, 'tool'),
    ...(commands.length === 0 ? [] : [counted(commands.length, 'command')]),
    ...(talks === true ? ['conversations'] : []),
  ].join(', ');
}

/** Names of what it says it can; the rest is in the JSON. */
function capabilitiesOf({ manifest }: PluginDetails): string | undefined {
  const told = manifest?.capabilities;
  if (Array.isArray(told)) return told.filter((one) => typeof one === 'string').join(', ');
  if (!isJsonObject(told)) return undefined;
  return Object.keys(told)
    .filter((name) => told[name] !== false && told[name] !== null)
    .join(', ');
}
