// What every plugin has to survive: broken framing, and requests of unusual form or number.
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { shown } from '../base/text.ts';
import { answersWith, failed, group, passed, verdict } from './check.ts';
import type { ConnectedPlugin, Subject } from './subject.ts';

export const framingFaults = group('Framing', [
  {
    id: 'fault:torn-frames',
    title: 'A message that comes in pieces is put together',
    fix: 'Keep what has come until the message is whole: one read is not one message.',
    async run(subject) {
      const { conversation, probe } = await subject.connect();
      const id = conversation.nextId();
      const bytes = conversation.frame(subject.driver.livenessRequest(id, probe, 'żółw'));
      // Within the header or the first word, and within a character of two bytes.
      const inCharacter = bytes.indexOf(0xbc);
      const cuts = [2, inCharacter === -1 ? bytes.length - 3 : inCharacter];
      await conversation.writeApart(piecesOf(bytes, cuts), PAUSE_MS);
      await conversation.answered(id, 'an answer to a request in three pieces');
      return passed('A request in three pieces was answered.');
    },
  },
  {
    id: 'fault:byte-by-byte',
    title: 'A message that comes byte by byte is put together',
    fix: 'Keep what has come until the message is whole, the bytes of its length included.',
    async run(subject) {
      const { conversation, probe } = await subject.connect();
      const id = conversation.nextId();
      const bytes = conversation.frame(subject.driver.livenessRequest(id, probe));
      const single = Array.from(bytes, (byte) => Buffer.of(byte));
      // The first bytes with pauses, the others as fast as possible.
      await conversation.writeApart(single.slice(0, 3), PAUSE_MS);
      await conversation.writeApart(single.slice(3));
      await conversation.answered(id, 'an answer to a request that came byte by byte');
      return passed(`A request of ${bytes.length} single bytes was answered.`);
    },
  },
  {
    id: 'fault:merged-frames',
    title: 'Messages that come in one piece are all answered',
    fix: 'After a message look for the next one in what is left: one read may hold many.',
    async run(subject) {
      const { conversation, probe } = await subject.connect();
      const ids = [conversation.nextId(), conversation.nextId(), conversation.nextId()];
      conversation.send(...ids.map((id) => subject.driver.livenessRequest(id, probe)));
      for (const id of ids)
        await conversation.answered(id, `an answer to each of three requests in one write`);
      return passed('Three requests in one write were answered.');
    },
  },
  {
    id: 'fault:bad-json',
    title: 'A message that is not JSON does not end the plugin',
    fix: 'Catch what the JSON parser throws, answer with -32700 and id null, and go on with the next message.',
    run: (subject) => survives(subject, 'a message that is not JSON', ['{"jsonrpc": "2.0", nonsense']),
  },
  {
    id: 'fault:no-request',
    title: 'JSON that is not a request does not end the plugin',
    fix: 'Look at what was parsed before using it: it may be a number, null, an empty list, or an object without a method.',
    run: (subject) =>
      survives(subject, 'JSON that is not a request', [
        '17',
        'null',
        '[]',
        '{}',
        '{"jsonrpc":"2.0","id":null}',
      ]),
  },
  {
    id: 'fault:large-message',
    title: 'A message as large as the dialect allows is taken',
    fix: 'Let the buffer grow up to the limit of the dialect.',
    async run(subject) {
      const { largestMessage } = subject.driver;
      const connected = await subject.connect();
      const id = sendOfSize(subject, connected, largestMessage);
      const what = `an answer to a request of ${largestMessage} bytes`;
      await connected.conversation.answered(id, what, subject.limits.callMs);
      return passed(`A request of ${largestMessage} bytes was answered.`);
    },
  },
  {
    id: 'fault:oversize-message',
    title: 'A message that is too large does not end the plugin',
    severity: 'warning',
    fix: 'Skip the bytes of a message over the limit, answer it with an error, and go on with the next one.',
    async run(subject) {
      const { oversizeMessage } = subject.driver;
      const connected = await subject.connect();
      sendOfSize(subject, connected, oversizeMessage);
      await connected.conversation.flushed();
      await connected.conversation.staysAlive(
        connected.probe,
        `a message of ${oversizeMessage} bytes`,
        subject.limits.callMs,
      );
      return passed(`It went on after a message of ${oversizeMessage} bytes.`);
    },
  },
  {
    id: 'fault:noise-on-stdout',
    title: 'Nothing but messages is written to stdout',
    fix: 'Print to stderr, or log in the words of the dialect: stdout is the wire.',
    async run(subject) {
      const { transcript } = await subject.session();
      const [first] = transcript.noise;
      return verdict(first === undefined, first === undefined ? 'Only messages.' : `It printed: ${first}`);
    },
  },
]);

/** For dialects whose messages are lines. */
export const lineFaults = group('Framing', [
  {
    id: 'fault:blank-lines',
    title: 'Blank lines between messages are ignored',
    severity: 'warning',
    fix: 'Skip a line in which nothing stands before parsing it.',
    run: (subject) => survives(subject, 'blank lines', ['', '  ', '\r']),
  },
  {
    id: 'fault:crlf',
    title: 'A line that ends with CRLF is a message like any other',
    severity: 'warning',
    fix: 'Strip the CR before the LF.',
    async run(subject) {
      const { conversation, probe } = await subject.connect();
      const id = conversation.nextId();
      conversation.write(Buffer.from(`${JSON.stringify(subject.driver.livenessRequest(id, probe))}\r\n`));
      await conversation.answered(id, 'an answer to a line that ends with CRLF');
      return passed('It was answered.');
    },
  },
]);

/** The pause between pieces, so that the plugin reads each one separately. */
const PAUSE_MS = 30;

async function survives(subject: Subject, what: string, bodies: readonly string[]) {
  const { conversation, probe } = await subject.connect();
  for (const body of bodies) conversation.send(body);
  await conversation.staysAlive(probe, what);
  return passed(`It went on after ${what}.`);
}

function piecesOf(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  return [...cuts, bytes.length].map((end, index) => bytes.subarray(cuts[index - 1] ?? 0, end));
}

/** Sends a cheap request of this size and returns its id. */
function sendOfSize(subject: Subject, { conversation, probe }: ConnectedPlugin, size: number): number {
  const id = conversation.nextId();
  const asked = (padding: string) => subject.driver.livenessRequest(id, probe, padding);
  const bare = Buffer.byteLength(JSON.stringify(asked('')));
  conversation.send(asked('x'.repeat(size - bare)));
  return id;
}

export const requestFaults = group('Requests', [
  {
    id: 'fault:unknown-method',
    title: 'A method that is unknown is answered with -32601',
    fix: 'Answer a request whose method you do not have with the error -32601, Method not found.',
    run: answersWith(-32601, ({ conversation }) => conversation.request('pluglot.no_such_method', {})),
  },
  {
    id: 'fault:unknown-tool',
    title: 'A tool that is unknown is refused, and nothing breaks',
    fix: 'Look the name up before calling it, and answer with the error of the dialect when it is not there.',
    async run(subject) {
      const { conversation, probe } = await subject.connect();
      const unknown = { ...probe, tool: 'no_such_tool', args: {} };
      const end = await conversation.call(unknown);
      if (end.ok) return failed(`It claims that it went well: ${shown(end.message, 200)}`);
      await conversation.staysAlive(probe, 'a call of an unknown tool');
      return passed(`It answered ${shown(end.message, 200)}`);
    },
  },
  {
    id: 'fault:wrong-params',
    title: 'Params of a wrong form are answered with an error',
    fix: 'Check the params before using them, and answer with -32602, Invalid params.',
    async run(subject) {
      const { conversation, probe } = await subject.connect();
      const tried = wrongParamsFor(subject.driver.callMessage(0, probe));
      for (const params of tried) {
        const id = conversation.nextId();
        conversation.send(withParams(subject.driver.callMessage(id, probe), params));
        const what = `an error for params ${params === undefined ? 'that are left out' : shown(params)}`;
        const { message } = await conversation.answered(id, what);
        const end = subject.driver.endOfCall(id, message);
        if (end?.ok === true) return failed(`Expected ${what}; it answered ${shown(message, 200)}`);
      }
      await conversation.staysAlive(probe, 'params of wrong forms');
      return passed(`Params of ${tried.length} wrong forms were refused.`);
    },
  },
  {
    id: 'fault:notification-storm',
    title: 'A thousand unknown notifications are ignored',
    fix: 'Ignore a notification that you do not know: what has no id gets no answer.',
    async run(subject) {
      const { conversation, probe } = await subject.connect();
      const before = conversation.transcript.received.length;
      const storm = { jsonrpc: '2.0', method: 'pluglot/storm', params: { text: 'x'.repeat(100) } };
      conversation.send(...Array.from({ length: STORM }, () => storm));
      const sign = await conversation.staysAlive(probe, `${STORM} notifications`);
      const answers = conversation.transcript.received
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
    fix: 'Keep the id with the call that it belongs to, and answer each request once.',
    async run(subject) {
      const { conversation, probe } = await subject.connect();
      const ids = [conversation.startCall(probe), conversation.startCall(probe)];
      for (const id of ids) await conversation.endOfCall(id, probe);
      await conversation.staysAlive(probe, 'two calls at once');
      const ends = (id: number) =>
        conversation.transcript.received.filter(
          ({ message }) => subject.driver.endOfCall(id, message) !== undefined,
        ).length;
      const counts = ids.map(ends);
      return verdict(
        counts.every((count) => count === 1),
        `They ended ${counts.join(' and ')} times.`,
      );
    },
  },
]);

/** For dialects in which the arguments are one of the params. */
export const argumentFaults = group('Requests', [
  {
    id: 'fault:wrong-arguments',
    title: 'Arguments that are not an object are answered, and nothing breaks',
    fix: 'Look at the arguments before using them: hosts send null, leave them out, or send something else.',
    async run(subject) {
      const { conversation, probe } = await subject.connect();
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
      await conversation.staysAlive(probe, 'arguments of wrong forms');
      return passed('Arguments that were null, a list, a number, a text or left out were answered.');
    },
  },
]);

const STORM = 1000;

/** `undefined`: left out. */
const WRONG_ARGUMENTS: readonly (Json | undefined)[] = [undefined, null, [], 4711, 'text'];
const WRONG_PARAMS: readonly (Json | undefined)[] = [undefined, null, [], {}, 17, 'text', [1, 2, 3]];

/** For a call without params, empty ones, none and null are all valid. */
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
