// The host ends by name. Each is loaded when a plugin needs it.
import type { DialectName } from '../definition/plugin-spec.ts';
import type { HostDialect } from './host-dialect.ts';

export const hostDialects: Readonly<Partial<Record<DialectName, () => Promise<HostDialect>>>> = {
  yams: async () => (await import('./yams/host.ts')).yams,
  gevals: async () => (await import('./gevals/host.ts')).gevals,
  gassist: async () => (await import('./gassist/host.ts')).gassist,
  mcp: async () => (await import('./mcp/host.ts')).mcp,
  planner: async () => (await import('./planner/host.ts')).planner,
};
