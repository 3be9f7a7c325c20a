// Questions that several checks look at the answers to, asked of one process: it costs a start for each check otherwise.
import { isJsonObject, type JsonObject } from '../../../base/json.ts';
import { Unmet } from '../../check.ts';
import type { Probe } from '../../drivers/driver.ts';
import type { Conversation } from '../../subject/conversation.ts';
import type { Subject } from '../../subject/subject.ts';
import type { Heard } from '../../subject/transcript.ts';

export interface Interview {
  /** The answer to a ping with `TIMESTAMP`. */
  readonly pong: Answered<JsonObject>;
  /** How long the fastest of some pings took. */
  readonly pingMs: Answered<number>;
  readonly input: Answered<InputAnswers>;
  /** How a call of a function that is not there ended. */
  readonly unknownFunction: Answered<JsonObject>;
}

/** A value, or the reason why there is none: for the checks to tell. */
export type Answered<Value> = { readonly value: Value } | { readonly unmet: Unmet };

export interface InputAnswers {
  /** The first that was said of it, and how long that took. */
  readonly first: JsonObject;
  readonly firstMs: number;
  /** The notification that ended it. */
  readonly end: Answered<JsonObject>;
}

export const TIMESTAMP = 1_234_567_890;

/** @throws Unmet */
export function valueOf<Value>(answer: Answered<Value>): Value {
  if ('unmet' in answer) throw answer.unmet;
  return answer.value;
}

/** To be asked for by `subject.shared(interview)`. What may end the plugin comes last. */
export async function interview(subject: Subject): Promise<Interview> {
  const { conversation, probe } = await subject.greet();
  const unknown = { ...probe, tool: 'no_such_function', args: {} };
  return {
    pong: await answered(conversation.request('ping', { timestamp: TIMESTAMP })),
    pingMs: await answered(fastestPing(conversation)),
    input: await answered(sayHello(conversation, probe, subject.limits.callMs)),
    unknownFunction: await answered(conversation.call(unknown).then(({ message }) => message)),
  };
}

async function answered<Value>(asked: Promise<Value>): Promise<Answered<Value>> {
  try {
    return { value: await asked };
  } catch (thrown) {
    if (thrown instanceof Unmet) return { unmet: thrown };
    throw thrown;
  }
}

/** A busy machine may delay some; a plugin that is slow delays all. */
async function fastestPing(conversation: Conversation): Promise<number> {
  let fastest = Infinity;
  for (let attempt = 0; attempt < PINGS; attempt += 1) {
    const askedAt = conversation.now();
    await conversation.request('ping', { timestamp: TIMESTAMP });
    fastest = Math.min(fastest, Math.round(conversation.now() - askedAt));
  }
  return fastest;
}

const PINGS = 3;

/** After a call, which may open a session. */
export async function sayHello(
  conversation: Conversation,
  probe: Probe,
  callMs: number,
): Promise<InputAnswers> {
  await conversation.call(probe);
  const id = conversation.nextId();
  const sentAt = conversation.now();
  conversation.send({ jsonrpc: '2.0', id, method: 'input', params: { content: 'Hello?', timestamp: 0 } });
  const isFirst = ({ message }: Heard) => message['id'] === id || isFor(id, message);
  const isEnd = ({ message }: Heard) => isFor(id, message) && END_METHODS.includes(message['method']);
  const first = await conversation.hear('an acknowledgement of the input', isFirst);
  const isRefused = 'error' in first.message;
  return {
    first: first.message,
    firstMs: Math.round(first.at - sentAt),
    end: await answered(
      isRefused
        ? Promise.reject(new Unmet('The input was refused.'))
        : conversation
            .hear('a complete or an error for the input', isEnd, callMs)
            .then(({ message }) => message),
    ),
  };
}

function isFor(id: number, { params }: JsonObject): boolean {
  return isJsonObject(params) && params['request_id'] === id;
}

const END_METHODS: readonly unknown[] = ['complete', 'error'];
