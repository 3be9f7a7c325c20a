// A planner and executor and its twins.
import { Refusal, serve } from './core.mjs';

serve({
  framing: 'lines',
  largestMessage: 1024 * 1024,
  calls: ['execute_task', 'create_plan'],
  methods: {
    'rpc.discover': () => ({
      roles: ['planner', 'executor'],
      methods: ['execute_task', 'create_plan', 'validate_code', 'update_context'],
    }),
    execute_task({ task_type: type, prompt }) {
      if (typeof type !== 'string' || typeof prompt !== 'string')
        throw new Refusal(-32602, 'task_type and prompt are required');
      return {
        status: 'success',
        output: { code: '', explanation: `It is ${prompt}`, files_modified: [], files_created: [] },
        metadata: { execution_time_ms: 10, tokens_used: 0, model: 'none' },
      };
    },
    create_plan({ user_request: request }) {
      if (typeof request !== 'string') throw new Refusal(-32602, 'user_request is required');
      const task = { id: 'task_001', type: 'analysis', description: request, dependencies: [], priority: 1 };
      return { plan: { tasks: [task], estimated_time_seconds: 1, explanation: 'There is one thing to do.' } };
    },
    validate_code: () => ({ valid: true, findings: [] }),
    update_context: () => ({ status: 'ok' }),
  },
});
