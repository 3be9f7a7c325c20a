// The host's end of MCP. What it needs of the official client is loaded with the first server.
import type { PluginLimits, PluginSpec } from '../../definition/plugin-spec.ts';
import type { DialectTraits, HostDialect } from '../host-dialect.ts';
import { usualLimits } from '../usual-limits.ts';
import { keysIn } from './schema.ts';

const traits: DialectTraits = {
  limits: {
    ...usualLimits,
    // Servers that npx fetches first are slow to start.
    startMs: 30_000,
    callMs: 60_000,
    pingEveryMs: 30_000,
    pingMs: 10_000,
    shutdownMs: 2000,
  },
  concurrency: 64,
  timeoutKills: false,
  keysIn,
};

export const mcp: HostDialect = {
  name: 'mcp',
  traits,
  async connect(pipe, spec, services) {
    const [{ pipeLine }, { openEnd }] = await Promise.all([import('./pipe-line.ts'), import('./end.ts')]);
    const limits = limitsOf(spec);
    const line = pipeLine(pipe, { pluginName: spec.name, messageBytes: limits.messageBytes }, services);
    return openEnd(line, spec, limits, services);
  },
  async reach(remote, spec, services) {
    const [{ httpLine }, { openEnd }] = await Promise.all([import('./http-line.ts'), import('./end.ts')]);
    const limits = limitsOf(spec);
    const line = httpLine(remote, { pluginName: spec.name, messageBytes: limits.messageBytes }, services);
    return openEnd(line, spec, limits, services);
  },
};

function limitsOf({ limits }: PluginSpec): Required<PluginLimits> {
  return { ...traits.limits, ...limits };
}
