// First stage: the name is that of something exposed.
import type { CallSource, ResolvedCommand, ResolvedTool } from '../../fleet/registry/resolved.ts';
import { Denial } from '../denial.ts';

export type Target = ResolvedTool | ResolvedCommand;

export function find(source: CallSource, kind: 'tool' | 'command', name: string): Target | Denial {
  const target = kind === 'tool' ? source.resolveTool(name) : source.resolveCommand(name);
  if (target !== undefined) return target;
  const { code, message } = source.whyNot(name, kind);
  return new Denial('unknown', { code, message });
}
