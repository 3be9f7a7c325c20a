// How an extension answers execute.
import { isJsonObject } from '../../../base/json.ts';
import { shown } from '../../../base/shown.ts';
import { doesNotApply, passed, verdict, type Check } from '../../check.ts';
import { recordedResult } from '../../subject/recorded-result.ts';

const theme = 'Operations';

export const gevalsCallChecks: readonly Check[] = [
  {
    id: 'gevals:lifecycle:result-each',
    title: 'An operation is answered with a result',
    severity: 'error',
    theme,
    mend: 'Answer execute with { success, message?, error?, outputs? }; name an operation that works with --tool.',
    async run(subject) {
      return passed(`It answered ${shown(await recordedResult(subject), 200)}`);
    },
  },
  {
    id: 'gevals:result:success',
    title: 'A result says whether the operation succeeded',
    severity: 'error',
    theme,
    mend: 'Put "success", true or false, into every result: one without it counts as a failure.',
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
    mend: 'Make "message" and "error" strings, or leave them out.',
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
    mend: 'Turn each value of "outputs" into a string: hosts read no others.',
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
    title: 'A log has one of the four levels, and a message',
    severity: 'error',
    theme,
    mend: 'Log with level "debug", "info", "warn" or "error", and a message that is a string.',
    async run(subject) {
      const { transcript } = await subject.session();
      const logs = transcript.heard.filter(({ message }) => message['method'] === 'log');
      if (logs.length === 0) return doesNotApply('It logged nothing.');
      const wrong = logs.find(({ message: { params } }) => !isLog(params));
      return verdict(
        wrong === undefined,
        wrong === undefined ? `${logs.length} logs.` : shown(wrong.message),
      );
    },
  },
];

const LEVELS: readonly unknown[] = ['debug', 'info', 'warn', 'error'];

function isLog(params: unknown): boolean {
  return isJsonObject(params) && LEVELS.includes(params['level']) && typeof params['message'] === 'string';
}
