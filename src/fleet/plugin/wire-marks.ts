// Which call a message on a wire belongs to, for people who look at it: what is sent for a call, and whatever refers to that later.
import { traceIdOf, type Trace } from '../../base/trace.ts';
import type { Message, Received } from '../../channel/message/message.ts';

/** A call as it is named in logs and in the audit. */
export interface CallMark {
  readonly call: string;
  /** The id of the trace that it is a part of. */
  readonly trace?: string;
}

/** What the params of a message say of the request that they are about, each in a form that another message has too. */
export type KeysIn = (params: unknown) => readonly string[];

/** So many at least are kept, and twice as many at most: those of calls that are long over are forgotten. */
const KEPT_MIN = 10_000;

/** Of one process: the next one counts from the beginning. */
export class WireMarks {
  #young = new Map<string, CallMark>();
  #old: ReadonlyMap<string, CallMark> = new Map();

  /** `sending`: the call that it is sent for, where one is. */
  of(
    direction: 'sent' | 'received',
    message: Message | Received,
    sending: { readonly id: string; readonly trace: Trace | undefined } | undefined,
    keysIn: KeysIn = () => none,
  ): CallMark | undefined {
    const about = 'params' in message ? keysIn(message.params) : none;
    // Each side counts its own requests.
    const own = 'id' in message && isOurs(direction, message.kind) ? `id:${message.id}` : undefined;
    const isAnswer = message.kind === 'success' || message.kind === 'failure';
    if (isAnswer && sending === undefined) return own === undefined ? undefined : this.#find(own);
    const mark = sending === undefined ? this.#findAny(about) : markOf(sending);
    if (mark === undefined) return undefined;
    if (own !== undefined) this.#keep(own, mark);
    for (const key of about) this.#keep(key, mark);
    return mark;
  }

  #findAny(keys: readonly string[]): CallMark | undefined {
    for (const key of keys) {
      const mark = this.#find(key);
      if (mark !== undefined) return mark;
    }
    return undefined;
  }

  #find(key: string): CallMark | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  /** All old ones are forgotten at once: to take the oldest out of a map one by one is slow. */
  #keep(key: string, mark: CallMark): void {
    if (this.#young.size >= KEPT_MIN) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, mark);
  }
}

const none: readonly string[] = [];

function isOurs(direction: 'sent' | 'received', kind: (Message | Received)['kind']): boolean {
  return direction === 'sent' ? kind === 'request' : kind === 'success' || kind === 'failure';
}

function markOf({ id, trace }: { readonly id: string; readonly trace: Trace | undefined }): CallMark {
  return trace === undefined ? { call: id } : { call: id, trace: traceIdOf(trace) };
}
