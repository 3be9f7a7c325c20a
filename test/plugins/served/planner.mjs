// The deeds as methods of an executor that also plans: streams, and failures with details and suggestions.
import { createInterface } from 'node:readline';
import { send } from '../chaos/lines.mjs';
import { crash, failure, greeting, hurry, tools as common } from './deeds.mjs';

const tools = [...common, hurry];

/** @typedef {{ id: string | number, params: { name: string, prompt: string, user_request: string } }} Request */

/** @type {Record<string, (request: Request) => unknown>} */
const methods = {
  'rpc.discover': ({ id }) =>
    answer(id, {
      name: 'served',
      version: '1.2.3',
      description: 'Greets.',
      roles: ['planner', 'executor'],
      methods: [
        'create_plan',
        'execute_task',
        'validate_code',
        'update_context',
        ...tools.map(({ name }) => name),
      ],
      tools: tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
      gzip: false,
      batch: false,
      auth: false,
    }),
  create_plan: ({ id, params }) =>
    answer(id, {
      plan: {
        tasks: [
          {
            id: 'task_001',
            type: 'analysis',
            description: params.user_request,
            dependencies: [],
            priority: 1,
          },
        ],
        explanation: 'One task will do.',
      },
    }),
  execute_task: ({ id, params }) => answer(id, task(`did ${params.prompt}`)),
  validate_code: ({ id }) => answer(id, { valid: true, findings: [] }),
  update_context: ({ id }) => answer(id, { status: 'ok' }),
  greet: ({ id, params }) => {
    const pieces = greeting(params.name);
    const stream_id = `stream_${id}`;
    send({ method: 'stream_start', params: { stream_id, task_id: id } });
    pieces.forEach((chunk, at) =>
      send({ method: 'stream_data', params: { stream_id, chunk, sequence: at + 1 } }),
    );
    send({ method: 'stream_end', params: { stream_id, total_chunks: pieces.length } });
    answer(id, task(pieces.join('')));
  },
  fail: ({ id }) => {
    const data = {
      type: 'EXECUTION_ERROR',
      details: failure.details,
      recovery_suggestions: failure.suggestions,
    };
    send({ id, error: { code: -32000, message: failure.message, data } });
  },
  hurry: ({ id }) => send({ id, error: { code: -32002, message: 'Not so fast.' } }),
  wait: () => {},
  crash,
};

const lines = createInterface({ input: process.stdin });
lines.on('close', () => process.exit(0));
lines.on('line', (line) => {
  /** @type {Request & { method: string }} */
  const request = JSON.parse(line);
  const method = methods[request.method];
  if (method !== undefined) method(request);
  else if (request.id !== undefined)
    send({ id: request.id, error: { code: -32601, message: 'Method not found' } });
});

/** @param {string} code */
function task(code) {
  return { status: 'success', output: { code, explanation: 'Done.', files_modified: [], files_created: [] } };
}

/**
 * @param {string | number} id
 * @param {object} result
 */
function answer(id, result) {
  send({ id, result });
}
