// Streams a hundred thousand chunks in one task.
import { notify, serve, success } from './wire.mjs';

serve({
  async execute_task(_, id) {
    notify('stream_start', { stream_id: 's', task_id: id });
    for (let sequence = 1; sequence <= 100_000; sequence++) {
      notify('stream_data', { stream_id: 's', chunk: 'x', sequence });
      if (process.stdout.writableNeedDrain)
        await new Promise((resolve) => process.stdout.once('drain', resolve));
    }
    notify('stream_end', { stream_id: 's', total_chunks: 100_000 });
    return success('');
  },
});
