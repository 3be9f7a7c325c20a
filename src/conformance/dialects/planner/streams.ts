// What comes while a task runs.
import { isJsonObject, type Json, type JsonObject } from '../../../base/json.ts';
import { shown, textOf } from '../../../base/shown.ts';
import { doesNotApply, failed, passed, verdict, type Check, type Finding } from '../../check.ts';
import type { Session } from '../../subject/session.ts';
import type { Subject } from '../../subject/subject.ts';

const theme = 'Streams and sizes';

/** As everybody should be able to read it. */
const MESSAGE_LIMIT = 1_000_000;

export const plannerStreamChecks: readonly Check[] = [
  {
    id: 'planner:stream:task-id',
    title: 'A stream begins with stream_start, which names the task by the id of its request',
    severity: 'error',
    theme,
    fix: 'Send stream_start with "stream_id" and "task_id", the id of the execute_task request, before any chunk.',
    run: (subject) =>
      ofStreams(subject, (notices, { call }) => {
        const begun = new Set<Json | undefined>();
        for (const { method, params } of notices) {
          if (method !== 'stream_start') {
            if (!begun.has(params['stream_id']))
              return failed(`${method} of a stream that was not started: ${shown(params)}`);
          } else if (textOf(params['task_id']) === String(call.id)) begun.add(params['stream_id']);
          else return failed(`The id of the request is ${call.id}, task_id is ${shown(params['task_id'])}`);
        }
        return passed(`${begun.size} streams.`);
      }),
  },
  {
    id: 'planner:stream:sequence',
    title: 'The chunks of a stream are numbered, one after the other',
    severity: 'error',
    theme,
    fix: 'Give every stream_data a "sequence": 1, 2, 3 and so on.',
    run: (subject) =>
      ofStreams(subject, (notices) => {
        const last = new Map<Json | undefined, number>();
        for (const { method, params } of notices) {
          if (method !== 'stream_data') continue;
          const { stream_id: stream, sequence } = params;
          const expected = (last.get(stream) ?? 0) + 1;
          if (sequence !== expected) return failed(`Chunk ${expected} has the sequence ${shown(sequence)}`);
          last.set(stream, expected);
        }
        return passed('In order.');
      }),
  },
  {
    id: 'planner:stream:total-chunks',
    title: 'A stream ends with stream_end, before the answer, and with the number of its chunks',
    severity: 'error',
    theme,
    fix: 'Send stream_end with "stream_id" and "total_chunks" before you answer the request.',
    run: (subject) =>
      ofStreams(subject, (notices) => {
        const of = (wanted: string, stream: Json | undefined) =>
          notices.filter(({ method, params }) => method === wanted && params['stream_id'] === stream);
        for (const { params } of notices.filter(({ method }) => method === 'stream_start')) {
          const stream = params['stream_id'];
          const [end] = of('stream_end', stream);
          if (end === undefined) return failed(`The stream ${shown(stream)} was not ended before the answer`);
          const count = of('stream_data', stream).length;
          const total = end.params['total_chunks'];
          if (total !== count) return failed(`${count} chunks came, total_chunks is ${shown(total)}`);
        }
        return passed('Ended and counted.');
      }),
  },
  {
    id: 'planner:performance:message-size',
    title: 'Its messages stay under 1 MB',
    severity: 'warning',
    theme,
    fix: 'Stream what is large, write it to files, or pack it with gzip where the host takes that.',
    async run(subject) {
      const { transcript } = await subject.session();
      const sizes = transcript.heard.map(({ message }) => Buffer.byteLength(JSON.stringify(message)));
      const largest = Math.max(0, ...sizes);
      return verdict(largest <= MESSAGE_LIMIT, `The largest has ${largest} bytes.`);
    },
  },
];

interface Notice {
  readonly method: string;
  readonly params: JsonObject;
}

async function ofStreams(
  subject: Subject,
  look: (notices: readonly Notice[], session: Session) => Finding,
): Promise<Finding> {
  const session = await subject.session();
  const notices = session.call.during.flatMap(({ message: { method, params } }) =>
    typeof method === 'string' && method.startsWith('stream_')
      ? [{ method, params: isJsonObject(params) ? params : {} }]
      : [],
  );
  return notices.length === 0 ? doesNotApply('It streamed nothing.') : look(notices, session);
}
