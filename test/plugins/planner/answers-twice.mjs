// Answers every task twice, with ids that became texts.
import { send, serve, success } from './wire.mjs';

serve({
  execute_task({ prompt }, id) {
    for (const time of ['first', 'second']) send({ id: String(id), result: success(`${prompt} ${time}`) });
  },
});
