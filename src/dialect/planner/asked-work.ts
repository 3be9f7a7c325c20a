// execute_task and validate_code, answered: by an executor on the author's side, and by the host when a planner asks it for work.
import { RpcError } from '../../channel/message/rpc-error.ts';
import type { CallContext } from '../../channel/peer/call-context.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { JsonObject } from '../../base/json.ts';
import { isJsonObject } from '../../base/json.ts';
import { sentence } from '../../base/sentence.ts';
import type { RunningCall } from '../../definition/backend.ts';
import type { Answer, AnswerContent, CallEvent, CallSink } from '../../definition/outcome.ts';
import { backendAnswer } from '../backend-answer.ts';
import { INVALID_PARAMS } from './codes.ts';
import { errorOf } from './failures.ts';
import { OutgoingStream } from './outgoing-stream.ts';
import { codeVerdict } from './schema.ts';
import { fromWire, toWire, type Shape } from './shape.ts';

export interface WorkOptions {
  /** Whether failures carry the stack of what was thrown. */
  readonly debug: boolean;
  /** What is told beside the text that is streamed; the protocol has no words for it. */
  event?(event: Exclude<CallEvent, { kind: 'text' }>): void;
}

/** Requests of the other end that take a while: what is said meanwhile is streamed, and a failure becomes the error it is. */
export class AskedWork {
  readonly #peer: Peer;
  readonly #options: WorkOptions;
  #streams = 0;

  constructor(peer: Peer, options: WorkOptions) {
    this.#peer = peer;
    this.#options = options;
  }

  /** @throws RpcError when it failed */
  async answer(
    context: CallContext,
    start: (sink: CallSink) => RunningCall,
  ): Promise<Answer & { readonly ok: true }> {
    let stream: OutgoingStream | undefined;
    const answer = await backendAnswer(
      context,
      (event) => {
        if (event.kind !== 'text') this.#options.event?.(event);
        else (stream ??= this.#stream(context)).text(event.text);
      },
      start,
      () => this.#peer.drained(),
    );
    await stream?.end();
    if (!answer.ok) throw errorOf(answer, this.#options.debug);
    return answer;
  }

  #stream({ id }: CallContext): OutgoingStream {
    this.#streams += 1;
    return new OutgoingStream(this.#peer, `stream_${String(this.#streams).padStart(3, '0')}`, id);
  }
}

/** @throws RpcError -32602 that says what is wrong */
export function paramsOf<Value>(shape: Shape<Value>, params: unknown): Value {
  const read = fromWire(shape, params ?? {}, 'params', 'strict');
  if ('value' in read) return read.value;
  const details = `Invalid params: ${sentence(read.problem)}`;
  throw new RpcError(INVALID_PARAMS, details, { type: 'PARSE_ERROR', details, recovery_suggestions: [] });
}

export function verdictToWire({ data }: AnswerContent): JsonObject {
  return { valid: false, findings: [], ...(isJsonObject(data) ? toWire(codeVerdict, data) : {}) };
}
