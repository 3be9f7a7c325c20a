// Streams its chunks out of order, one twice, and leaves one out.
import { notify, serve, success } from './wire.mjs';

serve({
  execute_task(_, id) {
    notify('stream_start', { stream_id: 's', task_id: id });
    for (const [sequence, chunk] of [
      [2, 'b'],
      [1, 'a'],
      [1, 'a'],
      [4, 'd'],
    ])
      notify('stream_data', { stream_id: 's', chunk, sequence });
    notify('stream_end', { stream_id: 's', total_chunks: 4 });
    return success('abcd');
  },
});
