// Ends in the middle of a task, after it has streamed a part.
import { notify, serve } from './wire.mjs';

serve({
  execute_task(_, id) {
    notify('stream_start', { stream_id: 's', task_id: id });
    notify('stream_data', { stream_id: 's', chunk: 'half of it', sequence: 1 });
    process.stdout.write('', () => process.exit(3));
  },
});
