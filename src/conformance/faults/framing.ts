// Bytes as a real pipe may cut and join them, and bytes that are no messages.
import { passed, verdict, type Check } from '../check.ts';
import type { Greeted, Subject } from '../subject/subject.ts';

const theme = 'Framing';

export const framingFaults: readonly Check[] = [
  {
    id: 'fault:torn-frames',
    title: 'A message that comes in pieces is put together',
    severity: 'error',
    theme,
    fix: 'Keep what has come until the message is whole: one read is not one message.',
    async run(subject) {
      const { conversation, probe } = await subject.greet();
      const id = conversation.nextId();
      const bytes = conversation.frame(subject.driver.signOfLife(id, probe, 'żółw'));
      // Inside of the header or the first word, and inside of a character of two bytes.
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
    severity: 'error',
    theme,
    fix: 'Keep what has come until the message is whole, the bytes of its length included.',
    async run(subject) {
      const { conversation, probe } = await subject.greet();
      const id = conversation.nextId();
      const bytes = conversation.frame(subject.driver.signOfLife(id, probe));
      const single = Array.from(bytes, (byte) => Buffer.of(byte));
      // The first ones alone for certain; the others as fast as they go.
      await conversation.writeApart(single.slice(0, 3), PAUSE_MS);
      await conversation.writeApart(single.slice(3));
      await conversation.answered(id, 'an answer to a request that came byte by byte');
      return passed(`A request of ${bytes.length} single bytes was answered.`);
    },
  },
  {
    id: 'fault:merged-frames',
    title: 'Messages that come in one piece are all answered',
    severity: 'error',
    theme,
    fix: 'After a message look for the next one in what is left: one read may hold many.',
    async run(subject) {
      const { conversation, probe } = await subject.greet();
      const ids = [conversation.nextId(), conversation.nextId(), conversation.nextId()];
      conversation.send(...ids.map((id) => subject.driver.signOfLife(id, probe)));
      for (const id of ids)
        await conversation.answered(id, `an answer to each of three requests in one write`);
      return passed('Three requests in one write were answered.');
    },
  },
  {
    id: 'fault:bad-json',
    title: 'A message that is no JSON does not end the plugin',
    severity: 'error',
    theme,
    fix: 'Catch what the JSON parser throws, answer with -32700 and id null, and go on with the next message.',
    run: (subject) => survives(subject, 'a message that is no JSON', ['{"jsonrpc": "2.0", nonsense']),
  },
  {
    id: 'fault:no-request',
    title: 'JSON that is no request does not end the plugin',
    severity: 'error',
    theme,
    fix: 'Look at what was parsed before using it: it may be a number, null, an empty list, or an object without a method.',
    run: (subject) =>
      survives(subject, 'JSON that is no request', ['17', 'null', '[]', '{}', '{"jsonrpc":"2.0","id":null}']),
  },
  {
    id: 'fault:large-message',
    title: 'A message as large as the dialect allows is taken',
    severity: 'error',
    theme,
    fix: 'Let the buffer grow up to the limit of the dialect.',
    async run(subject) {
      const { largestMessage } = subject.driver;
      const greeted = await subject.greet();
      const id = sendOfSize(subject, greeted, largestMessage);
      const what = `an answer to a request of ${largestMessage} bytes`;
      await greeted.conversation.answered(id, what, subject.limits.callMs);
      return passed(`A request of ${largestMessage} bytes was answered.`);
    },
  },
  {
    id: 'fault:oversize-message',
    title: 'A message that is too large does not end the plugin',
    severity: 'warning',
    theme,
    fix: 'Skip the bytes of a message over the limit, answer it with an error, and go on with the next one.',
    async run(subject) {
      const { oversizeMessage } = subject.driver;
      const greeted = await subject.greet();
      sendOfSize(subject, greeted, oversizeMessage);
      await greeted.conversation.flushed();
      await greeted.conversation.livesOn(
        greeted.probe,
        `a message of ${oversizeMessage} bytes`,
        subject.limits.callMs,
      );
      return passed(`It went on after a message of ${oversizeMessage} bytes.`);
    },
  },
  {
    id: 'fault:noise-on-stdout',
    title: 'Nothing but messages is written to stdout',
    severity: 'error',
    theme,
    fix: 'Print to stderr, or log in the words of the dialect: stdout is the wire.',
    async run(subject) {
      const { transcript } = await subject.session();
      const [first] = transcript.noise;
      return verdict(first === undefined, first === undefined ? 'Only messages.' : `It printed: ${first}`);
    },
  },
];

/** For dialects whose messages are lines. */
export const lineFaults: readonly Check[] = [
  {
    id: 'fault:blank-lines',
    title: 'Blank lines between messages are passed over',
    severity: 'warning',
    theme,
    fix: 'Skip a line in which nothing stands before parsing it.',
    run: (subject) => survives(subject, 'blank lines', ['', '  ', '\r']),
  },
  {
    id: 'fault:crlf',
    title: 'A line that ends with CRLF is a message like any other',
    severity: 'warning',
    theme,
    fix: 'Strip the CR before the LF.',
    async run(subject) {
      const { conversation, probe } = await subject.greet();
      const id = conversation.nextId();
      conversation.write(Buffer.from(`${JSON.stringify(subject.driver.signOfLife(id, probe))}\r\n`));
      await conversation.answered(id, 'an answer to a line that ends with CRLF');
      return passed('It was answered.');
    },
  },
];

/** Between pieces, so that the plugin has read one before the next comes. */
const PAUSE_MS = 30;

async function survives(subject: Subject, what: string, bodies: readonly string[]) {
  const { conversation, probe } = await subject.greet();
  for (const body of bodies) conversation.send(body);
  await conversation.livesOn(probe, what);
  return passed(`It went on after ${what}.`);
}

function piecesOf(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  return [...cuts, bytes.length].map((end, index) => bytes.subarray(cuts[index - 1] ?? 0, end));
}

/** A sign of life that is asked for with so many bytes. Its id. */
function sendOfSize(subject: Subject, { conversation, probe }: Greeted, size: number): number {
  const id = conversation.nextId();
  const asked = (padding: string) => subject.driver.signOfLife(id, probe, padding);
  const bare = Buffer.byteLength(JSON.stringify(asked('')));
  conversation.send(asked('x'.repeat(size - bare)));
  return id;
}
