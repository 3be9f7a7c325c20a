// YAMS: checks of init, health, shutdown and errors.
import { isJsonObject, type JsonObject } from '../base/json.ts';
import { shown } from '../base/text.ts';
import { methods } from '../dialect/yams/schema.ts';
import {
  type Finding,
  group,
  passed,
  failed,
  doesNotApply,
  verdict,
  field,
  answered,
  isText,
  answersShutdown,
  exitsAfterShutdown,
  answersBatches,
  refusesNonJson,
  refusesNoMethod,
} from './check.ts';
import { Unmet } from './conversation.ts';
import { codeOf } from './driver.ts';
import type { Subject } from './subject.ts';
import { answerTo, expectExtractor, resultOf } from './yams.ts';

export const yamsLifecycleChecks = group('Init, health and shutdown', [
  {
    id: 'yams:init:status',
    title: 'plugin.init is answered with a status',
    fix: 'Answer plugin.init with { "status": "initialized" }.',
    run: field(initResult, 'status', (status) => typeof status === 'string'),
  },
  {
    id: 'yams:init:status-initialized',
    title: 'The status after a good init is "initialized"',
    severity: 'warning',
    fix: 'Say "initialized"; "ok" is what some hosts forgive.',
    async run(subject) {
      const { status } = await initResult(subject);
      if (typeof status !== 'string') return doesNotApply('It has no status.');
      return verdict(status === 'initialized', `status is ${shown(status)}`);
    },
  },
  {
    id: 'yams:init:config-applied',
    title: 'config_applied is an object',
    fix: 'Make "config_applied" an object, or leave it out.',
    run: field(initResult, 'config_applied', isJsonObject, 'It sends none.'),
  },
  {
    id: 'yams:plugin:init-bare',
    title: 'plugin.init is taken with params that are the config itself',
    severity: 'warning',
    fix: 'Where params have no "config", take the params: that is how the real host sends it.',
    run: (subject) => initializesWith(subject, {}),
  },
  {
    id: 'yams:plugin:init-absent',
    title: 'plugin.init is taken without params',
    severity: 'warning',
    fix: 'Let the config be empty where there are no params: the real host leaves them out when there is none.',
    run: (subject) => initializesWith(subject, undefined),
  },
  {
    id: 'yams:health:status',
    title: 'plugin.health is answered with a status',
    fix: 'Answer plugin.health with { "status": "ok" }, or "degraded" or "error".',
    run: field(
      (subject) => resultOf(subject, 'health'),
      'status',
      (status) => status === 'ok' || status === 'degraded' || status === 'error',
    ),
  },
  {
    id: 'yams:shutdown:required',
    title: 'plugin.shutdown is answered',
    fix: 'Answer plugin.shutdown before you exit, and let the answer be written first.',
    run: answersShutdown,
  },
  {
    id: 'yams:shutdown:example-response',
    title: 'The answer to plugin.shutdown is null',
    severity: 'info',
    fix: 'Answer plugin.shutdown with null.',
    async run(subject) {
      const { shutdown = {} } = await subject.session();
      if (!('result' in shutdown)) return doesNotApply('There is no answer.');
      return verdict(shutdown['result'] === null, `It answered ${shown(shutdown)}`);
    },
  },
  {
    id: 'yams:shutdown:cleanup',
    title: 'It ends after plugin.shutdown',
    severity: 'warning',
    fix: 'Clean up and exit with code 0 once plugin.shutdown is answered: close stdin, stop timers and helpers.',
    run: exitsAfterShutdown,
  },
  {
    id: 'yams:plugin:probe',
    title: 'A handshake and a shutdown without init are accepted',
    severity: 'warning',
    fix: 'Answer plugin.shutdown whether or not plugin.init came before: the real host looks at the manifest first, and starts the plugin again.',
    async run(subject) {
      const conversation = await subject.start();
      await conversation.request(methods.manifest);
      const answer = await conversation.request(methods.shutdown);
      return verdict('result' in answer, `It answered ${shown(answer)}`);
    },
  },
]);

/** @throws Unmet */
async function initResult(subject: Subject): Promise<JsonObject> {
  const { transcript } = await subject.session();
  // The handshake has sent the first one.
  const answer = transcript.received.find(({ message }) => message['id'] === 2)?.message;
  if (isJsonObject(answer?.['result'])) return answer['result'];
  throw new Unmet(`Expected an object as the result of ${methods.init}; it answered ${shown(answer, 200)}`);
}

async function initializesWith(subject: Subject, params: JsonObject | undefined): Promise<Finding> {
  const conversation = await subject.start();
  await conversation.request(methods.manifest);
  const answer = await conversation.request(methods.init, params);
  return answered((answer['error'] ?? null) === null, answer);
}

export const yamsErrorChecks = group('Messages and errors', [
  {
    id: 'yams:request:id',
    title: 'An id that is a text comes back as it was',
    fix: 'Give back the id of a request as it came, number or string.',
    async run(subject) {
      const { conversation } = await subject.connect();
      conversation.send({ jsonrpc: '2.0', id: 'seven', method: methods.health });
      const { message } = await conversation.waitFor(
        'an answer with the id "seven"',
        ({ message }) => message['id'] === 'seven',
      );
      return passed(`It answered ${shown(message, 200)}`);
    },
  },
  {
    id: 'yams:request:id-omitted',
    title: 'A notification is not answered',
    fix: 'Answer nothing when a message has no id, not even an error.',
    async run(subject) {
      const { conversation, probe } = await subject.connect();
      const before = conversation.transcript.received.length;
      conversation.send({ jsonrpc: '2.0', method: methods.health });
      await conversation.staysAlive(probe, 'a notification');
      const [answer] = conversation.transcript.received
        .slice(before)
        .filter(({ message }) => (message['id'] ?? null) === null);
      return answer === undefined
        ? passed('It was silent.')
        : failed(`It answered ${shown(answer.message, 200)}`);
    },
  },
  {
    id: 'yams:response:error-example',
    title: 'The error for an unknown method names it',
    severity: 'info',
    fix: 'Put { "method" } into the data of the error -32601.',
    async run(subject) {
      const answer = (await answerTo(subject, 'unknown method')) ?? {};
      return answered(dataOf(answer)['method'] === 'no_such_method', answer);
    },
  },
  {
    id: 'yams:error-code:-32700',
    ...refusesNonJson,
    title: 'A line that is not JSON is answered with -32700',
    fix: 'Catch what the parser throws, and answer with the error -32700 and id null.',
  },
  {
    id: 'yams:error-code:-32600',
    ...refusesNoMethod,
  },
  {
    id: 'yams:plugin:batch',
    title: 'A batch of requests is answered with a batch',
    // The specification relies on batches for parallel work; its own SDK refuses them.
    severity: 'warning',
    fix: 'Where a line is an array, answer each request in it, and send the responses as one array.',
    run: answersBatches,
  },
  {
    id: 'yams:error-code:-32602',
    title: 'A required argument that is missing is answered with -32602',
    fix: 'Check the params against the schema of the tool, and answer with the error -32602 when they do not fit.',
    async run(subject) {
      const answer = await answerTo(subject, 'miss an argument');
      if (answer === undefined) return doesNotApply('It lists no tool that requires an argument.');
      return answered(codeOf(answer) === -32602, answer);
    },
  },
  {
    id: 'yams:errors:not-initialized',
    title: 'Before plugin.init a call works, or is answered with -32003 and why',
    severity: 'warning',
    fix: 'Answer what needs the config with -32003 and { "reason": "NotInitialized", "required_method": "plugin.init" }.',
    async run(subject) {
      const { call } = await subject.session();
      const conversation = await subject.start();
      await conversation.request(methods.manifest);
      const { ok, code, message } = await conversation.call(call.probe);
      const isTold = code === -32003 && dataOf(message)['reason'] === 'NotInitialized';
      return answered(ok || isTold, message);
    },
  },
  {
    id: 'yams:errors:unsupported',
    title: 'A file of an unsupported type is answered with -32001',
    severity: 'warning',
    fix: 'Answer with -32001 and { "reason": "UnsupportedFormat", "mime_type", "extension", "supported_formats" }.',
    async run(subject) {
      await expectExtractor(subject);
      const { result } = (await answerTo(subject, 'supports an unknown type')) ?? {};
      if (isJsonObject(result) && result['supported'] === true) return doesNotApply('It takes every type.');
      const answer = (await answerTo(subject, 'extract an unknown type')) ?? {};
      return answered(codeOf(answer) === -32001, answer);
    },
  },
  {
    id: 'yams:errors:reason',
    title: 'Errors have a reason that programs can read',
    severity: 'warning',
    fix: 'Put { "reason": "ErrorCategory", "details", "recoverable" } into the data of an error.',
    async run(subject) {
      const answers = [
        await answerTo(subject, 'extract nothing'),
        await answerTo(subject, 'miss an argument'),
      ];
      const answer = answers.find((each) => each !== undefined && codeOf(each) !== undefined);
      if (answer === undefined) return doesNotApply('Nothing that it was asked has failed.');
      return answered(isText(dataOf(answer)['reason']), answer);
    },
  },
]);

function dataOf({ error }: JsonObject): JsonObject {
  return isJsonObject(error) && isJsonObject(error['data']) ? error['data'] : {};
}
