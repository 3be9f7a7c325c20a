// The host's side of MCP: a server on a pipe, or one that is reached over HTTP. What they need is loaded with the first of them.
import { lines } from '../../channel/frame/lines.ts';
import { framedLink } from '../../channel/link/framed-link.ts';
import { tolerant } from '../../channel/message/tolerances.ts';
import type { PluginLimits, PluginSpec } from '../../definition/plugin-spec.ts';
import { type DialectTraits, type HostDialect, defaultLimits } from '../host-dialect.ts';
import { keysIn } from './schema.ts';

const traits: DialectTraits = {
  limits: {
    ...defaultLimits,
    // Servers that npx fetches first are slow to start.
    startMs: 30_000,
    callMs: 60_000,
    pingEveryMs: 30_000,
    pingMs: 10_000,
    shutdownMs: 2000,
  },
  concurrency: 64,
  // `server/discover` goes first, and some servers exit at anything but `initialize`.
  mayNeedSecondStart: true,
  keysIn,
};

export const mcp: HostDialect = {
  name: 'mcp',
  traits,
  async connect(pipe, spec, services) {
    const { openEnd } = await import('./end.ts');
    const limits = limitsOf(spec);
    const link = framedLink(pipe, lines({ receiveLimit: limits.messageBytes }), { tolerances: tolerant });
    return openEnd({ link }, spec, limits, services);
  },
  async reach(remote, spec, services) {
    const [{ reachServer }, { openEnd }] = await Promise.all([import('./reach.ts'), import('./end.ts')]);
    const limits = limitsOf(spec);
    const options = { pluginName: spec.name, messageBytes: limits.messageBytes };
    return openEnd(reachServer(remote, options, services), spec, limits, services);
  },
};

function limitsOf({ limits }: PluginSpec): Required<PluginLimits> {
  return { ...traits.limits, ...limits };
}
