// How a plugin answers what is wrong, and what is unusual.
import { isJsonObject, type JsonObject } from '../../../base/json.ts';
import { shown } from '../../../base/shown.ts';
import { methods } from '../../../dialect/yams/schema.ts';
import { doesNotApply, failed, passed, verdict, type Check } from '../../check.ts';
import { codeOf } from '../../drivers/responses.ts';
import { answersBatches, refusesNoMethod } from '../../subject/unusual-requests.ts';
import { answerTo } from './interview.ts';
import { isText, ofExtractors } from './words.ts';

const theme = 'Messages and errors';

export const yamsErrorChecks: readonly Check[] = [
  {
    id: 'yams:request:id',
    title: 'An id that is a text comes back as it was',
    severity: 'error',
    theme,
    fix: 'Give back the id of a request as it came, number or string.',
    async run(subject) {
      const { conversation } = await subject.greet();
      conversation.send({ jsonrpc: '2.0', id: 'seven', method: methods.health });
      const { message } = await conversation.hear(
        'an answer with the id "seven"',
        ({ message }) => message['id'] === 'seven',
      );
      return passed(`It answered ${shown(message, 200)}`);
    },
  },
  {
    id: 'yams:request:id-omitted',
    title: 'A notification is not answered',
    severity: 'error',
    theme,
    fix: 'Answer nothing when a message has no id, not even an error.',
    async run(subject) {
      const { conversation, probe } = await subject.greet();
      const before = conversation.transcript.heard.length;
      conversation.send({ jsonrpc: '2.0', method: methods.health });
      await conversation.livesOn(probe, 'a notification');
      const [answer] = conversation.transcript.heard
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
    theme,
    fix: 'Put { "method" } into the data of the error -32601.',
    async run(subject) {
      const answer = (await answerTo(subject, 'unknown method')) ?? {};
      return verdict(dataOf(answer)['method'] === 'no_such_method', `It answered ${shown(answer, 200)}`);
    },
  },
  {
    id: 'yams:error-code:-32700',
    title: 'A line that is no JSON is answered with -32700',
    severity: 'error',
    theme,
    fix: 'Catch what the parser throws, and answer with the error -32700 and id null.',
    async run(subject) {
      const { conversation } = await subject.greet();
      conversation.send('{"jsonrpc": "2.0", nonsense');
      const { message } = await conversation.hear('the error -32700', ({ message }) => 'error' in message);
      return verdict(codeOf(message) === -32700, `It answered ${shown(message, 200)}`);
    },
  },
  {
    id: 'yams:error-code:-32600',
    ...refusesNoMethod,
    severity: 'error',
    theme,
  },
  {
    id: 'yams:plugin:batch',
    title: 'A batch of requests is answered with a batch',
    // The specification counts on batches where something is to go on meanwhile; its own SDK refuses them.
    severity: 'warning',
    theme,
    fix: 'Where a line is an array, answer each request in it, and send the responses as one array.',
    run: answersBatches,
  },
  {
    id: 'yams:error-code:-32602',
    title: 'A required argument that is missing is answered with -32602',
    severity: 'error',
    theme,
    fix: 'Check the params against the schema of the tool, and answer with the error -32602 when they do not fit.',
    async run(subject) {
      const answer = await answerTo(subject, 'miss an argument');
      if (answer === undefined) return doesNotApply('It lists no tool that requires an argument.');
      return verdict(codeOf(answer) === -32602, `It answered ${shown(answer, 200)}`);
    },
  },
  {
    id: 'yams:errors:not-initialized',
    title: 'Before plugin.init a call works, or is answered with -32003 and why',
    severity: 'warning',
    theme,
    fix: 'Answer what needs the config with -32003 and { "reason": "NotInitialized", "required_method": "plugin.init" }.',
    async run(subject) {
      const { call } = await subject.session();
      const conversation = await subject.start();
      await conversation.request(methods.manifest);
      const { ok, code, message } = await conversation.call(call.probe);
      const isTold = code === -32003 && dataOf(message)['reason'] === 'NotInitialized';
      return verdict(ok || isTold, `It answered ${shown(message, 200)}`);
    },
  },
  {
    id: 'yams:errors:unsupported',
    title: 'A file of an unsupported type is answered with -32001',
    severity: 'warning',
    theme,
    fix: 'Answer with -32001 and { "reason": "UnsupportedFormat", "mime_type", "extension", "supported_formats" }.',
    run: ofExtractors(async (subject) => {
      const { result } = (await answerTo(subject, 'supports an unknown type')) ?? {};
      if (isJsonObject(result) && result['supported'] === true) return doesNotApply('It takes every type.');
      const answer = (await answerTo(subject, 'extract an unknown type')) ?? {};
      return verdict(codeOf(answer) === -32001, `It answered ${shown(answer, 200)}`);
    }),
  },
  {
    id: 'yams:errors:reason',
    title: 'Errors have a reason that programs can read',
    severity: 'warning',
    theme,
    fix: 'Put { "reason": "ErrorCategory", "details", "recoverable" } into the data of an error.',
    async run(subject) {
      const answers = [
        await answerTo(subject, 'extract nothing'),
        await answerTo(subject, 'miss an argument'),
      ];
      const answer = answers.find((each) => each !== undefined && codeOf(each) !== undefined);
      if (answer === undefined) return doesNotApply('Nothing that it was asked has failed.');
      return verdict(isText(dataOf(answer)['reason']), `It answered ${shown(answer, 200)}`);
    },
  },
];

function dataOf({ error }: JsonObject): JsonObject {
  return isJsonObject(error) && isJsonObject(error['data']) ? error['data'] : {};
}
