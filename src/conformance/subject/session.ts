// One ordinary session from hello to goodbye, recorded once: checks that only look share it.
import { toError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Exit } from '../../fleet/supervisor/spawn.ts';
import type { CallEnd, Driver, Introduction, Probe } from '../drivers/driver.ts';
import type { Conversation } from './conversation.ts';
import type { Heard, Transcript } from './transcript.ts';

export interface Session {
  readonly introduction: Introduction;
  readonly call: RecordedCall;
  /** The answer to the goodbye; undefined where the dialect has none, or none came. */
  readonly goodbye: JsonObject | undefined;
  /** Undefined when it went on living. */
  readonly exit: Exit | undefined;
  readonly transcript: Transcript;
}

export interface RecordedCall {
  readonly id: number;
  readonly probe: Probe;
  /** Undefined when it never ended; `problem` says what came instead. */
  readonly end: CallEnd | undefined;
  readonly problem?: string;
  /** What came while it ran, in its order. */
  readonly during: readonly Heard[];
}

export async function recordSession(
  conversation: Conversation,
  introduction: Introduction,
  probe: Probe,
  driver: Driver,
): Promise<Session> {
  const call = await recordCall(conversation, probe, driver);
  // What is missing here is for the checks to say.
  const id = conversation.sayGoodbye();
  const goodbye =
    id === undefined ? undefined : await conversation.response(id, 'the goodbye').catch(() => undefined);
  const exit = await conversation.exit('after the goodbye').catch(() => undefined);
  return { introduction, call, goodbye, exit, transcript: conversation.transcript };
}

async function recordCall(conversation: Conversation, probe: Probe, driver: Driver): Promise<RecordedCall> {
  const { heard } = conversation.transcript;
  const before = heard.length;
  const id = conversation.nextId();
  try {
    conversation.send(driver.callMessage(id, probe));
    const end = await conversation.endOfCall(id, probe);
    const last = heard.findIndex(({ message }) => message === end.message);
    return { id, probe, end, during: heard.slice(before, last) };
  } catch (thrown) {
    return { id, probe, end: undefined, problem: toError(thrown).message, during: heard.slice(before) };
  }
}
