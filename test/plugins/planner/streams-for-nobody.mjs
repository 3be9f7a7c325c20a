// Streams for tasks that there are not, before and in a task.
import { notify, serve, success } from './wire.mjs';

const stray = () => {
  notify('stream_start', { stream_id: 's', task_id: 'task_999' });
  notify('stream_data', { stream_id: 's', chunk: 'lost', sequence: 1 });
  notify('stream_end', {});
};

stray();
serve({
  execute_task() {
    stray();
    return success('done');
  },
});
