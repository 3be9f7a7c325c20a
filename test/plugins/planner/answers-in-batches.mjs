// Collects its answers and sends them as one array, though nobody sent it one.
import { serve, success } from './wire.mjs';

/** @type {object[]} */
const answers = [];

serve({
  execute_task({ prompt }, id) {
    answers.push({ jsonrpc: '2.0', id, result: success(prompt) });
    if (answers.length === 3) process.stdout.write(`${JSON.stringify(answers.splice(0).reverse())}\n`);
  },
});
