// Answers a task while its stream is open, and goes on streaming.
import { notify, send, serve, success } from './wire.mjs';

serve({
  execute_task(_, id) {
    notify('stream_start', { stream_id: 's', task_id: id });
    notify('stream_data', { stream_id: 's', chunk: 'all', sequence: 1 });
    send({ id, result: success('all') });
    notify('stream_data', { stream_id: 's', chunk: 'and more', sequence: 2 });
  },
});
