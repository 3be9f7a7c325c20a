// How a plugin carries a function out: what it says meanwhile, and how it ends.
import type { JsonObject } from '../../../base/json.ts';
import { shown } from '../../../base/shown.ts';
import { paramsIn } from '../../../dialect/gassist/schema.ts';
import { doesNotApply, passed, Unmet, verdict, type Check, type Finding } from '../../check.ts';
import type { RecordedCall } from '../../subject/session.ts';
import type { Subject } from '../../subject/subject.ts';

const theme = 'Functions';

export const gassistCallChecks: readonly Check[] = [
  {
    id: 'gassist:overview:json-rpc',
    title: 'All that the plugin says is JSON-RPC 2.0',
    severity: 'error',
    theme,
    fix: 'Begin every message with "jsonrpc": "2.0", and give it an id and a result or error, or a method.',
    async run(subject) {
      const { transcript } = await subject.session();
      const wrong = transcript.heard.find(({ message }) => !isJsonRpc(message));
      if (wrong === undefined) return passed(`${transcript.heard.length} messages.`);
      return verdict(false, `It said ${shown(wrong.message, 200)}`);
    },
  },
  {
    id: 'gassist:complete:ends',
    title: 'A function comes to an end, and the plugin says so',
    severity: 'error',
    theme,
    fix: 'Send "complete", or "error", with the id of the execute as request_id; name a function that works with --tool.',
    async run(subject) {
      return passed(`It ended with ${shown((await endedCall(subject)).end.message, 200)}`);
    },
  },
  {
    id: 'gassist:complete:success',
    title: 'The end says whether it went well',
    severity: 'error',
    theme,
    fix: 'Put "success", true or false, into every complete.',
    run: (subject) => looksAtEnd(subject, 'success', (value) => typeof value === 'boolean'),
  },
  {
    id: 'gassist:complete:data',
    title: 'The end brings the data',
    severity: 'error',
    theme,
    fix: 'Put "data" into every complete, "" where there is nothing to say.',
    run: (subject) => looksAtEnd(subject, 'data', (value) => value !== undefined),
  },
  {
    id: 'gassist:complete:keep-session',
    title: 'The end says whether the session is kept',
    severity: 'warning',
    theme,
    fix: 'Put "keep_session", true or false, into every complete.',
    run: (subject) => looksAtEnd(subject, 'keep_session', (value) => typeof value === 'boolean'),
  },
  {
    id: 'gassist:author:data-is-text',
    title: 'Data is text, streamed and final',
    severity: 'warning',
    theme,
    fix: 'Turn what is no text into JSON text: the official emulator hangs on anything else.',
    async run(subject) {
      const call = await endedCall(subject);
      const all = [...streamsOf(call), completionOf(call) ?? {}].map(({ data }) => data);
      const wrong = all.find((data) => data !== undefined && typeof data !== 'string');
      return verdict(wrong === undefined, wrong === undefined ? 'Texts only.' : `data is ${shown(wrong)}`);
    },
  },
  {
    id: 'gassist:author:no-response-to-execute',
    title: 'A function is ended by a notification, not by a response',
    severity: 'warning',
    theme,
    fix: 'Send "complete" instead of a result: the official emulator loses the text and the session of a result.',
    async run(subject) {
      const { end } = await endedCall(subject);
      return verdict('method' in end.message, `It ended with ${shown(end.message, 200)}`);
    },
  },
  {
    id: 'gassist:stream:request-id',
    title: 'What is streamed names the request that it is for',
    severity: 'error',
    theme,
    fix: 'Put the id of the execute into every stream as "request_id".',
    async run(subject) {
      const call = await endedCall(subject);
      return looksAtAll(streamsOf(call), 'streamed', ({ request_id: id }) => id === call.id);
    },
  },
  {
    id: 'gassist:stream:data',
    title: 'What is streamed has data',
    severity: 'error',
    theme,
    fix: 'Put the text into every stream as "data".',
    async run(subject) {
      return looksAtAll(streamsOf(await endedCall(subject)), 'streamed', ({ data }) => data !== undefined);
    },
  },
  {
    id: 'gassist:log:level',
    title: 'A log has a level',
    severity: 'error',
    theme,
    fix: 'Put "level", such as "info", into every log.',
    run: (subject) => looksAtLogs(subject, 'level'),
  },
  {
    id: 'gassist:log:message',
    title: 'A log has a message',
    severity: 'error',
    theme,
    fix: 'Put "message", a string, into every log.',
    run: (subject) => looksAtLogs(subject, 'message'),
  },
];

type EndedCall = RecordedCall & { readonly end: NonNullable<RecordedCall['end']> };

/**
 * The recorded call.
 * @throws Unmet when it never ended
 */
async function endedCall(subject: Subject): Promise<EndedCall> {
  const { call } = await subject.session();
  if (call.end === undefined) throw new Unmet(call.problem ?? 'The call never ended.');
  return { ...call, end: call.end };
}

/** What a `complete` says, or the result in its place; undefined when the call ended with an error. */
function completionOf({ end: { message } }: EndedCall): JsonObject | undefined {
  const isError = message['method'] === 'error' || 'error' in message;
  return isError ? undefined : paramsIn(message['params'] ?? message['result']);
}

async function looksAtEnd(
  subject: Subject,
  field: string,
  isGood: (value: unknown) => boolean,
): Promise<Finding> {
  const call = await endedCall(subject);
  const completion = completionOf(call);
  if (completion === undefined)
    return doesNotApply(`The call failed: ${shown(call.end.message, 200)}. Name one that works with --tool.`);
  const value = completion[field];
  return verdict(isGood(value), `${field} is ${shown(value)}`);
}

function streamsOf({ during }: RecordedCall): readonly JsonObject[] {
  return during
    .filter(({ message }) => message['method'] === 'stream')
    .map(({ message }) => paramsIn(message['params']));
}

async function looksAtLogs(subject: Subject, field: string): Promise<Finding> {
  const { transcript } = await subject.session();
  const logs = transcript.heard
    .filter(({ message }) => message['method'] === 'log')
    .map(({ message }) => paramsIn(message['params']));
  return looksAtAll(logs, 'logged', (params) => typeof params[field] === 'string');
}

function looksAtAll(
  all: readonly JsonObject[],
  done: string,
  isGood: (params: JsonObject) => boolean,
): Finding {
  if (all.length === 0) return doesNotApply(`It ${done} nothing.`);
  const wrong = all.find((params) => !isGood(params));
  return verdict(wrong === undefined, wrong === undefined ? `It ${done} ${all.length} times.` : shown(wrong));
}

function isJsonRpc(message: JsonObject): boolean {
  if (message['jsonrpc'] !== '2.0') return false;
  const isResponse = 'id' in message && 'result' in message !== 'error' in message;
  return isResponse !== (typeof message['method'] === 'string');
}
