// Which changed settings of the gate a running host cannot follow: its places are those it was started with.
import { isDeepStrictEqual } from 'node:util';
import type { Problem } from '../fleet/discovery/problem.ts';
import type { GateSettings } from './gate-settings.ts';

const fixed = {
  audit: 'audit',
  builtIns: 'builtIns',
  autoApprove: 'autoApprove',
} as const satisfies Partial<Record<keyof GateSettings, string>>;

export function needsNewStart(before: GateSettings, after: GateSettings): Problem[] {
  const changed = Object.entries(fixed).filter(
    ([key]) => !isDeepStrictEqual(before[key as keyof typeof fixed], after[key as keyof typeof fixed]),
  );
  if (changed.length === 0) return [];
  return [
    {
      file: 'pluglot.json',
      severity: 'warning',
      reason: `gate (${changed.map(([, key]) => key).join(', ')}): it is another now`,
      wayOut: 'That counts from the next start of the host.',
    },
  ];
}
