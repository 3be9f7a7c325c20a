// Fails every task with a bare number and a word.
import { send, serve } from './wire.mjs';

serve({
  execute_task: ({ prompt }, id) =>
    send({ id, error: { code: Number(prompt), message: 'Execution timeout' } }),
});
