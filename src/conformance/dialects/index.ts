// What the specifications demand of plugins, as checks: a folder for each dialect.
import type { DialectName } from '../../definition/plugin-spec.ts';
import type { Check } from '../check.ts';
import { gassistChecks } from './gassist/index.ts';
import { gevalsChecks } from './gevals/index.ts';
import { mcpChecks } from './mcp/index.ts';
import { plannerChecks } from './planner/index.ts';
import { yamsChecks } from './yams/index.ts';

export const requirementChecks: Readonly<Record<DialectName, readonly Check[]>> = {
  gassist: gassistChecks,
  gevals: gevalsChecks,
  mcp: mcpChecks,
  planner: plannerChecks,
  yams: yamsChecks,
};
