// The newest messages, within a limit for their number and one for their text. Requests are linked with their responses.
import type { TrafficEntry } from '../../api/types.ts';

export interface LoggedMessage {
  /** Counts up by one; unlike `seq`, it does not restart with the host. */
  readonly position: number;
  readonly seq: number;
  readonly at: number;
  readonly plugin: string;
  readonly from: 'host' | 'plugin';
  readonly kind: string;
  /** Of a response: the method of its request, once both are known. */
  method: string;
  readonly id: string | number | null | undefined;
  readonly size: number;
  /** Undefined where the host did not send it, or it was dropped. */
  text: string | undefined;
  /** The position of the response to a request, or of the request of a response. */
  partner: number | undefined;
  /** Between request and response. */
  latencyMs: number | undefined;
}

export interface TrafficLogLimits {
  /** @default 100,000 */
  readonly messages?: number;
  /** Of all texts together. @default 32 Mi */
  readonly characters?: number;
}

/** Unanswered requests; the oldest is forgotten. */
const PENDING_MAX = 5000;

export class TrafficLog {
  readonly #messages: (LoggedMessage | undefined)[] = [];
  readonly #messagesMax: number;
  readonly #charactersMax: number;
  readonly #pending = new Map<string, LoggedMessage>();
  readonly #strings = new Map<string, string>();
  #characters = 0;
  /** The first message that still has its text. */
  #textsFrom = 0;
  #first = 0;
  #end = 0;
  #lastSeq = 0;

  constructor(limits: TrafficLogLimits = {}) {
    this.#messagesMax = limits.messages ?? 100_000;
    this.#charactersMax = limits.characters ?? 32 * 1024 * 1024;
  }

  /** The position of the oldest message. */
  get first(): number {
    return this.#first;
  }

  /** After the newest message. */
  get end(): number {
    return this.#end;
  }

  get size(): number {
    return this.#end - this.#first;
  }

  get characters(): number {
    return this.#characters;
  }

  /** The `seq` of the newest message. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  at(position: number): LoggedMessage | undefined {
    if (position < this.#first || position >= this.#end) return undefined;
    return this.#messages[position % this.#messagesMax];
  }

  add(entry: TrafficEntry): void {
    const message: LoggedMessage = {
      position: this.#end,
      seq: entry.seq,
      at: entry.at,
      plugin: this.#shared(entry.plugin),
      from: entry.from,
      kind: this.#shared(entry.kind),
      method: this.#shared(entry.method ?? ''),
      id: entry.id,
      size: entry.size,
      text: entry.text,
      partner: undefined,
      latencyMs: undefined,
    };
    this.#lastSeq = entry.seq;
    if (this.size === this.#messagesMax) this.#forgetFirst();
    this.#messages[this.#end % this.#messagesMax] = message;
    this.#end += 1;
    this.#characters += message.text?.length ?? 0;
    this.#pair(message);
    while (this.#characters > this.#charactersMax && this.#textsFrom < this.#end) this.#forgetText();
  }

  clear(): void {
    this.#first = this.#end;
    this.#textsFrom = this.#end;
    this.#characters = 0;
    this.#messages.length = 0;
    this.#pending.clear();
    this.#strings.clear();
  }

  #forgetFirst(): void {
    if (this.#textsFrom === this.#first) this.#forgetText();
    this.#first += 1;
  }

  #forgetText(): void {
    const message = this.#messages[this.#textsFrom % this.#messagesMax];
    this.#textsFrom += 1;
    if (message?.text === undefined) return;
    this.#characters -= message.text.length;
    message.text = undefined;
  }

  #pair(message: LoggedMessage): void {
    if (message.id === undefined || message.id === null) return;
    // The type distinguishes 1 from "1".
    const asker = message.kind === 'request' ? message.from : message.from === 'host' ? 'plugin' : 'host';
    const key = `${asker} ${typeof message.id} ${message.id} ${message.plugin}`;
    if (message.kind === 'request') {
      this.#pending.delete(key);
      this.#pending.set(key, message);
      if (this.#pending.size > PENDING_MAX) {
        const [oldest] = this.#pending.keys();
        if (oldest !== undefined) this.#pending.delete(oldest);
      }
      return;
    }
    const request = this.#pending.get(key);
    if (request === undefined || (message.kind !== 'success' && message.kind !== 'failure')) return;
    this.#pending.delete(key);
    request.partner = message.position;
    message.partner = request.position;
    message.method = request.method;
    request.latencyMs = message.latencyMs = Math.max(0, message.at - request.at);
  }

  /** The same few strings come thousands of times: one copy of each is kept. */
  #shared(text: string): string {
    const known = this.#strings.get(text);
    if (known !== undefined) return known;
    if (this.#strings.size < 1000) this.#strings.set(text, text);
    return text;
  }
}

/** The name of a message in the list. */
export function nameOf({ kind, method }: LoggedMessage): string {
  const answer = kind === 'success' ? 'result' : kind === 'failure' ? 'error' : undefined;
  if (answer === undefined) return method === '' ? kind : method;
  return method === '' ? answer : `${method} · ${answer}`;
}
