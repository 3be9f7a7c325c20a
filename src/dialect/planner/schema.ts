// The words of the planner protocol: its methods, and each object of it with every field.
import {
  taskTypes,
  type CodeRequest,
  type CodeVerdict,
  type ContextUpdate,
  type Finding,
  type Plan,
  type PlanConstraints,
  type PlanRequest,
  type PlanState,
  type PlanTask,
  type TaskContext,
  type TaskMetadata,
  type TaskOptions,
  type TaskRequest,
  type TaskResult,
} from '../../definition/plan.ts';
import type { Shape } from './shape.ts';

export const methods = {
  discover: 'rpc.discover',
  executeTask: 'execute_task',
  createPlan: 'create_plan',
  validateCode: 'validate_code',
  updateContext: 'update_context',
} as const;

export const streamMethods = {
  start: 'stream_start',
  data: 'stream_data',
  end: 'stream_end',
} as const;

export type Role = 'planner' | 'executor';

const taskContext: Shape<TaskContext> = {
  fields: {
    files: { wire: 'files', type: 'texts' },
    currentDirectory: { wire: 'current_directory', type: 'text' },
    dependencies: { wire: 'dependencies', type: 'texts' },
    constraints: { wire: 'constraints', type: 'list' },
    idempotencyKey: {
      wire: 'idempotency_key',
      type: 'text',
      description: 'The same for every attempt at one task.',
    },
  },
};

const taskOptions: Shape<TaskOptions> = {
  fields: {
    language: { wire: 'language', type: 'text' },
    framework: { wire: 'framework', type: 'text' },
    styleGuide: { wire: 'style_guide', type: 'text' },
  },
};

export const taskRequest: Shape<TaskRequest> = {
  fields: {
    type: {
      wire: 'task_type',
      type: 'text',
      required: true,
      description: `${taskTypes.join(', ')}, or another that the executor knows.`,
    },
    prompt: { wire: 'prompt', type: 'text', required: true, description: 'What is to be done.' },
    context: { wire: 'context', type: { shape: taskContext } },
    options: { wire: 'options', type: { shape: taskOptions } },
  },
};

/** Of a TaskResult the part that the wire calls `output`. */
type TaskOutput = Omit<TaskResult, 'status' | 'metadata'>;

export const taskOutput: Shape<TaskOutput> = {
  fields: {
    code: { wire: 'code', type: 'text' },
    explanation: { wire: 'explanation', type: 'text' },
    filesModified: { wire: 'files_modified', type: 'texts' },
    filesCreated: { wire: 'files_created', type: 'texts' },
  },
};

export const taskMetadata: Shape<TaskMetadata> = {
  fields: {
    executionTimeMs: { wire: 'execution_time_ms', type: 'number' },
    tokensUsed: { wire: 'tokens_used', type: 'number' },
    model: { wire: 'model', type: 'text' },
  },
};

const planState: Shape<PlanState> = {
  fields: {
    completedTasks: { wire: 'completed_tasks', type: 'list' },
    pendingTasks: { wire: 'pending_tasks', type: 'list' },
    context: { wire: 'context', type: 'object' },
  },
};

const planConstraints: Shape<PlanConstraints> = {
  fields: {
    maxTasks: { wire: 'max_tasks', type: 'number' },
    timeLimitSeconds: { wire: 'time_limit_seconds', type: 'number' },
  },
};

export const planRequest: Shape<PlanRequest> = {
  fields: {
    userRequest: { wire: 'user_request', type: 'text', required: true, description: 'What the user wants.' },
    currentState: { wire: 'current_state', type: { shape: planState } },
    constraints: { wire: 'constraints', type: { shape: planConstraints } },
  },
};

const planTask: Shape<PlanTask> = {
  fields: {
    id: { wire: 'id', type: 'text', required: true },
    type: { wire: 'type', type: 'text', required: true },
    description: { wire: 'description', type: 'text', required: true },
    dependencies: { wire: 'dependencies', type: 'texts' },
    priority: { wire: 'priority', type: 'number' },
    estimatedTimeSeconds: { wire: 'estimated_time_seconds', type: 'number' },
    explanation: { wire: 'explanation', type: 'text' },
  },
};

export const plan: Shape<Plan> = {
  fields: {
    tasks: { wire: 'tasks', type: { listOf: planTask }, required: true },
    estimatedTimeSeconds: { wire: 'estimated_time_seconds', type: 'number' },
    explanation: { wire: 'explanation', type: 'text' },
  },
};

export const codeRequest: Shape<CodeRequest> = {
  fields: {
    code: { wire: 'code', type: 'text', required: true },
    language: { wire: 'language', type: 'text' },
    rules: { wire: 'rules', type: 'texts', description: 'Names of rules, such as no-unused-vars.' },
  },
};

const finding: Shape<Finding> = {
  fields: {
    rule: { wire: 'rule', type: 'text', required: true },
    line: { wire: 'line', type: 'number' },
    column: { wire: 'column', type: 'number' },
    severity: { wire: 'severity', type: { oneOf: ['error', 'warning', 'info'] }, required: true },
    message: { wire: 'message', type: 'text', required: true },
    fix: { wire: 'fix', type: 'text' },
  },
};

export const codeVerdict: Shape<CodeVerdict> = {
  fields: {
    valid: { wire: 'valid', type: 'flag', required: true },
    findings: { wire: 'findings', type: { listOf: finding }, required: true },
  },
};

export const contextUpdate: Shape<ContextUpdate> = {
  fields: {
    action: { wire: 'action', type: { oneOf: ['add', 'remove', 'modify'] }, required: true },
    type: { wire: 'context_type', type: { oneOf: ['file', 'dependency', 'state'] }, required: true },
    data: { wire: 'data', type: 'object', required: true },
  },
};
