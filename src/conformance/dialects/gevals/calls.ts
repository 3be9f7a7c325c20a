// How an extension answers execute.
import { isJsonObject, type JsonObject } from '../../../base/json.ts';
import { shown } from '../../../base/shown.ts';
import { doesNotApply, passed, verdict, type Check, type Finding } from '../../check.ts';
import { recordedResult } from '../../subject/recorded-result.ts';
import type { Subject } from '../../subject/subject.ts';

const theme = 'Operations';

export const gevalsCallChecks: readonly Check[] = [
  {
    id: 'gevals:lifecycle:result-each',
    title: 'An operation is answered with a result',
    severity: 'error',
    theme,
    fix: 'Answer execute with { success, message?, error?, outputs? }; name an operation that works with --tool.',
    async run(subject) {
      return passed(`It answered ${shown(await recordedResult(subject), 200)}`);
    },
  },
  {
    id: 'gevals:result:success',
    title: 'A result says whether the operation succeeded',
    severity: 'error',
    theme,
    fix: 'Put "success", true or false, into every result: one without it counts as a failure.',
    async run(subject) {
      const { success } = await recordedResult(subject);
      return verdict(typeof success === 'boolean', `success is ${shown(success)}`);
    },
  },
  {
    id: 'gevals:result:message',
    title: 'The message and the error of a result are texts',
    severity: 'error',
    theme,
    fix: 'Make "message" and "error" strings, or leave them out.',
    async run(subject) {
      const { message = '', error = '' } = await recordedResult(subject);
      return verdict(
        typeof message === 'string' && typeof error === 'string',
        `message is ${shown(message)}, error is ${shown(error)}`,
      );
    },
  },
  {
    id: 'gevals:result:outputs',
    title: 'All outputs of a result are texts',
    severity: 'error',
    theme,
    fix: 'Turn each value of "outputs" into a string: hosts read no others.',
    async run(subject) {
      const { outputs } = await recordedResult(subject);
      if (outputs === undefined || outputs === null) return doesNotApply('The result has no outputs.');
      const isGood =
        isJsonObject(outputs) && Object.values(outputs).every((value) => typeof value === 'string');
      return verdict(isGood, `outputs is ${shown(outputs)}`);
    },
  },
  {
    id: 'gevals:log:level',
    title: 'A log has one of the four levels',
    severity: 'error',
    theme,
    fix: 'Log with level "debug", "info", "warn" or "error".',
    run: (subject) => ofLogs(subject, ({ level }) => LEVELS.includes(level)),
  },
  {
    id: 'gevals:log:message',
    title: 'A log has a message',
    severity: 'error',
    theme,
    fix: 'Put "message", a string, into every log.',
    run: (subject) => ofLogs(subject, ({ message }) => typeof message === 'string'),
  },
  {
    id: 'gevals:log:data',
    title: 'The data of a log is an object',
    severity: 'error',
    theme,
    fix: 'Make "data" an object, or leave it out.',
    run: (subject) => ofLogs(subject, ({ data = {} }) => isJsonObject(data)),
  },
];

const LEVELS: readonly unknown[] = ['debug', 'info', 'warn', 'error'];

async function ofLogs(subject: Subject, isGood: (params: JsonObject) => boolean): Promise<Finding> {
  const { transcript } = await subject.session();
  const logs = transcript.heard.filter(({ message }) => message['method'] === 'log');
  if (logs.length === 0) return doesNotApply('It logged nothing.');
  const wrong = logs.find(({ message: { params } }) => !isGood(isJsonObject(params) ? params : {}));
  return verdict(wrong === undefined, wrong === undefined ? `${logs.length} logs.` : shown(wrong.message));
}
