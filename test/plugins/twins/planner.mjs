// A planner and executor and its twins.
import { broken, notify, Refusal, send, serve } from './core.mjs';

const methods = ['execute_task', 'create_plan', 'validate_code', 'update_context', 'repeat'];

/** @param {string} message */
function wrongParams(message) {
  const data = { type: 'PARSE_ERROR', details: message, recovery_suggestions: [] };
  const isBare = broken('planner:errors:details');
  const code = broken('planner:errors:invalid-params') ? -32603 : -32602;
  return new Refusal(code, message, isBare ? undefined : data);
}

/** @param {unknown} id */
function stream(id) {
  const stream_id = 'stream_001';
  const isFirst = !broken('planner:stream:sequence');
  notify('stream_start', { stream_id, task_id: broken('planner:stream:task-id') ? 'task_999' : id });
  notify('stream_data', { stream_id, chunk: 'It ', sequence: isFirst ? 1 : 2 });
  notify('stream_data', { stream_id, chunk: 'is', sequence: isFirst ? 2 : 1 });
  notify('stream_end', { stream_id, total_chunks: broken('planner:stream:total-chunks') ? 3 : 2 });
}

/**
 * A field of an output, unless it is the one that is broken.
 * @param {string} field
 * @param {unknown} value
 */
function output(field, value) {
  return { [field]: broken(`planner:execute:output-${field.replaceAll('_', '-')}`) ? 17 : value };
}

serve({
  framing: 'lines',
  largestMessage: 1024 * 1024,
  calls: ['execute_task', 'create_plan'],
  ignoresBadJson: broken('planner:errors:parse-error'),
  mistakesNoMethod: broken('planner:errors:invalid-request'),
  takesBatches: !broken('planner:batch:array'),
  methods: {
    'rpc.discover': () => ({
      roles: broken('planner:discover:question') ? ['juggler'] : ['planner', 'executor'],
      methods,
      tools: [
        { name: 'repeat', ...(broken('planner:discover:tools') ? {} : { input_schema: { type: 'object' } }) },
      ],
      gzip: false,
      batch: true,
    }),
    execute_task({ task_type: type, prompt }, id) {
      if (typeof type !== 'string' || typeof prompt !== 'string')
        throw wrongParams('task_type and prompt are required');
      stream(id);
      const explanation = `It is ${prompt}`.padEnd(
        broken('planner:performance:message-size') ? 1_000_000 : 0,
      );
      const result = {
        status: broken('planner:execute:status') ? 'done' : 'success',
        output: {
          ...output('code', ''),
          ...output('explanation', explanation),
          ...output('files_modified', []),
          ...output('files_created', []),
        },
        metadata: broken('planner:execute:metadata-execution-time-ms') ? {} : { execution_time_ms: 10 },
      };
      if (broken('planner:execute:response-example')) return { ...result, output: 'It is' };
      if (!broken('planner:execute:string-id') || typeof id !== 'string') return result;
      send({ id: null, result });
      return undefined;
    },
    create_plan({ user_request: request, constraints }) {
      if (typeof request !== 'string') throw wrongParams('user_request is required');
      const most =
        constraints && typeof constraints === 'object' && 'max_tasks' in constraints
          ? constraints.max_tasks
          : 2;
      const first = {
        id: 'task_001',
        type: 'analysis',
        description: request,
        dependencies: [],
        priority: broken('planner:plan:task-priority') ? 'high' : 1,
      };
      const second = {
        ...first,
        id: broken('planner:plan:task-id') ? 'task_001' : 'task_002',
        dependencies: [broken('planner:plan:task-dependencies') ? 'task_009' : 'task_001'],
      };
      const tasks = most === 1 && !broken('planner:plan:constraints-max-tasks') ? [first] : [first, second];
      const plan = {
        tasks,
        ...(broken('planner:plan:estimated-time-seconds') ? {} : { estimated_time_seconds: 1 }),
        ...(broken('planner:plan:explanation') ? {} : { explanation: 'There is little to do.' }),
      };
      return broken('planner:plan:response-example') ? { tasks } : { plan };
    },
    // It knows one language, as executors may.
    validate_code({ language }) {
      if (language !== 'python') throw new Refusal(-32000, 'Only Python is validated here');
      return broken('planner:validate:answer') ? { ok: true } : { valid: true, findings: [] };
    },
    update_context: () => ({ status: broken('planner:context:answer') ? 'updated' : 'ok' }),
    repeat: (params) => ({ status: 'success', output: { data: params } }),
    ...(broken('planner:errors:method-not-found')
      ? {
          no_such_method() {
            throw new Refusal(-32603, 'What?');
          },
        }
      : {}),
  },
});
