// How an executor answers execute_task and update_context.
import { isJsonArray, isJsonObject, type Json } from '../../../base/json.ts';
import { shown } from '../../../base/shown.ts';
import { doesNotApply, verdict, type Check } from '../../check.ts';
import { ofMethod, ofTask } from './asking.ts';

const theme = 'Tasks';

export const plannerTaskChecks: readonly Check[] = [
  {
    id: 'planner:execute:response-example',
    title: 'A task is answered with an output',
    severity: 'error',
    theme,
    fix: 'Answer execute_task with { status, output { code, explanation, files_modified, files_created }, metadata }; name a task that works with --tool.',
    run: (subject) =>
      ofTask(subject, (result) =>
        verdict(isJsonObject(result['output']), `It answered ${shown(result, 300)}`),
      ),
  },
  {
    id: 'planner:execute:status',
    title: 'The result of a task that was done says "success"',
    severity: 'error',
    theme,
    fix: 'Put "status": "success" into the result; what failed is an error.',
    run: (subject) =>
      ofTask(subject, ({ status }) => verdict(status === 'success', `status is ${shown(status)}`)),
  },
  ...outputChecks(),
  {
    id: 'planner:execute:metadata-execution-time-ms',
    title: 'The metadata tell how long the task took',
    severity: 'info',
    theme,
    fix: 'Put "metadata": { "execution_time_ms": NUMBER } beside the output.',
    run: (subject) =>
      ofTask(subject, ({ metadata }) => {
        const took = isJsonObject(metadata) ? metadata['execution_time_ms'] : undefined;
        return verdict(typeof took === 'number' && took >= 0, `execution_time_ms is ${shown(took)}`);
      }),
  },
  {
    id: 'planner:execute:string-id',
    title: 'An id that is a text is given back as it came',
    severity: 'error',
    theme,
    fix: 'Copy the id of the request into the response, whatever it is.',
    async run(subject) {
      const { conversation, probe } = await subject.greet();
      const before = conversation.transcript.heard.length;
      conversation.send({ jsonrpc: '2.0', id: 'task_001', method: probe.tool, params: probe.args });
      const { message } = await conversation.hear(
        'an answer to "task_001"',
        ({ message, index }) => index >= before && !('method' in message),
        subject.limits.callMs,
      );
      return verdict(message['id'] === 'task_001', `It answered ${shown(message, 200)}`);
    },
  },
  {
    id: 'planner:context:answer',
    title: 'A change of context is answered with { status: "ok" }',
    severity: 'warning',
    theme,
    fix: 'Answer update_context with { "status": "ok" }.',
    run: (subject) =>
      ofMethod(
        subject,
        'update_context',
        { action: 'add', context_type: 'file', data: { path: 'a.js' } },
        ({ status }) => verdict(status === 'ok', `status is ${shown(status)}`),
      ),
  },
];

/** One for each field of an output. */
function outputChecks(): Check[] {
  const texts = ['code', 'explanation'];
  const lists = ['files_modified', 'files_created'];
  return [...texts, ...lists].map((field) => ({
    id: `planner:execute:output-${field.replaceAll('_', '-')}`,
    title: `${field} of an output is a ${texts.includes(field) ? 'text' : 'list of files'}`,
    severity: 'warning',
    theme,
    fix: `Put "${field}" into every output: ${texts.includes(field) ? 'a string' : 'an array of strings'}, empty where there is nothing to say.`,
    run: (subject) =>
      ofTask(subject, ({ output }) => {
        if (!isJsonObject(output)) return doesNotApply('There is no output.');
        const value = output[field];
        const isGood = texts.includes(field) ? typeof value === 'string' : isTexts(value);
        return verdict(isGood, `${field} is ${shown(value)}`);
      }),
  }));
}

function isTexts(value: Json | undefined): boolean {
  return isJsonArray(value) && value.every((item) => typeof item === 'string');
}
