// Requests that ask for what is not there, or in a form that is wrong, and more of them than usual.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { shown } from '../../base/shown.ts';
import { passed, failed, verdict, type Check } from '../check.ts';
import { codeOf } from '../drivers/responses.ts';

const theme = 'Requests';

export const requestFaults: readonly Check[] = [
  {
    id: 'fault:unknown-method',
    title: 'A method that is unknown is answered with -32601',
    severity: 'error',
    theme,
    fix: 'Answer a request whose method you do not have with the error -32601, Method not found.',
    async run(subject) {
      const { conversation } = await subject.greet();
      const answer = await conversation.request('pluglot.no_such_method', {});
      return verdict(codeOf(answer) === -32601, `It answered ${shown(answer, 200)}`);
    },
  },
  {
    id: 'fault:unknown-tool',
    title: 'A tool that is unknown is refused, and nothing breaks',
    severity: 'error',
    theme,
    fix: 'Look the name up before calling it, and answer with the error of the dialect when it is not there.',
    async run(subject) {
      const { conversation, probe } = await subject.greet();
      const unknown = { ...probe, tool: 'no_such_tool', args: {} };
      const end = await conversation.call(unknown);
      if (end.ok) return failed(`It claims that it went well: ${shown(end.message, 200)}`);
      await conversation.livesOn(probe, 'a call of an unknown tool');
      return passed(`It answered ${shown(end.message, 200)}`);
    },
  },
  {
    id: 'fault:wrong-params',
    title: 'Params of a wrong form are answered with an error',
    severity: 'error',
    theme,
    fix: 'Check the params before using them, and answer with -32602, Invalid params.',
    async run(subject) {
      const { conversation, probe } = await subject.greet();
      const tried = wrongParamsFor(subject.driver.callMessage(0, probe));
      for (const params of tried) {
        const id = conversation.nextId();
        conversation.send(withParams(subject.driver.callMessage(id, probe), params));
        const what = `an error for params ${params === undefined ? 'that are left out' : shown(params)}`;
        const { message } = await conversation.answered(id, what);
        const end = subject.driver.endOfCall(id, message);
        if (end?.ok === true) return failed(`Expected ${what}; it answered ${shown(message, 200)}`);
      }
      await conversation.livesOn(probe, 'params of wrong forms');
      return passed(`Params of ${tried.length} wrong forms were refused.`);
    },
  },
  {
    id: 'fault:notification-storm',
    title: 'A thousand notifications that it does not know are passed over in silence',
    severity: 'error',
    theme,
    fix: 'Ignore a notification that you do not know: what has no id gets no answer.',
    async run(subject) {
      const { conversation, probe } = await subject.greet();
      const before = conversation.transcript.heard.length;
      const storm = { jsonrpc: '2.0', method: 'pluglot/storm', params: { text: 'x'.repeat(100) } };
      conversation.send(...Array.from({ length: STORM }, () => storm));
      const sign = await conversation.livesOn(probe, `${STORM} notifications`);
      const answers = conversation.transcript.heard
        .slice(before, sign.index)
        .filter(({ message }) => 'error' in message || 'result' in message);
      const [first] = answers;
      if (first !== undefined)
        return failed(
          `It answered ${answers.length} of ${STORM} notifications: ${shown(first.message, 200)}`,
        );
      return passed(`It went on after ${STORM} notifications.`);
    },
  },
  {
    id: 'fault:two-calls',
    title: 'Two calls at once both end, each under its own id',
    severity: 'error',
    theme,
    fix: 'Keep the id with the call that it belongs to, and answer each request once.',
    async run(subject) {
      const { conversation, probe } = await subject.greet();
      const ids = [conversation.startCall(probe), conversation.startCall(probe)];
      for (const id of ids) await conversation.endOfCall(id, probe);
      await conversation.livesOn(probe, 'two calls at once');
      const ends = (id: number) =>
        conversation.transcript.heard.filter(
          ({ message }) => subject.driver.endOfCall(id, message) !== undefined,
        ).length;
      const counts = ids.map(ends);
      return verdict(
        counts.every((count) => count === 1),
        `They ended ${counts.join(' and ')} times.`,
      );
    },
  },
];

/** For dialects in which the arguments are one of the params. */
export const argumentFaults: readonly Check[] = [
  {
    id: 'fault:wrong-arguments',
    title: 'Arguments that are no object are answered, and nothing breaks',
    severity: 'error',
    theme,
    fix: 'Look at the arguments before using them: hosts send null, leave them out, or send something else.',
    async run(subject) {
      const { conversation, probe } = await subject.greet();
      const { argumentsIn = '' } = subject.driver;
      for (const args of WRONG_ARGUMENTS) {
        const id = conversation.nextId();
        const message = subject.driver.callMessage(id, probe);
        const { [argumentsIn]: _, ...params } = isJsonObject(message['params']) ? message['params'] : {};
        conversation.send(
          withParams(message, args === undefined ? params : { ...params, [argumentsIn]: args }),
        );
        const what = `an answer to a call with ${args === undefined ? 'no arguments' : `the arguments ${shown(args)}`}`;
        await conversation.answered(id, what, subject.limits.callMs);
      }
      await conversation.livesOn(probe, 'arguments of wrong forms');
      return passed('Arguments that were null, a list, a number, a text or left out were answered.');
    },
  },
];

const STORM = 1000;

/** `undefined`: left out. */
const WRONG_ARGUMENTS: readonly (Json | undefined)[] = [undefined, null, [], 4711, 'text'];
const WRONG_PARAMS: readonly (Json | undefined)[] = [undefined, null, [], {}, 17, 'text', [1, 2, 3]];

/** Where a call has nothing in its params, empty ones and none are as good, and null may be read as none. */
function wrongParamsFor({ params }: JsonObject): readonly (Json | undefined)[] {
  const isEmpty = isJsonObject(params) && Object.keys(params).length === 0;
  return isEmpty
    ? WRONG_PARAMS.filter((each) => (each ?? null) !== null && !isJsonObject(each))
    : WRONG_PARAMS;
}

function withParams(message: JsonObject, params: Json | undefined): JsonObject {
  const { params: _, ...rest } = message;
  return params === undefined ? rest : { ...rest, params };
}
