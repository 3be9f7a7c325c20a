// What the planner protocol demands of planners and executors.
import type { Check } from '../../check.ts';
import { plannerErrorChecks } from './errors.ts';
import { plannerIntroductionChecks } from './introduction.ts';
import { plannerPlanChecks } from './plans.ts';
import { plannerStreamChecks } from './streams.ts';
import { plannerTaskChecks } from './tasks.ts';
import { plannerValidationChecks } from './validation.ts';

export const plannerChecks: readonly Check[] = [
  ...plannerIntroductionChecks,
  ...plannerTaskChecks,
  ...plannerValidationChecks,
  ...plannerStreamChecks,
  ...plannerPlanChecks,
  ...plannerErrorChecks,
];
