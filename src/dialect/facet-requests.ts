// The requests that extractors, planners and executors take. The planner protocol sends them with the wire names of the tables;
// as arguments of tools they have our own names.
import type { JsonObject } from '../base/json.ts';
import {
  taskTypes,
  type CodeRequest,
  type PlanConstraints,
  type PlanRequest,
  type PlanState,
  type TaskContext,
  type TaskOptions,
  type TaskRequest,
} from '../definition/plan.ts';
import { shape } from './shape.ts';

const taskContext = shape<TaskContext>({
  files: { type: 'texts', description: 'Files that matter' },
  currentDirectory: { wire: 'current_directory', type: 'text', description: 'The folder to work in' },
  dependencies: { type: 'texts', description: 'Ids of the tasks that were done before' },
  constraints: { type: 'list', description: 'Conditions that the result has to meet' },
  idempotencyKey: {
    wire: 'idempotency_key',
    type: 'text',
    description: 'The same for every attempt at one task',
  },
  more: 'rest',
});

const taskOptions = shape<TaskOptions>({
  language: { type: 'text', description: 'The language of the code' },
  framework: { type: 'text', description: 'The framework of the code' },
  styleGuide: { wire: 'style_guide', type: 'text', description: 'The style of the code' },
  more: 'rest',
});

export const taskRequest = shape<TaskRequest>({
  type: {
    wire: 'task_type',
    type: 'text',
    required: true,
    description: `The kind of task: ${taskTypes.join(', ')}, or another that the executor knows`,
  },
  prompt: { type: 'text', required: true, description: 'What to do' },
  context: { type: { shape: taskContext }, description: 'Files, folder and conditions of the task' },
  options: { type: { shape: taskOptions }, description: 'How to do it' },
  more: 'rest',
});

const planState = shape<PlanState>({
  completedTasks: { wire: 'completed_tasks', type: 'list', description: 'Tasks that are done' },
  pendingTasks: { wire: 'pending_tasks', type: 'list', description: 'Tasks that are not done' },
  context: { type: 'object', description: 'Anything else' },
  more: 'rest',
});

const planConstraints = shape<PlanConstraints>({
  maxTasks: { wire: 'max_tasks', type: 'number' },
  timeLimitSeconds: { wire: 'time_limit_seconds', type: 'number' },
  more: 'rest',
});

export const planRequest = shape<PlanRequest>({
  userRequest: { wire: 'user_request', type: 'text', required: true, description: 'What the user wants' },
  currentState: { wire: 'current_state', type: { shape: planState }, description: 'The state of the work' },
  constraints: { type: { shape: planConstraints }, description: 'Limits of the plan' },
  more: 'rest',
});

export const codeRequest = shape<CodeRequest>({
  code: { type: 'text', required: true, description: 'The code' },
  language: { type: 'text', description: 'Its language' },
  rules: { type: 'texts', description: 'Names of rules to check, such as no-unused-vars' },
  more: 'rest',
});

/** What the tool `extract` takes. */
interface ExtractArguments {
  readonly path: string;
  readonly content?: string;
  readonly mimeType?: string;
  readonly extension?: string;
  readonly options?: JsonObject;
}

export const extractRequest = shape<ExtractArguments>({
  path: { type: 'text', required: true, description: 'The file; only its name where content is given' },
  content: { type: 'text', description: 'The bytes of the file, as base64' },
  mimeType: { type: 'text', description: 'Its MIME type' },
  extension: { type: 'text', description: 'Its extension, with the dot' },
  options: { type: 'object', description: 'Options of the extractor' },
});
