// How a plugin answers what is wrong with a request.
import type { JsonObject } from '../../../base/json.ts';
import { shown } from '../../../base/shown.ts';
import { paramsIn } from '../../../dialect/gassist/schema.ts';
import { verdict, type Check } from '../../check.ts';
import { codeOf } from '../../drivers/responses.ts';
import { refusesNoMethod } from '../../subject/unusual-requests.ts';
import { interview, valueOf } from './interview.ts';

const theme = 'Errors';

export const gassistErrorChecks: readonly Check[] = [
  {
    id: 'gassist:author:unknown-function',
    title: 'A function that is unknown is answered with -32601',
    severity: 'error',
    theme,
    fix: 'Send "error" with the code -32601, or answer with that error, when there is no such function.',
    async run(subject) {
      const message = valueOf((await subject.shared(interview)).unknownFunction);
      return verdict(errorIn(message)['code'] === -32601, `It answered ${shown(message, 200)}`);
    },
  },
  {
    id: 'gassist:error:message',
    title: 'An error says in words what is wrong',
    severity: 'error',
    theme,
    fix: 'Put "message", a string that is not empty, beside the code.',
    async run(subject) {
      const message = valueOf((await subject.shared(interview)).unknownFunction);
      const words = errorIn(message)['message'];
      return verdict(typeof words === 'string' && words.trim() !== '', `It answered ${shown(message, 200)}`);
    },
  },
  {
    id: 'gassist:codes:invalid-params',
    title: 'An execute without a function is answered with -32602',
    severity: 'warning',
    theme,
    fix: 'Look at "function" before using it, and answer with the error -32602 when it is no text.',
    async run(subject) {
      const { conversation } = await subject.greet();
      const id = conversation.nextId();
      conversation.send({ jsonrpc: '2.0', id, method: 'execute', params: { arguments: {} } });
      const { message } = await conversation.answered(id, 'the error -32602');
      return verdict(errorIn(message)['code'] === -32602, `It answered ${shown(message, 200)}`);
    },
  },
  {
    id: 'gassist:codes:invalid-request',
    ...refusesNoMethod,
    severity: 'warning',
    theme,
  },
  {
    id: 'gassist:codes:parse-error',
    title: 'Input that is no JSON is answered with -32700',
    severity: 'warning',
    theme,
    fix: 'Catch what the parser throws and answer with the error -32700 and id null.',
    async run(subject) {
      const { conversation } = await subject.greet();
      conversation.send('{"jsonrpc": "2.0", nonsense');
      const { message } = await conversation.hear('the error -32700', ({ message }) => 'error' in message);
      return verdict(codeOf(message) === -32700, `It answered ${shown(message, 200)}`);
    },
  },
];

/** By a notification, or by an error response. */
function errorIn({ method, params, error }: JsonObject): JsonObject {
  return paramsIn(method === 'error' ? params : error);
}
