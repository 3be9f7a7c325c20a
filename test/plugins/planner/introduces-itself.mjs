// Well behaved: an executor that introduces itself, takes batches, and streams.
import readline from 'node:readline';
import { notify } from './wire.mjs';

const discovery = {
  name: 'introduced',
  version: '1.0.0',
  roles: ['executor'],
  methods: ['execute_task', 'validate_code', 'update_context', 'shout'],
  tools: [{ name: 'shout', input_schema: { type: 'object', required: ['text'] } }],
  batch: true,
};

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  const answers = Array.isArray(message) ? message.map(answer) : answer(message);
  process.stdout.write(`${JSON.stringify(answers)}\n`);
});

/** @param {{ id: number, method: string, params: any }} request */
function answer({ id, method, params }) {
  switch (method) {
    case 'rpc.discover':
      return { jsonrpc: '2.0', id, result: discovery };
    case 'shout':
      return { jsonrpc: '2.0', id, result: params.text.toUpperCase() };
    case 'execute_task': {
      const stream_id = `stream_${id}`;
      notify('stream_start', { stream_id, task_id: id });
      notify('stream_data', { stream_id, chunk: 'work', sequence: 1 });
      notify('stream_data', { stream_id, chunk: 'ing', sequence: 2 });
      notify('stream_end', { stream_id, total_chunks: 2 });
      return { jsonrpc: '2.0', id, result: { status: 'success', output: { code: 'working' } } };
    }
    case 'validate_code':
      return { jsonrpc: '2.0', id, result: { valid: true, findings: [] } };
    default:
      return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
  }
}
