// What the tools take. How long and how many is told by the transitions, in words that help.
import { STEPS_MAX } from './texts.ts';

export const inputs = {
  createPlan: {
    type: 'object',
    properties: {
      title: { type: 'string', description: 'What the plan is for, in a few words.' },
      steps: {
        type: 'array',
        items: { type: 'string' },
        description: `What is to be done, in order, one concrete action each; 1 to ${STEPS_MAX} of them.`,
      },
    },
    required: ['title', 'steps'],
    additionalProperties: false,
  },
  startPlan: {
    type: 'object',
    properties: { message: { type: 'string', description: 'Why this plan, for the user who decides.' } },
    additionalProperties: false,
  },
  updateStep: {
    type: 'object',
    properties: {
      step_id: { type: 'string', description: 'From the answer of createPlan, addStep or getPlanStatus.' },
      status: { enum: ['in_progress', 'completed', 'failed', 'skipped'] },
      result: { type: 'string', description: 'What came of it.' },
      error: { type: 'string', description: 'What went wrong, for a step that failed.' },
    },
    required: ['step_id', 'status'],
    additionalProperties: false,
  },
  getPlanStatus: {
    type: 'object',
    properties: {
      plan_id: { type: 'string', description: 'default: the current plan, else the one that was ended last' },
    },
    additionalProperties: false,
  },
  completePlan: {
    type: 'object',
    properties: {
      status: { enum: ['completed', 'failed', 'cancelled'] },
      summary: { type: 'string', description: 'How it went.' },
    },
    required: ['status'],
    additionalProperties: false,
  },
  addStep: {
    type: 'object',
    properties: {
      description: { type: 'string', description: 'What is to be done.' },
      after_step_id: {
        type: 'string',
        description: 'The step it comes after; the last one when it is left out.',
      },
    },
    required: ['description'],
    additionalProperties: false,
  },
} as const;
