// A plugin on the SDK that plans, does tasks and checks code, and has a tool beside that.
import { definePlugin, executor, fail, planner, serve } from 'pluglot/sdk';

serve(
  definePlugin({
    name: 'plans',
    version: '1.0.0',
    description: 'Plans and does',
    tools: {
      shout: {
        description: 'Shouts',
        input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        handler: ({ text }) => text.toUpperCase(),
      },
    },
    planner: planner({
      createPlan: ({ userRequest }) => ({
        tasks: [
          { id: 'task_001', type: 'analysis', description: userRequest, dependencies: [], priority: 1 },
        ],
        estimatedTimeSeconds: 1,
        explanation: 'One task.',
      }),
    }),
    executor: executor({
      executeTask({ prompt, options }, context) {
        if (prompt === 'fail') fail({ code: 'UNAVAILABLE', message: 'No model.', suggestions: ['Wait.'] });
        context.stream('working ');
        return { code: `${prompt} in ${options?.language ?? 'no language'}`, filesCreated: ['a.js'] };
      },
      validateCode: ({ code }) => ({
        valid: false,
        findings: [{ rule: 'any', line: 1, column: code.length, severity: 'info', message: 'Seen.' }],
      }),
    }),
  }),
);
