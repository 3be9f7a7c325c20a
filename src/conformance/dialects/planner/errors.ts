// How an end answers what is wrong with a request, and several at once.
import { isJsonArray, isJsonObject, type JsonObject } from '../../../base/json.ts';
import { shown } from '../../../base/shown.ts';
import { doesNotApply, verdict, type Check } from '../../check.ts';
import { codeOf } from '../../drivers/responses.ts';
import type { Subject } from '../../subject/subject.ts';
import { answersBatches, refusesNoMethod } from '../../subject/unusual-requests.ts';

const theme = 'Errors and batches';

export const plannerErrorChecks: readonly Check[] = [
  {
    id: 'planner:errors:invalid-request',
    ...refusesNoMethod,
    // The server in the specification itself answers with -32601.
    severity: 'warning',
    theme,
  },
  {
    id: 'planner:batch:array',
    title: 'Several requests in an array are answered in an array',
    // Anybody may send them, and yet hosts such as ours send none to an end that does not say "batch": true.
    severity: 'warning',
    theme,
    fix: 'Where a line is an array, answer each request in it, and send the responses as one array; say "batch": true in rpc.discover.',
    run: answersBatches,
  },
  {
    id: 'planner:errors:method-not-found',
    title: 'A method that does not exist is answered with -32601',
    severity: 'error',
    theme,
    fix: 'Answer requests of methods that you do not know with the error -32601.',
    async run(subject) {
      const { conversation } = await subject.greet();
      const answer = await conversation.request('no_such_method', {});
      return verdict(codeOf(answer) === -32601, `It answered ${shown(answer, 200)}`);
    },
  },
  {
    id: 'planner:errors:invalid-params',
    title: 'Params that lack something are answered with -32602',
    severity: 'warning',
    theme,
    fix: 'Check the params and answer with the error -32602 when something required is missing or of the wrong type.',
    async run(subject) {
      const message = await withoutParams(subject);
      return verdict(codeOf(message) === -32602, `Without params it answered ${shown(message, 200)}`);
    },
  },
  {
    id: 'planner:errors:details',
    title: 'An error says its type, details and suggestions',
    severity: 'info',
    theme,
    fix: 'Put "data": { "type": "TIMEOUT" | "PARSE_ERROR" | "EXECUTION_ERROR", "details", "recovery_suggestions" } into errors.',
    async run(subject) {
      const { error } = await withoutParams(subject);
      if (!isJsonObject(error)) return doesNotApply('It answered with no error.');
      const { data } = error;
      return verdict(isJsonObject(data) && isDetailed(data), `data is ${shown(data, 200)}`);
    },
  },
  {
    id: 'planner:errors:parse-error',
    title: 'Input that is no JSON is answered with -32700',
    severity: 'error',
    theme,
    fix: 'Catch what the parser throws and answer with the error -32700 and id null.',
    async run(subject) {
      const { conversation } = await subject.greet();
      conversation.send('{"jsonrpc": "2.0", nonsense');
      const { message } = await conversation.hear(
        'the error -32700',
        ({ message }) => message['id'] === null && 'error' in message,
      );
      return verdict(codeOf(message) === -32700, `It answered ${shown(message, 200)}`);
    },
  },
];

async function withoutParams(subject: Subject): Promise<JsonObject> {
  const { conversation, probe } = await subject.greet();
  const { message } = await conversation.call({ ...probe, args: {} });
  return message;
}

const TYPES: readonly unknown[] = ['TIMEOUT', 'PARSE_ERROR', 'EXECUTION_ERROR'];

function isDetailed({ type, details, recovery_suggestions: suggestions }: JsonObject): boolean {
  return TYPES.includes(type) && details !== undefined && isJsonArray(suggestions);
}
