// All checks of a dialect: what its specification demands, then what every plugin has to survive.
import type { DialectName } from '../definition/plugin-spec.ts';
import type { Check } from './check.ts';
import { requirementChecks } from './dialects/index.ts';
import { faultChecks } from './faults/index.ts';

export function checksOf(dialect: DialectName): readonly Check[] {
  return [...requirementChecks[dialect], ...faultChecks(dialect)];
}
