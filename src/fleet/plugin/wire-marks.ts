// Which call a message on a wire belongs to, for people who look at it: what is sent for a call, and whatever refers to that later.
import { traceIdOf, type Trace } from '../../base/trace.ts';
import type { Message, Received } from '../../channel/message/message.ts';

/** A call as it is named elsewhere: in logs, in the audit, by whoever made it. */
export interface CallMark {
  readonly call: string;
  /** The id of the trace that it is a part of. */
  readonly trace?: string;
}

/** What the params of a message say of the request that they are about, each in a form that another message has too. */
export type KeysIn = (params: unknown) => readonly string[];

/** Those of calls that are long over are forgotten. */
const KEPT_MAX = 10_000;

/** Of one process: the next one counts anew. */
export class WireMarks {
  readonly #marks = new Map<string, CallMark>();

  /** `sending`: the call that it is sent for, where one is. */
  of(
    direction: 'sent' | 'received',
    message: Message | Received,
    sending: { readonly id: string; readonly trace: Trace | undefined } | undefined,
    keysIn: KeysIn = () => [],
  ): CallMark | undefined {
    const about = 'params' in message ? keysIn(message.params) : [];
    // Each side counts its own requests.
    const own = 'id' in message && isOurs(direction, message.kind) ? [`id:${message.id}`] : [];
    const isAnswer = message.kind === 'success' || message.kind === 'failure';
    const mark = sending === undefined ? this.#find(isAnswer ? own : about) : markOf(sending);
    if (mark !== undefined) for (const key of [...own, ...about]) this.#keep(key, mark);
    return mark;
  }

  #find(keys: readonly string[]): CallMark | undefined {
    for (const key of keys) {
      const mark = this.#marks.get(key);
      if (mark !== undefined) return mark;
    }
    return undefined;
  }

  #keep(key: string, mark: CallMark): void {
    this.#marks.set(key, mark);
    const [oldest] = this.#marks.keys();
    if (this.#marks.size > KEPT_MAX && oldest !== undefined) this.#marks.delete(oldest);
  }
}

function isOurs(direction: 'sent' | 'received', kind: (Message | Received)['kind']): boolean {
  return direction === 'sent' ? kind === 'request' : kind === 'success' || kind === 'failure';
}

function markOf({ id, trace }: { readonly id: string; readonly trace: Trace | undefined }): CallMark {
  return trace === undefined ? { call: id } : { call: id, trace: traceIdOf(trace) };
}
