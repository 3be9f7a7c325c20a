// The examples of the planner protocol, as they stand in its specification, and what they are in neutral words.

export const taskParams = {
  task_type: 'code_generation',
  prompt: 'Detailed task description',
  context: {
    files: ['file1.js', 'file2.js'],
    current_directory: '/project/src',
    dependencies: ['react', 'typescript'],
    constraints: [],
  },
  options: { language: 'javascript', framework: 'react', style_guide: 'airbnb' },
};

export const taskRequest = {
  type: 'code_generation',
  prompt: 'Detailed task description',
  context: {
    files: ['file1.js', 'file2.js'],
    currentDirectory: '/project/src',
    dependencies: ['react', 'typescript'],
    constraints: [],
  },
  options: { language: 'javascript', framework: 'react', styleGuide: 'airbnb' },
};

export const taskResult = {
  status: 'success',
  output: {
    code: 'generated code here',
    explanation: 'What was done and why',
    files_modified: [],
    files_created: [],
  },
  metadata: { execution_time_ms: 1234, tokens_used: 5678, model: 'gemini-2.5-pro' },
};

export const planParams = {
  user_request: 'Original user request',
  current_state: { completed_tasks: [], pending_tasks: [], context: {} },
  constraints: { max_tasks: 10, time_limit_seconds: 300 },
};

export const planRequest = {
  userRequest: 'Original user request',
  currentState: { completedTasks: [], pendingTasks: [], context: {} },
  constraints: { maxTasks: 10, timeLimitSeconds: 300 },
};

const tasks = [
  {
    id: 'task_001',
    type: 'code_generation',
    description: 'Create React component',
    dependencies: [],
    priority: 1,
  },
];

export const planResult = {
  plan: { tasks, estimated_time_seconds: 120, explanation: 'Plan rationale' },
};

export const plan = { tasks, estimatedTimeSeconds: 120, explanation: 'Plan rationale' };

export const codeRequest = {
  code: 'code to validate',
  language: 'javascript',
  rules: ['no-unused-vars', 'no-console'],
};

/** The specification leaves the answer to validate_code open. */
export const verdict = {
  valid: false,
  findings: [
    { rule: 'no-console', line: 3, column: 1, severity: 'error', message: 'Unexpected console.', fix: '' },
  ],
};

export const contextUpdates = (['add', 'remove', 'modify'] as const).flatMap((action) =>
  (['file', 'dependency', 'state'] as const).map((type) => [action, type] as const),
);
