// Requests as a good host may send them but seldom does, and as none would: for the dialects whose words they are.
import type { JsonObject } from '../../base/json.ts';
import { shown } from '../../base/shown.ts';
import { verdict, type Check, type Finding } from '../check.ts';
import { codeOf } from '../drivers/responses.ts';
import type { Conversation } from './conversation.ts';
import type { Subject } from './subject.ts';
import type { Heard } from './transcript.ts';

/** A request that names no method is refused: under its id, or under none. */
export const refusesNoMethod: Pick<Check, 'title' | 'fix' | 'run'> = {
  title: 'A request without a method is answered with -32600',
  fix: 'Check that "method" is there and a string, and answer with the error -32600 when it is not.',
  async run(subject) {
    const { conversation } = await subject.greet();
    const id = conversation.nextId();
    conversation.send({ jsonrpc: '2.0', id, params: {} });
    const isAnswer = ({ message }: Heard) => conversation.isAnswer(id, message) || isForNobody(message);
    const { message } = await conversation.hear('the error -32600', isAnswer);
    return verdict(codeOf(message) === -32600, `It answered ${shown(message, 200)}`);
  },
};

/** Whether two signs of life in one array are answered, in an array. */
export async function answersBatches(subject: Subject): Promise<Finding> {
  const { conversation, probe } = await subject.greet();
  const ids = [conversation.nextId(), conversation.nextId()];
  conversation.send(ids.map((id) => subject.driver.signOfLife(id, probe)));
  const answers: Heard[] = [];
  for (const id of ids) answers.push(await answerInBatch(conversation, id, subject.limits.callMs));
  const isGood = answers.every(({ message, isInBatch }) => 'result' in message && isInBatch);
  return verdict(isGood, `It answered ${answers.map(({ message }) => shown(message, 200)).join(' and ')}`);
}

function answerInBatch(conversation: Conversation, id: number, limitMs: number): Promise<Heard> {
  const isAnswer = ({ message }: Heard) => message['id'] === id || isForNobody(message);
  return conversation.hear('an answer to each of two requests in an array', isAnswer, limitMs);
}

/** It was not understood so far that its id was read. */
function isForNobody(message: JsonObject): boolean {
  return message['id'] === null && 'error' in message;
}
