// Whoever is told what becomes of plans.
import { randomUUID } from 'node:crypto';
import {
  progressOf,
  type FinalPlanStatus,
  type NextStepStatus,
  type Plan,
  type Progress,
  type Step,
} from '../plan.ts';

export type EventType =
  | 'plan_created'
  | 'plan_started'
  | 'step_added'
  | `step_${NextStepStatus}`
  | `plan_${FinalPlanStatus}`;

export interface PlanEvent {
  readonly event_id: string;
  readonly timestamp: string;
  readonly event_type: EventType;
  readonly plan_id: string;
  readonly plan_title: string;
  readonly step: Step | null;
  readonly progress: Progress;
}

export interface Reporter {
  /** At once: whatever takes time or fails is the reporter's own trouble. Never throws. */
  report(event: PlanEvent, plan: Plan): void;
  /** Resolves when all is told, or after a few seconds. Never rejects. */
  close(): Promise<void>;
}

export function planEvent(type: EventType, plan: Plan, step: Step | null, now: Date): PlanEvent {
  return {
    event_id: randomUUID(),
    timestamp: now.toISOString(),
    event_type: type,
    plan_id: plan.plan_id,
    plan_title: plan.title,
    step,
    progress: progressOf(plan),
  };
}
