// Answers a task with more than anybody takes, and with 2 MB when it is asked for less.
import { serve, success } from './wire.mjs';

serve({
  execute_task: ({ prompt }) => success('x'.repeat(prompt === 'less' ? 2_000_000 : 17 * 1024 * 1024)),
});
