import { act, deeds } from './deeds.mjs';
import { answerLines, send } from './lines.mjs';

let streams = 0;

/** @param {string} code */
function done(code) {
  return {
    status: 'success',
    output: { code, explanation: '', files_modified: [], files_created: [] },
    metadata: {},
  };
}

const tools = deeds.map((name) => ({ name, description: `to ${name}`, input_schema: { type: 'object' } }));
answerLines({
  'rpc.discover': () => ({
    name: 'chaos',
    version: '1.0.0',
    roles: ['executor'],
    methods: ['execute_task', ...deeds],
    tools,
    gzip: false,
    batch: false,
    auth: false,
  }),
  execute_task: ({ prompt }) => done(prompt),
  ...Object.fromEntries(
    deeds.map((name) => [
      name,
      async (params, id) => {
        const stream_id = `stream_${(streams += 1)}`;
        send({ method: 'stream_start', params: { stream_id, task_id: id } });
        send({ method: 'stream_data', params: { stream_id, chunk: 'doing ', sequence: 1 } });
        send({ method: 'stream_end', params: { stream_id, total_chunks: 1 } });
        return done(await act(name, params));
      },
    ]),
  ),
});
