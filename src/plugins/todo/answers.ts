// What the tools answer with.
import type { JsonObject } from '../../base/json.ts';
import { currentStep, progressOf, type Plan, type Step } from './plan.ts';
import type { StepChange } from './transitions.ts';

export function createdAnswer(plan: Plan): JsonObject {
  return {
    plan_id: plan.plan_id,
    title: plan.title,
    status: plan.status,
    steps: plan.steps.map(({ step_id, sequence, description, status }) => ({
      step_id,
      sequence,
      description,
      status,
    })),
    progress: { ...progressOf(plan) },
  };
}

export function startedAnswer(plan: Plan, message: string | null): JsonObject {
  return {
    approved: true,
    plan_id: plan.plan_id,
    title: plan.title,
    message: message ?? 'Plan approved by user. You may proceed with execution.',
    steps: plan.steps.map(({ step_id, sequence, description }) => ({ step_id, sequence, description })),
  };
}

export function updatedAnswer({ plan, step }: StepChange): JsonObject {
  const { step_id, sequence, description, status, result, error } = step;
  return { step_id, sequence, description, status, result, error, progress: { ...progressOf(plan) } };
}

export function addedAnswer({ plan, step }: StepChange): JsonObject {
  const { step_id, sequence, description, status } = step;
  return {
    step_id,
    sequence,
    description,
    status,
    total_steps: plan.steps.length,
    progress: { ...progressOf(plan) },
  };
}

export function completedAnswer(plan: Plan): JsonObject {
  const { plan_id, title, status, completed_at, summary } = plan;
  return { plan_id, title, status, completed_at, summary, progress: { ...progressOf(plan) } };
}

export function statusAnswer(plan: Plan, isCurrent: boolean): JsonObject {
  const { plan_id, title, status, started, created_at, started_at, completed_at, summary } = plan;
  return {
    plan_id,
    title,
    status,
    started,
    is_current: isCurrent,
    created_at,
    started_at,
    completed_at,
    summary,
    current_step: currentStep(plan),
    steps: plan.steps.map((step: Step) => ({ ...step })),
    progress: { ...progressOf(plan) },
  };
}
