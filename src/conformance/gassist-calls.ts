// G-Assist V2: checks of calls, streams and input.
import { isJsonObject, type JsonObject } from '../base/json.ts';
import { shown } from '../base/text.ts';
import { paramsIn } from '../dialect/gassist/schema.ts';
import {
  type Finding,
  group,
  passed,
  doesNotApply,
  verdict,
  NotApplicable,
  field,
  answered,
  isBoolean,
  logged,
  exitsAfterShutdown,
  refusesNoMethod,
  refusesNonJson,
} from './check.ts';
import { Unmet } from './conversation.ts';
import { interview, sendInput, valueOf, type InputAnswers } from './gassist.ts';
import type { Subject, RecordedCall } from './subject.ts';

export const gassistCallChecks = group('Functions', [
  {
    id: 'gassist:overview:json-rpc',
    title: 'All that the plugin says is JSON-RPC 2.0',
    fix: 'Begin every message with "jsonrpc": "2.0", and give it an id and a result or error, or a method.',
    async run(subject) {
      const { transcript } = await subject.session();
      const wrong = transcript.received.find(({ message }) => !isJsonRpc(message));
      if (wrong === undefined) return passed(`${transcript.received.length} messages.`);
      return verdict(false, `It sent ${shown(wrong.message, 200)}`);
    },
  },
  {
    id: 'gassist:complete:ends',
    title: 'A function comes to an end, and the plugin says so',
    fix: 'Send "complete", or "error", with the id of the execute as request_id; name a function that works with --tool.',
    async run(subject) {
      return passed(`It ended with ${shown((await endedCall(subject)).end.message, 200)}`);
    },
  },
  {
    id: 'gassist:complete:success',
    title: 'The end says whether it went well',
    fix: 'Put "success", true or false, into every complete.',
    run: field(completion, 'success', isBoolean),
  },
  {
    id: 'gassist:complete:data',
    title: 'The end brings the data',
    fix: 'Put "data" into every complete, "" where there is nothing to say.',
    run: field(completion, 'data', (value) => value !== undefined),
  },
  {
    id: 'gassist:complete:keep-session',
    title: 'The end says whether the session is kept',
    severity: 'warning',
    fix: 'Put "keep_session", true or false, into every complete.',
    run: field(completion, 'keep_session', isBoolean),
  },
  {
    id: 'gassist:author:data-is-text',
    title: 'Data is text, streamed and final',
    severity: 'warning',
    fix: 'Turn other values into JSON text: the official emulator hangs on anything else.',
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
    fix: 'Send "complete" instead of a result: the official emulator loses the text and the session of a result.',
    async run(subject) {
      const { end } = await endedCall(subject);
      return verdict('method' in end.message, `It ended with ${shown(end.message, 200)}`);
    },
  },
  {
    id: 'gassist:stream:request-id',
    title: 'What is streamed names the request that it is for',
    fix: 'Put the id of the execute into every stream as "request_id".',
    async run(subject) {
      const call = await endedCall(subject);
      return looksAtAll(streamsOf(call), ({ request_id: id }) => id === call.id);
    },
  },
  {
    id: 'gassist:stream:data',
    title: 'What is streamed has data',
    fix: 'Put the text into every stream as "data".',
    async run(subject) {
      return looksAtAll(streamsOf(await endedCall(subject)), ({ data }) => data !== undefined);
    },
  },
  {
    id: 'gassist:log:level',
    title: 'A log has a level',
    fix: 'Put "level", such as "info", into every log.',
    run: logged('log', ({ level }) => typeof level === 'string'),
  },
  {
    id: 'gassist:log:message',
    title: 'A log has a message',
    fix: 'Put "message", a string, into every log.',
    run: logged('log', ({ message }) => typeof message === 'string'),
  },
]);

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

/** The params of `complete`, or the result; undefined when the call ended with an error. */
function completionOf({ end: { message } }: EndedCall): JsonObject | undefined {
  const isError = message['method'] === 'error' || 'error' in message;
  return isError ? undefined : paramsIn(message['params'] ?? message['result']);
}

/** @throws NotApplicable when the call failed */
async function completion(subject: Subject): Promise<JsonObject> {
  const call = await endedCall(subject);
  const found = completionOf(call);
  if (found !== undefined) return found;
  throw new NotApplicable(
    `The call failed: ${shown(call.end.message, 200)}. Name one that works with --tool.`,
  );
}

function streamsOf({ during }: RecordedCall): readonly JsonObject[] {
  return during
    .filter(({ message }) => message['method'] === 'stream')
    .map(({ message }) => paramsIn(message['params']));
}

function looksAtAll(all: readonly JsonObject[], isGood: (params: JsonObject) => boolean): Finding {
  if (all.length === 0) return doesNotApply('It streamed nothing.');
  const wrong = all.find((params) => !isGood(params));
  return verdict(
    wrong === undefined,
    wrong === undefined ? `It streamed ${all.length} times.` : shown(wrong),
  );
}

function isJsonRpc(message: JsonObject): boolean {
  if (message['jsonrpc'] !== '2.0') return false;
  const isResponse = 'id' in message && 'result' in message !== 'error' in message;
  return isResponse !== (typeof message['method'] === 'string');
}

export const gassistInputChecks = group('Sessions', [
  {
    id: 'gassist:input:acknowledged-first',
    title: 'An input is acknowledged before all else',
    fix: 'Answer input with { "acknowledged": true } before you work on it or stream anything.',
    async run(subject) {
      const { first } = await inputAnswers(subject);
      const isGood = isJsonObject(first['result']) && first['result']['acknowledged'] === true;
      return verdict(isGood, `The first that came was ${shown(first, 200)}`);
    },
  },
  {
    id: 'gassist:timeouts:ack',
    title: 'An input is acknowledged within two seconds',
    fix: 'Acknowledge where the input is read, before any other work: the engine ends a plugin that does not.',
    async run(subject) {
      const { firstMs } = await inputAnswers(subject);
      // A busy machine may delay one answer.
      const took = firstMs <= ACK_MS ? firstMs : Math.min(firstMs, await msOfAnother(subject));
      return verdict(took <= ACK_MS, `It took ${took} ms.`);
    },
  },
  {
    id: 'gassist:input:answer-by-notifications',
    title: 'An input is answered by notifications that name it',
    fix: 'After the acknowledgement send stream and complete, or error, with the id of the input as request_id.',
    run: async (subject) => passed(`It ended with ${shown(valueOf((await inputAnswers(subject)).end), 200)}`),
  },
]);

const ACK_MS = 2000;

async function msOfAnother(subject: Subject): Promise<number> {
  const { conversation, probe } = await subject.connect();
  return (await sendInput(conversation, probe, subject.limits.callMs)).firstMs;
}

/** @throws NotApplicable when it took none */
async function inputAnswers(subject: Subject): Promise<InputAnswers> {
  const input = valueOf((await subject.shared(interview)).input);
  if (!('error' in input.first)) return input;
  throw new NotApplicable(
    `It took no input: ${shown(input.first, 200)}. Name a function that opens a session with --tool.`,
  );
}

export const gassistErrorChecks = group('Errors', [
  {
    id: 'gassist:author:unknown-function',
    title: 'A function that is unknown is answered with -32601',
    fix: 'Send "error" with the code -32601, or answer with that error, when there is no such function.',
    async run(subject) {
      const message = valueOf((await subject.shared(interview)).unknownFunction);
      return answered(errorIn(message)['code'] === -32601, message);
    },
  },
  {
    id: 'gassist:error:message',
    title: 'An error says in words what is wrong',
    fix: 'Put "message", a string that is not empty, beside the code.',
    async run(subject) {
      const message = valueOf((await subject.shared(interview)).unknownFunction);
      const words = errorIn(message)['message'];
      return answered(typeof words === 'string' && words.trim() !== '', message);
    },
  },
  {
    id: 'gassist:codes:invalid-params',
    title: 'An execute without a function is answered with -32602',
    severity: 'warning',
    fix: 'Look at "function" before using it, and answer with the error -32602 when it is not a string.',
    async run(subject) {
      const { conversation } = await subject.connect();
      const id = conversation.nextId();
      conversation.send({ jsonrpc: '2.0', id, method: 'execute', params: { arguments: {} } });
      const { message } = await conversation.answered(id, 'the error -32602');
      return answered(errorIn(message)['code'] === -32602, message);
    },
  },
  {
    id: 'gassist:codes:invalid-request',
    ...refusesNoMethod,
    severity: 'warning',
  },
  {
    id: 'gassist:codes:parse-error',
    ...refusesNonJson,
    severity: 'warning',
  },
]);

/** By a notification, or by an error response. */
function errorIn({ method, params, error }: JsonObject): JsonObject {
  return paramsIn(method === 'error' ? params : error);
}

export const gassistEndChecks = group('Shutdown', [
  {
    id: 'gassist:shutdown:exit',
    title: 'It exits after shutdown',
    fix: 'Exit with code 0 when shutdown comes: stop timers, close what is open.',
    run: exitsAfterShutdown,
  },
  {
    id: 'gassist:shutdown:no-response',
    title: 'A shutdown that is a notification is not answered',
    severity: 'warning',
    fix: 'Answer only what has an id.',
    async run(subject) {
      const { transcript } = await subject.session();
      const stray = transcript.received.find(({ message }) => message['id'] === null);
      return verdict(stray === undefined, stray === undefined ? 'Nothing came.' : shown(stray.message));
    },
  },
  {
    id: 'gassist:author:shutdown-request',
    title: 'A shutdown that has an id is answered',
    severity: 'info',
    fix: 'Answer shutdown with the result {} when it has an id: the official emulator waits 5 s for that.',
    async run(subject) {
      const { conversation } = await subject.connect();
      const answer = await conversation.request('shutdown', {});
      return answered('result' in answer, answer);
    },
  },
  {
    id: 'gassist:author:silent-stderr',
    title: 'Nothing is written to stderr',
    severity: 'warning',
    fix: 'Log with "log" notifications, or to a file: engines read stderr and stdout from one pipe, and lose the frame beside a print.',
    async run(subject) {
      const { exit } = await subject.session();
      const printed = exit?.stderr ?? '';
      return verdict(printed === '', printed === '' ? 'Nothing came.' : `It printed ${shown(printed, 200)}`);
    },
  },
]);
