// A planner that lets its host do a task before it answers: the plan tells what came of it.
import readline from 'node:readline';

/** @param {object} message */
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
/** @type {unknown} */
let planId;
let streamed = '';

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === 'rpc.discover') send({ id, error: { code: -32601, message: 'Method not found' } });
  if (method === 'create_plan') {
    planId = id;
    send({ id: 'task_001', method: 'execute_task', params: { task_type: 'analysis', prompt: 'look' } });
  }
  if (method === 'stream_data') streamed += params.chunk;
  if (method === undefined && id === 'task_001') {
    const explanation = error === undefined ? `${result.output.code} after ${streamed}` : error.message;
    send({ id: planId, result: { plan: { tasks: [], explanation } } });
  }
});
