// What discovery has found, as the registry can use it.
import type { PluglotError } from '../../base/error.ts';
import type { Discovery, Found } from '../discovery/discover.ts';
import type { Problem } from '../discovery/problem.ts';
import { refusalOf } from '../discovery/refusal.ts';
import type { Fleet } from '../fleet.ts';
import type { InProcessHost } from './in-process-host.ts';
import type { PluginSource } from './live-plugin.ts';
import type { LoadModule } from './load-module.ts';
import { moduleSource, processSource } from './plugin-sources.ts';

export interface Findings {
  /** By name, in the order in which they were found. */
  readonly sources: ReadonlyMap<string, { readonly source: PluginSource; readonly file: string }>;
  /** Why others may not be used. */
  readonly blocked: ReadonlyMap<string, PluglotError>;
  readonly problems: readonly Problem[];
}

export interface FindingParts {
  readonly fleet: Fleet;
  readonly host: InProcessHost;
  readonly load: LoadModule;
}

export function findingsOf(discovery: Discovery, { fleet, host, load }: FindingParts): Findings {
  const { checkAgain } = discovery;
  const sources = new Map<string, { source: PluginSource; file: string }>();
  const blocked = new Map<string, PluglotError>();
  const problems: Problem[] = [...discovery.problems];
  const take = (name: string, found: Omit<Found, 'spec'>, source: () => PluginSource) => {
    const { origin, trust, disabled } = found;
    const refusal = refusalOf(`Plugin "${name}"`, found);
    if (refusal === undefined) sources.set(name, { source: source(), file: origin.file });
    else blocked.set(name, refusal);
    // That it is switched off is what somebody wanted.
    if (disabled !== undefined || trust.trusted) return;
    const { reason, wayOut } = trust;
    const line = origin.line === undefined ? {} : { line: origin.line };
    problems.push({
      file: origin.file,
      ...line,
      severity: 'error',
      reason: `plugin "${name}" may not be run: ${reason}`,
      wayOut,
      plugin: name,
    });
  };
  const plugins = new Map(discovery.plugins.map((found) => [found.spec.name, found]));
  const modules = new Map(discovery.modules.map((found) => [found.module.name, found]));
  for (const name of discovery.names) {
    const plugin = plugins.get(name);
    if (plugin !== undefined) take(name, plugin, () => processSource(plugin, fleet, checkAgain));
    const module = modules.get(name);
    if (module !== undefined) take(name, module, () => moduleSource(module, { host, load, checkAgain }));
  }
  return { sources, blocked, problems };
}
